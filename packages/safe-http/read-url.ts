/**
 * Parses a URL, absolute or relative to a base. Undefined for an invalid URL. Avoids `URL.canParse`: in
 * Node.js 20, after some thousand calls, its compiled form refuses texts with letters such as ü.
 */
export function readUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
