import { type PlacedFault } from '../../calendars/parsed.js';
import { parseCalendar } from '../../calendars/parse-calendar.js';
import { type CalendarDefinition } from '../calendar-definition.js';
import { checkDistinct, type Report, type WorkspaceScope } from './kit.js';

/** Reports faults in the calendars of a workspace. */
export function checkCalendars({ definition: { calendars } }: WorkspaceScope, report: Report): void {
  for (const calendar of calendars)
    for (const fault of parseCalendar(calendar).refusals ?? []) reportWithin(calendar, fault, report);
  const ids = calendars.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another calendar', report);
}

/** Reports a fault at its place in the calendar. */
function reportWithin(calendar: CalendarDefinition, { path, message }: PlacedFault, report: Report): void {
  let holder: object = calendar;
  for (const key of path.slice(0, -1)) {
    const inner: unknown = Reflect.get(holder, key);
    if (typeof inner === 'object' && inner !== null) holder = inner;
  }
  report(holder, path.at(-1) ?? 'id', message);
}
