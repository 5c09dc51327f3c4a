const dayPattern = /^\d{4}-\d\d-\d\d$/;

/** Whether a text is written as a day, which the calendar may not have: 2026-02-30. */
export const isWrittenAsDay = (text: string): boolean => dayPattern.test(text);

/** The moment (UTC) at which a day of the years 0001 to 9999 begins; undefined unless the text is one, `YYYY-MM-DD`. */
export function startOfDay(text: string): Date | undefined {
  const start = new Date(dayPattern.test(text) ? text : NaN);
  // A Date rolls 30 February over to March.
  const isReal = start.getUTCDate() === Number(text.slice(-2)) && start.getUTCFullYear() > 0;
  return isReal ? start : undefined;
}

/** Today's date in a time zone, as YYYY-MM-DD. */
export function todayIn(timezone: string, now: Date): string {
  // Since 1972, days begin at a whole minute in all zones.
  const minute = Math.floor(now.getTime() / 60_000);
  const last = days.get(timezone);
  if (last?.minute === minute) return last.date;
  const date = dateIn(timezone, now);
  days.set(timezone, { minute, date });
  return date;
}

// One entry per zone, of a few hundred: making a format takes as long as using it a hundred times.
const days = new Map<string, { readonly minute: number; readonly date: string }>();

function dateIn(timeZone: string, now: Date): string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]));
  return `${parts.get('year')?.padStart(4, '0') ?? ''}-${parts.get('month') ?? ''}-${parts.get('day') ?? ''}`;
}
