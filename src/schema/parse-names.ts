import { excerpt } from '../quote.js';
import { Invalid } from './invalid.js';

/** Reads lists of names with commas between them; a name may hold commas itself, the longest that is known counts. */
export function parseNames(lists: readonly string[], known: readonly string[]): string[] | Invalid {
  const names = new Set(known);
  const mostParts = Math.max(...known.map((name) => name.split(',').length));
  const found: string[] = [];
  for (const list of lists) {
    const parts = list.split(',');
    for (let at = 0; at < parts.length;) {
      const length = lengthOfName(parts.slice(at, at + mostParts), names);
      if (length === 0)
        return new Invalid(`names what is not a field of this workflow: ${excerpt(parts[at] ?? '')}`);
      found.push(parts.slice(at, at + length).join(','));
      at += length;
    }
  }
  return found;
}

/** How many of the parts make up the longest name that begins with them. */
function lengthOfName(parts: readonly string[], names: ReadonlySet<string>): number {
  for (let length = parts.length; length > 0; length -= 1)
    if (names.has(parts.slice(0, length).join(','))) return length;
  return 0;
}
