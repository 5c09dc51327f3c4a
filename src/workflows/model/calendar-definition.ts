import Type from 'typebox';
import { type CalendarSource } from '../time/parse-calendar.js';
import { asMapping, asText, readAs, takePlace } from './definition-reader.js';
import { closedMapping, idText } from './schema-parts.js';

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

/** The setting for the working times of people in a workspace. */
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
      description: 'MM-DD is every year, YYYY-MM-DD once; easter+1 is the Monday after Easter.',
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

export type CalendarDefinition = CalendarSource & { readonly holidays: readonly string[] };
