import { type VNode } from 'preact';
import { type Reader } from '../reader.js';

/** An instant as the reader writes it, in the time zone of the workspace: browsers put their own in its place. */
export function Instant({ at, to, timeZone, isShort = false }: InstantProps): VNode {
  const style = isShort ? 'short' : 'medium';
  const format = new Intl.DateTimeFormat(to.locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return (
    <time dateTime={at.toISOString()} data-controller="time" data-time-style-value={style}>
      {isShort ? since(at, to.locale) : format.format(at)}
    </time>
  );
}

interface InstantProps {
  readonly at: Date;
  readonly to: Pick<Reader, 'locale'>;
  readonly timeZone: string;
  /** How long ago, rather than when. */
  readonly isShort?: boolean;
}

/** A day of the calendar, whose time zone nobody asks for. */
export function Day({ day, to }: { readonly day: string; readonly to: Pick<Reader, 'locale'> }): VNode {
  const format = new Intl.DateTimeFormat(to.locale, { dateStyle: 'medium', timeZone: 'UTC' });
  return <time dateTime={day}>{format.format(new Date(`${day}T00:00:00Z`))}</time>;
}

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Such as `3 hours ago`. */
function since(at: Date, locale: string): string {
  const seconds = (at.getTime() - Date.now()) / 1000;
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return format.format(Math.round(seconds / length), unit);
}
