const dayPattern = /^\d{4}-\d\d-\d\d$/;

/** Whether a text has the form YYYY-MM-DD. The day need not exist: 2026-02-30 has the form, too. */
export const isWrittenAsDay = (text: string): boolean => dayPattern.test(text);

/** Parses a day of the years 0001 to 9999 (`YYYY-MM-DD`) as midnight UTC. Undefined for any other text. */
export function startOfDay(text: string): Date | undefined {
  const start = new Date(dayPattern.test(text) ? text : NaN);
  // `Date` parses 30 February as a day of March.
  const isReal = start.getUTCDate() === Number(text.slice(-2)) && start.getUTCFullYear() > 0;
  return isReal ? start : undefined;
}

/** Today's date in a time zone, as YYYY-MM-DD. */
export function todayIn(timezone: string, now: Date): string {
  const known = days.get(timezone) ?? { format: dayFormat(timezone), at: NaN, day: '' };
  days.set(timezone, known);
  if (known.at !== now.getTime()) {
    known.day = known.format.format(now).padStart('YYYY-MM-DD'.length, '0');
    known.at = now.getTime();
  }
  return known.day;
}

// Caches the formatter of each time zone and its last answer, because rules need today's date for every
// event. Temporal would take ten times as long as the formatter.
const days = new Map<string, { readonly format: Intl.DateTimeFormat; at: number; day: string }>();

const dayFormat = (timeZone: string): Intl.DateTimeFormat =>
  // The locale en-CA formats dates as YYYY-MM-DD.
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
