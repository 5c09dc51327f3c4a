/** Headers that callers may not set: those that frame a message, and the host, whose address has been checked. */
export const framingHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
