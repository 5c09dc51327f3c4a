import { parseCalendar } from '../../time/parse-calendar.js';
import { type PlacedFault } from '../../time/parsed.js';
import { calendar, type CalendarDefinition } from '../calendar-definition.js';
import { type Report } from '../check/kit.js';
import { kind } from '../kind.js';
import { listSetting, opaque } from '../schema-parts.js';

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

/** Reports a fault at its place in the calendar. */
function reportWithin(one: CalendarDefinition, { path, message }: PlacedFault, report: Report): void {
  let holder: object = one;
  for (const key of path.slice(0, -1)) {
    const inner: unknown = Reflect.get(holder, key);
    if (typeof inner === 'object' && inner !== null) holder = inner;
  }
  report(holder, path.at(-1) ?? 'id', message);
}
