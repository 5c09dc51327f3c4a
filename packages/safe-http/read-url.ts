/**
 * The URL of a text, absolute or relative to a base; undefined if it is invalid. `URL.canParse` cannot be used: after
 * some thousand calls it is compiled, and then, in Node.js 20, it refuses texts with letters such as ü.
 */
export function readUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
