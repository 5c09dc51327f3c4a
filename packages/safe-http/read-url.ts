/**
 * Parses a URL, absolute or relative to a base. Undefined for an invalid URL. Avoids `URL.canParse`: after
 * some thousand calls, the compiled `canParse` of Node.js 20 refuses texts with letters such as ü.
 */
export function readUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
