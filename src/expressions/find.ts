/**
 * Where a text first stands in another from some place on, -1 where it does not. Takes time in proportion to both (Knuth,
 * Morris and Pratt), where the search of the engine may take their product.
 */
export class Finder {
  /** Of each beginning of the wanted text, how much of its end is a beginning too. */
  private readonly borders: Int32Array;

  constructor(private readonly wanted: string) {
    const borders = new Int32Array(wanted.length);
    for (let at = 1, matched = 0; at < wanted.length; at += 1) {
      const code = wanted.charCodeAt(at);
      while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
      if (wanted.charCodeAt(matched) === code) matched += 1;
      borders[at] = matched;
    }
    this.borders = borders;
  }

  first(text: string, from = 0): number {
    return this.find(text, from, text.length, false);
  }

  /** Where it last begins, at this place or before. */
  last(text: string, from = text.length): number {
    return this.find(text, 0, Math.min(from + this.wanted.length, text.length), true);
  }

  private find(text: string, from: number, end: number, isLast: boolean): number {
    const { wanted, borders } = this;
    const { length } = wanted;
    if (length === 0) return isLast ? end : from;
    let found = -1;
    for (let at = from, matched = 0; at < end; at += 1) {
      const code = text.charCodeAt(at);
      while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
      if (wanted.charCodeAt(matched) === code) matched += 1;
      if (matched < length) continue;
      found = at - length + 1;
      if (!isLast) break;
      matched = borders[length - 1] ?? 0;
    }
    return found;
  }
}
