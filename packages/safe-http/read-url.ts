/**
 * The URL of a text, absolute or relative to a base; undefined if it is invalid. `URL.canParse` cannot be used: once
 * it is compiled, after some thousand calls, Node.js 20 refuses texts with letters such as ü.
 */
export function readUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
