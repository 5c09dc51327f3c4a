/** An instant as a clock in a time zone shows it, to the minute: `2026-03-31T18:00`. */
export function clockIn(timeZone: string, at: Date): string {
  return isoClock(timeZone, at).slice(0, 16);
}

/** An instant as a clock in a time zone shows it, with its seconds and milliseconds where it has some. */
export function exactClockIn(timeZone: string, at: Date): string {
  return isoClock(timeZone, at)
    .slice(0, 23)
    .replace(/(?::00)?\.000$/, '');
}

function isoClock(timeZone: string, at: Date): string {
  return new Date(at.getTime() + offsetIn(timeZone, at)).toISOString();
}

/** The instant at which a clock in a time zone shows this; a text that is no such time stays as it is. */
export function instantAt(timeZone: string, clock: string): string {
  const asUtc = new Date(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(clock) ? `${clock}Z` : NaN,
  ).getTime();
  if (Number.isNaN(asUtc)) return clock;
  // The offset of the moment that is meant, which may be the other side of a change of the clocks.
  const near = asUtc - offsetIn(timeZone, new Date(asUtc));
  return new Date(asUtc - offsetIn(timeZone, new Date(near))).toISOString();
}

/** Milliseconds by which a zone is ahead of UTC. */
function offsetIn(timeZone: string, at: Date): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '', hours = '0', minutes = '0', seconds = '0'] =
    /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
  const length = (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000;
  return sign === '-' ? -length : length;
}
