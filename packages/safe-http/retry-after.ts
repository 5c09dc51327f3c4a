/** The milliseconds that a `Retry-After` asks for: whole seconds, or a date of HTTP; anything else asks for nothing. */
export function retryAfterMs(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const isDate = /^[A-Z][a-z]+, .* GMT$/.test(text);
  return (isDate && Date.parse(text) - Date.now()) || 0;
}
