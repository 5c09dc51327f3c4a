const dayPattern = /^\d{4}-\d\d-\d\d$/;

/** Whether a text has the form of a day, even one that the calendar does not have: 2026-02-30. */
export const isWrittenAsDay = (text: string): boolean => dayPattern.test(text);

/** The instant (UTC) at which a day of the years 0001 to 9999 begins; undefined unless the text is `YYYY-MM-DD`. */
export function startOfDay(text: string): Date | undefined {
  const start = new Date(dayPattern.test(text) ? text : NaN);
  // A Date turns 30 February into a day of March.
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

// Kept because rules ask for the date of every event, and Temporal is ten times slower.
const days = new Map<string, { readonly format: Intl.DateTimeFormat; at: number; day: string }>();

const dayFormat = (timeZone: string): Intl.DateTimeFormat =>
  // English in Canada writes YYYY-MM-DD.
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
