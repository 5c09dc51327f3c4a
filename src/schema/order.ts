/** How the values of a key are ordered; blank is ordered only where a list ranks it. */
export type Order =
  /** By code point, as a decimal number, or as an instant in its canonical spelling. */
  | { readonly by: 'text' | 'number' | 'time' }
  /** By place in this list; what is not in it stands behind. */
  | { readonly by: 'rank'; readonly ranks: readonly Ranked[] }
  /** An array of what this list ranks, member by member. */
  | { readonly by: 'ranks'; readonly ranks: readonly string[] };

export type Ranked = string | number | true | null;
