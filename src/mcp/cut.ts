import { invalidField } from '../lib/field-errors.js';
import { readStretch, type Stretch } from '../http/paged-list.js';
import { type TaskList } from '../http/replies.js';
import { type Next, type Structured } from './tool.js';

/** A value of a result: an element of the list `at`, or the member `key` of the object `at`. */
export interface Item {
  readonly at: string;
  readonly key?: string;
  readonly value: unknown;
}

/** As much of a result as it has room for. */
export interface Part {
  /** With the paths of what is too long for a result. */
  readonly shown: { readonly values: Structured; readonly left_out?: readonly string[] };
  /** How many items it holds or names. */
  readonly count: number;
}

/** Bytes of the values of a result; with our sentences and the next call it is 8 kB at most. */
const ROOM = 6000;
/** Bytes of the arguments that a next call repeats. */
const REPEATED = 1000;

export const bytesOf = (value: unknown): number =>
  value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));

/** The first of these items, as many as there is room for; a value that is too long by itself is left out, and named. */
export function firstOf(items: readonly Item[]): Part {
  const lists = new Map<string, unknown[]>();
  const objects = new Map<string, [string, unknown][]>();
  const leftOut: string[] = [];
  let room = ROOM;
  let count = 0;
  for (const { at, key, value } of items) {
    const shown = shortened(value, ROOM - 200, key ?? at);
    const size = bytesOf(shown.value) + bytesOf(key ?? '') + bytesOf(shown.leftOut) + 4;
    if (size > room && count > 0) break;
    room -= size;
    count += 1;
    leftOut.push(...shown.leftOut);
    if (shown.value === undefined) continue;
    if (key === undefined) lists.set(at, [...(lists.get(at) ?? []), shown.value]);
    else objects.set(at, [...(objects.get(at) ?? []), [key, shown.value]]);
  }
  const members = Array.from(objects, ([at, all]) => [at, Object.fromEntries(all)] as const);
  const values: Structured = Object.fromEntries<unknown>([...members, ...lists]);
  return { count, shown: { values, ...(leftOut.length > 0 && { left_out: leftOut }) } };
}

interface Shortened {
  readonly value: unknown;
  /** The paths of what is missing. */
  readonly leftOut: readonly string[];
}

/** A value without the longest of what it holds, until the rest has room; no text is cut. */
function shortened(value: unknown, room: number, path: string): Shortened {
  if (bytesOf(value) <= room) return { value, leftOut: [] };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { value: undefined, leftOut: [nameOf(path)] };
  const kept = new Map<string, unknown>(Object.entries(value));
  const leftOut: string[] = [];
  const bySize = [...kept.keys()].sort((a, b) => bytesOf(kept.get(b)) - bytesOf(kept.get(a)));
  for (const key of bySize) {
    const over = bytesOf(Object.fromEntries(kept)) + bytesOf(leftOut) - room;
    if (over <= 0) break;
    if (leftOut.length === MAX_NAMED) return { value: undefined, leftOut: [nameOf(path)] };
    const inner = shortened(kept.get(key), Math.max(0, bytesOf(kept.get(key)) - over), key);
    if (inner.value === undefined) kept.delete(key);
    else kept.set(key, inner.value);
    leftOut.push(...inner.leftOut);
  }
  return { value: Object.fromEntries(kept), leftOut };
}

const MAX_NAMED = 20;
const nameOf = (path: string): string => path.slice(0, 100).toWellFormed();

/** A part of these items behind the place that `after` names, and the place behind it, if there is more. */
export function partOf(items: readonly Item[], after = '0'): Part & { readonly next: string | undefined } {
  const begin = /^\d{1,6}$/.test(after) ? Number(after) : NaN;
  if (!(begin <= items.length)) throw invalidField('after', notACursor);
  const part = firstOf(items.slice(begin));
  const end = begin + part.count;
  return { ...part, next: end < items.length ? String(end) : undefined };
}

const notACursor = 'is not a cursor of this tool; take it from `next`';

/** Reads a page of a list that has room in a result, by asking for less where it has not. */
export async function partOfPage(
  at: string,
  limit: number,
  read: (limit: number) => Promise<TaskList>,
): Promise<Part & { readonly next: string | undefined }> {
  for (let most = limit; ;) {
    const page = await readWithin(await read(most), most === 1 ? Infinity : MAX_READ);
    const part = page && firstOf(page.shown.map((value) => ({ at, value })));
    if (page && part && part.count === page.shown.length) return { ...withList(at, part), next: page.next };
    most = part ? part.count : Math.ceil(most / 4);
  }
}

/** A part that has this list, be it empty. */
export function withList(at: string, { shown, count }: Part): Part {
  return { count, shown: { ...shown, values: { [at]: [], ...shown.values } } };
}

/** Characters of a page, most of which nobody would see. */
const MAX_READ = 1_000_000;

async function readWithin(list: TaskList, most: number): Promise<Stretch<unknown> | undefined> {
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of list.texts) {
    length += piece.length;
    if (length > most) return undefined;
    pieces.push(piece);
  }
  const texts = asTheyCome(pieces);
  return readStretch({ ...list, texts });
}

// eslint-disable-next-line @typescript-eslint/require-await -- as they come of a list
async function* asTheyCome(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

/** The call that leads on behind this cursor. */
export function onward(tool: string, given: Structured, after: string | undefined): { next?: Next } {
  if (after === undefined) return {};
  const repeated = bytesOf(given) > REPEATED ? {} : given;
  return { next: { tool, arguments: { ...repeated, after } } };
}
