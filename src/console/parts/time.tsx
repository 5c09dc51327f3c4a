import { LRUCache } from 'lru-cache';
import { type VNode } from 'preact';
import { todayIn } from '../../common/calendar.js';
import { useAnybody, useReader, type SignedIn } from '../reader.js';
import { instantOf, localAt, zoneOf } from '../../workflows/time/zone.js';

export function Instant({ at, timeZone, isShort = false }: InstantProps): VNode {
  const reader = useReader();
  const written = writeInstant(at, { locale: reader.locale, timeZone: timeZone ?? reader.timeZone });
  return (
    <time dateTime={at.toISOString()} title={isShort ? written : undefined}>
      {isShort ? since(at, reader) : written}
    </time>
  );
}

interface InstantProps {
  readonly at: Date;
  /** The time zone; the reader's by default. */
  readonly timeZone?: string | undefined;
  /** Whether to show the time since the instant instead of the instant itself. */
  readonly isShort?: boolean;
}

/** A calendar day, independent of time zones. */
export function Day({ day }: { readonly day: string }): VNode {
  const reader = useAnybody();
  return <time dateTime={day}>{writeDay(day, reader.locale, 'medium')}</time>;
}

/** A day, without the year if it is in the current year. */
export function shortDay(
  day: string,
  { locale, timeZone, now }: Pick<SignedIn, 'locale' | 'timeZone' | 'now'>,
): string {
  const isThisYear = day.slice(0, 4) === todayIn(timeZone, now).slice(0, 4);
  return writeDay(day, locale, isThisYear ? 'short' : 'medium');
}

export function writeInstant(at: Date, { locale, timeZone }: Pick<SignedIn, 'locale' | 'timeZone'>): string {
  return formatOf(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(at);
}

/** A calendar day in the reader's format. The style `short` has no year. */
export function writeDay(day: string, locale: string, style: 'medium' | 'short'): string {
  return formatOf(locale, { ...styles[style], timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`));
}

// Each `dateStyle` includes the year, so `short` lists the parts that it shows.
const styles = { medium: { dateStyle: 'medium' }, short: { month: 'short', day: 'numeric' } } as const;

// Creating a format takes as long as using it a hundred times, so formats are cached. Readers choose their
// locales and zones, so the cache is limited.
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });

export function formatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = JSON.stringify([locale, options]);
  const format = formats.get(name) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(name, format);
  return format;
}

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** The time since an instant, such as `3 hours ago`. */
function since(at: Date, { locale, now }: Pick<SignedIn, 'locale' | 'now'>): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return format.format(Math.round(seconds / length), unit);
}

/** The local time of an instant: `2026-03-31T18:00`, with seconds and milliseconds only if they are not 0. */
export function localTimeIn(timeZone: string, at: Date): string {
  const time = new Date(localAt(zoneOf(timeZone), at.getTime())).toISOString();
  return time.slice(0, 23).replace(/(?::00)?\.000$/, '');
}

/** The instant of a local time in a time zone. If the text is not a local time, returns it unchanged. */
export function instantAt(timeZone: string, time: string): string {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(time);
  const local = Date.parse(isTime ? `${time}Z` : '');
  return Number.isNaN(local) ? time : new Date(instantOf(zoneOf(timeZone), local)).toISOString();
}
