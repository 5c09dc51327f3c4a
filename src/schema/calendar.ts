const dayPattern = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Whether a text is a real day of the years 0001 to 9999 as `YYYY-MM-DD` (JavaScript's Date rolls 02-30 over). */
export function isCalendarDay(text: string): boolean {
  const [, year, month, day] = (dayPattern.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  return year >= 1 && day >= 1 && day <= daysIn(month, year);
}

function daysIn(month: number, year: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  if ([4, 6, 9, 11].includes(month)) return 30;
  return month >= 1 && month <= 12 ? 31 : 0;
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
