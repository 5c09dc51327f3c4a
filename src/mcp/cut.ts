import { invalidField } from '../common/field-errors.js';
import { readStretch } from '../common/http/paged-list.js';
import { type TaskList } from '../common/http/replies.js';
import { type Next, type Structured } from './tool.js';

/** A part of a result: an element of the list `at`, or the member `key` of the object `at`. */
export interface Item {
  readonly at: string;
  readonly key?: string;
  readonly value: unknown;
}

export interface Part {
  /** The values, with the paths of values that are too long for a result. */
  readonly shown: { readonly values: Structured; readonly left_out?: readonly string[] };
  /** How many items it contains or names as left out. */
  readonly count: number;
}

/** The bytes for the values of a result. With the sentences and the next call, a result has at most 8 kB. */
const ROOM = 6000;
/** The bytes for arguments that a next call repeats. */
const REPEATED = 1000;

export const bytesOf = (value: unknown): number =>
  value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));

/** The first items that fit. A value that is too long by itself is left out, and its path is given. */
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
  readonly leftOut: readonly string[];
}

/** The value without its longest members, so that it fits. No text is cut. */
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

/** The items from the place `after` that fit, and the place of the next item, if there is one. */
export function partOf(items: readonly Item[], after = '0'): Part & { readonly next: string | undefined } {
  const begin = /^\d{1,6}$/.test(after) ? Number(after) : NaN;
  if (!(begin <= items.length)) throw invalidField('after', notACursor);
  const part = firstOf(items.slice(begin));
  const end = begin + part.count;
  return { ...part, next: end < items.length ? String(end) : undefined };
}

const notACursor = 'is not a cursor of this tool; take it from `next`';

/** Reads a page of a list that fits into a result. It asks for fewer elements until the page fits. */
export async function partOfPage(
  at: string,
  limit: number,
  read: (limit: number) => Promise<TaskList>,
): Promise<Part & { readonly next: string | undefined }> {
  for (let most = limit; ;) {
    const page = await readStretch(await read(most), most === 1 ? Infinity : MAX_READ);
    const part = page && firstOf(page.shown.map((value) => ({ at, value })));
    if (page && part && part.count === page.shown.length) return { ...withList(at, part), next: page.next };
    most = part ? part.count : Math.ceil(most / 4);
  }
}

/** The part with this list, even if the list is empty. */
export function withList(at: string, { shown, count }: Part): Part {
  return { count, shown: { ...shown, values: { [at]: [], ...shown.values } } };
}

/** The most characters that are read of a page. Of a longer page, only a small part would be shown anyway. */
const MAX_READ = 1_000_000;

export function onward(tool: string, given: Structured, after: string | undefined): { next?: Next } {
  if (after === undefined) return {};
  const repeated = bytesOf(given) > REPEATED ? {} : given;
  return { next: { tool, arguments: { ...repeated, after } } };
}
