import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { join, placeOfValue, setPlace, type SourcePlace } from '../../model/definition-reader.js';
import { kinds } from '../kinds.js';
import { nameKeyOf } from '../merge/identities.js';

@ApiSchema({ name: 'DefinitionFault' })
export class Fault {
  /** If the element is stored but not in the file, the path begins with `in force, and not in this file:`. */
  @ApiProperty({ description: 'Such as `workflows[0].fields[3].type`; empty for the whole document.' })
  readonly path!: string;

  @ApiPropertyOptional({ type: 'integer', description: 'The line in the body, if the body has the element.' })
  readonly line?: number;

  @ApiProperty({ description: 'The fault, as a phrase that follows the path: `is required`.' })
  readonly message!: string;
}

/** Reading and checking stop after this many faults. */
export const MAX_FAULTS = 200;

/** Cuts a list after `MAX_FAULTS` faults, and adds a fault which says that there are more. */
function firstFaults(faults: readonly Fault[]): readonly Fault[] {
  if (faults.length <= MAX_FAULTS) return faults;
  const message = `has more than ${MAX_FAULTS} faults; the others are not listed`;
  return [...faults.slice(0, MAX_FAULTS), { path: '', message }];
}

/** Thrown for an invalid definition. Each line of `message` is a fault: `file:line: path: message`. */
export class DefinitionFaults extends Error {
  readonly faults: readonly Fault[];

  constructor(
    readonly file: string,
    faults: readonly Fault[],
  ) {
    const inOrder = faults.toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || 0);
    const sorted = firstFaults(inOrder);
    super(sorted.map((fault) => renderFault(file, fault)).join('\n'));
    this.faults = sorted;
  }
}

/** Makes a fault at an entry of an object. The object's `SourcePlace` gives the path and the line. */
export function faultAt(holder: object, key: string | number, message: string): Fault {
  const place = placeOfValue(holder);
  const { line = place ? place.line : 1 } = place?.entries.get(key) ?? {};
  const path = join(place?.path ?? '', key);
  return { path, ...(line !== undefined && { line }), message };
}

/** Renders a fault as one line, in the form `file:line: path: message`. */
function renderFault(file: string, { path, line, message }: Fault): string {
  return [...(line === undefined ? [] : [`${file}:${line}`]), ...(path === '' ? [] : [path]), message].join(
    ': ',
  );
}

/** Leaves out the faults at or within the path of a known fault, because that fault causes them. */
export function withoutShadows(faults: readonly Fault[], known: readonly Fault[]): Fault[] {
  return faults.filter(
    ({ path }) => !known.some((fault) => fault.path === path || isWithin(path, fault.path)),
  );
}

function isWithin(path: string, outer: string): boolean {
  return outer !== '' && (path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`));
}

/**
 * Maps the key of a list to a setting, such as `name`. The value of this setting names an element in a path.
 * If a list is not in the map, the path has the number of the element instead.
 */
const nameKeys = new Map(kinds.map((kind) => [kind.list, nameKeyOf(kind)]));

/**
 * Gives a `SourcePlace` to every object in a merged definition. An object from the file keeps its place, and
 * unnamed objects inside it get places in the file. Any other object gets a path of names:
 * `workflows.vendors.actions.approve.steps[1]`.
 */
export function placeStored(value: unknown, path = '', around?: SourcePlace, list = ''): void {
  if (typeof value !== 'object' || value === null) return;
  const inFile = placeOfValue(value) ?? around;
  setPlace(value, inFile ?? { path: `in force, and not in this file: ${path}`, entries: new Map() });
  for (const [key, item] of entriesOf(value)) {
    const name = Array.isArray(value) ? nameOf(item, list) : undefined;
    // A named element inherits no place: if it is in the file, it has a place of its own.
    const within = name === undefined && inFile ? placeWithin(inFile, key) : undefined;
    placeStored(item, join(path, name ?? key), within, String(key));
  }
}

function placeWithin({ path, line, entries }: SourcePlace, key: string | number): SourcePlace {
  const place = { path: join(path, key), entries: new Map() };
  const known = entries.get(key)?.line ?? line;
  return known === undefined ? place : { ...place, line: known };
}

function entriesOf(value: object): (readonly [string | number, unknown])[] {
  return Array.isArray(value) ? value.map((item: unknown, index) => [index, item]) : Object.entries(value);
}

function nameOf(item: unknown, list: string): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const name = new Map<string, unknown>(Object.entries(item)).get(nameKeys.get(list) ?? '');
  return typeof name === 'string' ? name : undefined;
}
