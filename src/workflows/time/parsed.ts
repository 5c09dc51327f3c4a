/** A fault in a part of a source. The path leads to the part, and is empty for the whole source. */
export interface PlacedFault {
  readonly path: readonly (string | number)[];
  /** A lower-case predicate in English, which follows the name of the part. */
  readonly message: string;
}

/** The parsed value, or all faults. */
export type Parsed<T> =
  | { readonly value: T; readonly refusals?: never }
  | { readonly value?: never; readonly refusals: readonly PlacedFault[] };

/** Makes a fault of a whole text, with an empty path. */
export function refused(message: string): { readonly refusals: readonly [PlacedFault] } {
  return { refusals: [{ path: [], message }] };
}

/** Puts the path of a part before the path of each fault in this part. */
export function within(path: PlacedFault['path'], refusals: readonly PlacedFault[] = []): PlacedFault[] {
  return refusals.map(({ path: inner, message }) => ({ path: [...path, ...inner], message }));
}
