/** What is wrong with a part of what was parsed; its path leads there, and is empty where the whole is meant. */
export interface PlacedFault {
  readonly path: readonly (string | number)[];
  /** A lower-case predicate in English, which reads after the name of the part. */
  readonly message: string;
}

/** What was parsed, or everything that is wrong with it. */
export type Parsed<T> =
  | { readonly value: T; readonly refusals?: never }
  | { readonly value?: never; readonly refusals: readonly PlacedFault[] };

/** A text is refused as a whole. */
export function refused(message: string): { readonly refusals: readonly [PlacedFault] } {
  return { refusals: [{ path: [], message }] };
}

/** Refusals of a part, as those of the whole. */
export function within(path: PlacedFault['path'], refusals: readonly PlacedFault[] = []): PlacedFault[] {
  return refusals.map(({ path: inner, message }) => ({ path: [...path, ...inner], message }));
}
