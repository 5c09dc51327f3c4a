/** Milliseconds after which who asks to be left alone for longer is left alone for good. */
const longestMs = 300_000;

/** Milliseconds to wait after so many tries: longer each time, and what `Retry-After` asks for; undefined is for ever. */
export function pauseAfter(tries: number, retryAfter: string | undefined): number | undefined {
  // Apart by chance, so that many do not come back as one; never so far that a gap is shorter than the one before.
  const ownMs = Math.min(500 * 2 ** (tries - 1), 60_000) * (0.75 + Math.random() / 2);
  const pauseMs = Math.max(ownMs, askedMs(retryAfter ?? ''));
  return pauseMs > longestMs ? undefined : pauseMs;
}

/** Whole seconds, or a date of HTTP; anything else asks for nothing. */
function askedMs(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const isDate = /^[A-Z][a-z]+, .* GMT$/.test(text);
  return (isDate && Date.parse(text) - Date.now()) || 0;
}
