/** The time of a zone as its people read it from the wall, asked of Intl minute by minute: the second opinion of these tests. */
export interface WallTime {
  /** YYYY-MM-DD */
  readonly date: string;
  readonly minuteOfDay: number;
  /** From 0, which is Sunday. */
  readonly weekday: number;
  readonly day: number;
  readonly month: number;
  readonly hour: number;
  readonly minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  formats.set(timeZone, format);
  return format;
}

export function wallTime(timeZone: string, instant: number): WallTime {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  return {
    date: `${of('year')}-${of('month')}-${of('day')}`,
    minuteOfDay: Number(of('hour')) * 60 + Number(of('minute')),
    weekday: weekdays.indexOf(of('weekday')),
    day: Number(of('day')),
    month: Number(of('month')),
    hour: Number(of('hour')),
    minute: Number(of('minute')),
  };
}

/** The date before a date, by UTC alone. */
export function dateBefore(date: string): string {
  return new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
}
