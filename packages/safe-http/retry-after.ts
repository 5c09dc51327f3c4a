/** Converts a `Retry-After` (seconds or an HTTP date) to milliseconds. Returns 0 for any other text. */
export function retryAfterMs(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const isDate = /^[A-Z][a-z]+, .* GMT$/.test(text);
  return (isDate && Date.parse(text) - Date.now()) || 0;
}
