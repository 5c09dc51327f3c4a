import { join, placeOf } from './place.js';

/** One reason to refuse a definition. */
export interface Fault {
  /** Such as `workflows[0].fields[3].type`; `stored: …` where it is not from the file. */
  readonly path: string;
  /** In the file; absent for what is only stored. */
  readonly line?: number;
  /** Reads after the path. */
  readonly message: string;
}

/** A definition is refused; `message` has a line for each fault, `file:line: path: message`. */
export class DefinitionFaults extends Error {
  readonly faults: readonly Fault[];

  constructor(
    readonly file: string,
    faults: readonly Fault[],
  ) {
    const sorted = faults.toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || 0);
    super(sorted.map((fault) => renderFault(file, fault)).join('\n'));
    this.faults = sorted;
  }
}

/** The fault of an entry of an object that came from a file. */
export function faultAt(holder: object, key: string | number, message: string): Fault {
  const place = placeOf(holder);
  return {
    path: join(place?.path ?? '', key),
    line: place?.entries.get(key)?.line ?? place?.line ?? 1,
    message,
  };
}

function renderFault(file: string, { path, line, message }: Fault): string {
  return [...(line === undefined ? [] : [`${file}:${line}`]), ...(path === '' ? [] : [path]), message].join(
    ': ',
  );
}

/** Those faults that do not merely follow from a known one, by standing at its path or within. */
export function withoutShadows(faults: readonly Fault[], known: readonly Fault[]): Fault[] {
  return faults.filter(
    ({ path }) => !known.some((fault) => fault.path === path || isWithin(path, fault.path)),
  );
}

function isWithin(path: string, outer: string): boolean {
  return outer !== '' && (path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`));
}
