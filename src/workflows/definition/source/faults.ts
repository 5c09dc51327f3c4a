import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { join, placeOfValue, setPlace, type SourcePlace } from '../../model/definition-reader.js';
import { kinds } from '../kinds.js';
import { nameKeyOf } from '../merge/identities.js';

@ApiSchema({ name: 'DefinitionFault' })
export class Fault {
  /** `in force, and not in this file: …` for an element that is only stored. */
  @ApiProperty({ description: 'Such as `workflows[0].fields[3].type`; empty for the whole document.' })
  readonly path!: string;

  @ApiPropertyOptional({ type: 'integer', description: 'The line in the body, if it is there.' })
  readonly line?: number;

  @ApiProperty({ description: 'A text that continues the path.' })
  readonly message!: string;
}

/** Reading and checking stop after this many faults. */
export const MAX_FAULTS = 200;

/** The first faults, and a line that counts the others. */
function firstFaults(faults: readonly Fault[]): readonly Fault[] {
  if (faults.length <= MAX_FAULTS) return faults;
  const message = `has more than ${MAX_FAULTS} faults; the others are not listed`;
  return [...faults.slice(0, MAX_FAULTS), { path: '', message }];
}

/** A definition is refused; `message` has a line for each fault, `file:line: path: message`. */
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

/** The fault of an entry of an object that has a place. */
export function faultAt(holder: object, key: string | number, message: string): Fault {
  const place = placeOfValue(holder);
  const { line = place ? place.line : 1 } = place?.entries.get(key) ?? {};
  const path = join(place?.path ?? '', key);
  return { path, ...(line !== undefined && { line }), message };
}

/** The fault as a line: `file:line: path: message`. */
function renderFault(file: string, { path, line, message }: Fault): string {
  return [...(line === undefined ? [] : [`${file}:${line}`]), ...(path === '' ? [] : [path]), message].join(
    ': ',
  );
}

/** The faults without those that merely follow from a known one: at its path or within it. */
export function withoutShadows(faults: readonly Fault[], known: readonly Fault[]): Fault[] {
  return faults.filter(
    ({ path }) => !known.some((fault) => fault.path === path || isWithin(path, fault.path)),
  );
}

function isWithin(path: string, outer: string): boolean {
  return outer !== '' && (path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`));
}

/** The keys by which the elements of these lists are known; in other lists an element is known by its index. */
const nameKeys = new Map(kinds.map((kind) => [kind.list, nameKeyOf(kind)]));

/**
 * Gives a place to every object of a merged definition that has none: within the nearest object of the file around it,
 * or by identities, such as `workflows.vendors.actions.approve.steps[1]`, if it is only stored.
 */
export function placeStored(value: unknown, path = '', around?: SourcePlace, list = ''): void {
  if (typeof value !== 'object' || value === null) return;
  const inFile = placeOfValue(value) ?? around;
  setPlace(value, inFile ?? { path: `in force, and not in this file: ${path}`, entries: new Map() });
  for (const [key, item] of entriesOf(value)) {
    const name = Array.isArray(value) ? nameOf(item, list) : undefined;
    // The file contains a named element as a whole, or not at all.
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
