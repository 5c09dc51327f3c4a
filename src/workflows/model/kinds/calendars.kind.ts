import { parseCalendar, type CalendarSource } from '../../time/parse-calendar.js';
import { type Calendar } from '../../time/calendar.js';
import { type PlacedFault } from '../../time/parsed.js';
import { type Report } from '../check/kit.js';
import { kind } from '../kind.js';
import { listSetting, opaque, closedMapping, idText } from '../schema-parts.js';
import Type from 'typebox';
import { asMapping, asText, readAs, takePlace } from '../definition-reader.js';

const hours = readAs(
  Type.Unsafe<CalendarSource['hours']>({
    title: 'Hours',
    description:
      'Opening hours by day or range of days: one range of times, or up to 20. Days that are not named are closed. A range past midnight belongs to the day on which it begins.',
    type: 'object',
    additionalProperties: { type: ['string', 'array'], items: { type: 'string' } },
    examples: [{ 'mon-thu': ['09:00-12:30', '13:30-17:30'], fri: '09:00-15:00' }],
  }),
  (value) => {
    const raw = asMapping(value);
    const entries = Object.entries(raw).map(([days, times]) => [
      days,
      Array.isArray(times) ? takePlace(times, times.map(asText)) : asText(times),
    ]);
    return takePlace(raw, Object.fromEntries(entries) as CalendarSource['hours']);
  },
);

export const calendar = Type.Object(
  {
    id: idText({ title: 'Id of the calendar', description: 'Identifies the calendar in the workspace.' }),
    timezone: Type.String({
      title: 'Time zone',
      description: 'An IANA time zone.',
      examples: ['Europe/Berlin'],
    }),
    hours,
    holidays: Type.Array(Type.String(), {
      title: 'Holidays',
      description: 'MM-DD: every year; YYYY-MM-DD: once; easter+1: the Monday after Easter.',
      examples: [['12-25', '2026-06-05', 'easter+1']],
      default: [],
      maxItems: 1000,
    }),
  },
  {
    ...closedMapping,
    title: 'Calendar',
    description: 'The hours and holidays by which working time is counted.',
    examples: [
      {
        id: 'office',
        timezone: 'Europe/Berlin',
        hours: { 'mon-thu': ['09:00-12:30', '13:30-17:30'], fri: '09:00-15:00' },
        holidays: ['12-25', '12-26', 'easter+1'],
      },
    ],
  },
);

type CalendarDefinition = CalendarSource & { readonly holidays: readonly string[] };

export const calendars = kind({
  name: 'calendar',
  list: 'calendars',
  of: 'workspace',
  key: ['id'],
  schema: listSetting(opaque<CalendarDefinition>(calendar), {
    title: 'Calendars',
    description: 'Working hours and holidays; identified by id.',
    maxItems: 100,
  }),
  check(one, _within, report) {
    for (const fault of parseCalendar(one).refusals ?? []) reportWithin(one, fault, report);
  },
});

function reportWithin(one: CalendarDefinition, { path, message }: PlacedFault, report: Report): void {
  let holder: object = one;
  for (const key of path.slice(0, -1)) {
    const inner: unknown = Reflect.get(holder, key);
    if (typeof inner === 'object' && inner !== null) holder = inner;
  }
  report(holder, path.at(-1) ?? 'id', message);
}

/** The calendars of a definition or workspace row, by id. Omits stored calendars that do not compile. */
export function calendarsOf(holder: object): ReadonlyMap<string, Calendar> {
  const parsed = calendars.in(holder).flatMap((source) => parseCalendar(source).value ?? []);
  return new Map(parsed.map((calendar) => [calendar.id, calendar]));
}
