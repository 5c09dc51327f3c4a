import { type VNode } from 'preact';
import { todayIn } from '../../common/calendar.js';
import { type TaskView } from '../../workflows/fields/task-view.js';
import { useReader, type SignedIn } from '../reader.js';
import { Badge } from './badge.js';
import { formatOf, shortDay } from './time.js';
import { Icon } from './icon.js';

const OverdueBadge = (): VNode => (
  <Badge tone="bad">
    <Icon name="warning" /> Overdue
  </Badge>
);

/** Marks an overdue task in places that do not show the deadline. */
export function OverdueMark({ task: { dueAt } }: { readonly task: Pick<TaskView, 'dueAt'> }): VNode | null {
  const { now } = useReader();
  if (!dueAt || dueAt > now) return null;
  return (
    <>
      {' '}
      <OverdueBadge />
    </>
  );
}

/** The day of an open task's deadline, with a badge if the deadline is past or today. */
export function DueTime({ at }: { readonly at: Date }): VNode {
  const reader = useReader();
  const { timeZone, now } = reader;
  const [day, today] = [dueDay(timeZone, at), todayIn(timeZone, now)];
  return (
    <span class={day < today ? 'row-due late' : 'row-due'}>
      {at <= now && <OverdueBadge />}
      {at > now && day === today && (
        <Badge tone="waiting">
          <Icon name="time" /> Due today
        </Badge>
      )}{' '}
      <time dateTime={day}>{shortDay(day, reader)}</time>
    </span>
  );
}

/** The day of a deadline. A deadline at the end of a day belongs to that day, not to the next. */
export function dueDay(timeZone: string, at: Date): string {
  return todayIn(timeZone, new Date(at.getTime() - 1));
}

/** A deadline in words: `2 days late`, `today, 17:00`, `tomorrow`, `in 3 days`, `5 Mar`. */
export function dueInWords(reader: SignedIn, at: Date, isLate: boolean): string {
  const { locale, timeZone, now } = reader;
  const day = dueDay(timeZone, at);
  const days = (Date.parse(day) - Date.parse(todayIn(timeZone, now))) / DAY_MS;
  if (isLate) return `${timeSince(days, now.getTime() - at.getTime(), locale)} late`;
  if (days > 6) return shortDay(day, reader);
  const word = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day');
  // A deadline at midnight is the end of the day, and is shown without a time.
  if (days > 0 || todayIn(timeZone, at) !== day) return word;
  return `${word}, ${formatOf(locale, { timeStyle: 'short', timeZone }).format(at)}`;
}

/**
 * Writes in days how late a task is. On the day of the deadline, writes hours or minutes instead, at least
 * one minute.
 */
function timeSince(days: number, ms: number, locale: string): string {
  const [unit, count] =
    days < 0 ? ['day', -days] : ms >= HOUR_MS ? ['hour', Math.floor(ms / HOUR_MS)] : ['minute', Math.max(1, Math.floor(ms / 60_000))]; // prettier-ignore
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
