import { join, placeOfValue } from '../../workspace/definition-reader.js';
import { type WorkspaceDefinition } from '../../workspace/definition.js';

/** One reason to refuse a definition, or to warn of it. */
export interface Fault {
  /** Such as `workflows[0].fields[3].type`; `in force, and not in this file: …` where it is not from the file. */
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

/** The fault of an entry of an object that came from a file; `within` is the line of the entry's text, from 0. */
export function faultAt(holder: object, key: string | number, message: string, within?: number): Fault {
  const place = placeOfValue(holder);
  const { line = place?.line ?? 1, textLine } = place?.entries.get(key) ?? {};
  const isWithin = within !== undefined && textLine !== undefined;
  return { path: join(place?.path ?? '', key), line: isWithin ? textLine + within : line, message };
}

/** As a line: `file:line: path: message`. */
export function renderFault(file: string, { path, line, message }: Fault): string {
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

// What the elements of these lists are called by; those of other lists are called by their index.
const identities = new Map([
  ['users', 'email'],
  ['workflows', 'id'],
  ['stages', 'name'],
  ['fields', 'name'],
  ['checklist', 'title'],
  ['roles', 'id'],
  ['members', 'email'],
  ['actions', 'id'],
  ['relationships', 'id'],
  ['webhooks', 'id'],
  ['channels', 'id'],
  ['rules', 'id'],
  ['clocks', 'id'],
  ['schedules', 'id'],
  ['calendars', 'id'],
]);

/** How every object of a definition is called by identity: `workflows.vendors.actions.approve.steps[1]`. */
export function pathsOf(definition: WorkspaceDefinition): ReadonlyMap<object, string> {
  const paths = new Map<object, string>();
  note(definition, '', '', paths);
  return paths;
}

function note(value: unknown, path: string, list: string, paths: Map<object, string>): void {
  if (typeof value !== 'object' || value === null) return;
  paths.set(value, path);
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      note(item, join(path, nameOf(item, list) ?? index), '', paths);
    });
  } else {
    for (const [key, item] of Object.entries(value)) note(item, join(path, key), key, paths);
  }
}

function nameOf(item: unknown, list: string): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const name = new Map<string, unknown>(Object.entries(item)).get(identities.get(list) ?? '');
  return typeof name === 'string' ? name : undefined;
}
