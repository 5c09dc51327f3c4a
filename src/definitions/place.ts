/** Where a mapping or list of a definition stands in its file. */
export interface Place {
  readonly path: string;
  readonly line: number;
  /** By key or index. */
  readonly entries: ReadonlyMap<string | number, Entry>;
}

export interface Entry {
  readonly line: number;
  /** What a number looks like in the file, digit by digit. */
  readonly digits?: string;
}

// Kept beside the values, so that a definition from a file and a stored one are the same plain objects.
const places = new WeakMap<object, Place>();

/** Where this object stands, if it came from a file. */
export function placeOf(object: object): Place | undefined {
  return places.get(object);
}

export function setPlace(object: object, place: Place): void {
  places.set(object, place);
}

/** Says that `made` was read from where `source` stands. */
export function takePlace<T extends object>(source: object, made: T): T {
  const place = places.get(source);
  if (place) places.set(made, place);
  return made;
}

/** Appends a key or an index to a path: `workflows[0].set["Closed On"]`. */
export function join(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
