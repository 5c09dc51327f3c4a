/**
 * The URL that a text is, by itself or from a base; undefined where it is none. `URL.canParse` does not do: in Node.js 20
 * it refuses texts with letters such as ü as soon as it is compiled, some thousand calls later.
 */
export function readUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
