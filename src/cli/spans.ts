import { InvalidArgumentError } from 'commander';
import { isCalendarDay } from '../schema/calendar.js';

/** Milliseconds of a span such as `90d`, `12h`, `30m` or `60s`, or of `0`. */
export function parseSpan(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([dhms])$/.exec(text) ?? [];
  const span = text === '0' ? 0 : Number(count) * (units.get(unit) ?? NaN);
  if (Number.isNaN(span)) throw new InvalidArgumentError('It must be a span such as 90d, 12h, 30m or 60s.');
  return span;
}

/** A moment in the future: a span from now, or the beginning of a day (UTC). */
export function parseExpiry(text: string): Date {
  const expiry = new Date(isCalendarDay(text) ? text : Date.now() + parseSpan(text));
  if (expiry.getTime() <= Date.now())
    throw new InvalidArgumentError('It must be a span such as 90d, or a day in the future.');
  return expiry;
}

const units: ReadonlyMap<string, number> = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
]);
