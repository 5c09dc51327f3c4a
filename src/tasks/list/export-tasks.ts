import { busy } from '../../common/errors.js';
import { type EntityManager } from 'typeorm';
import { FairSemaphore } from '../../../packages/fair/semaphore.js';
import { type ListedTask } from '../store/task-row.js';
import { type Output } from '../../workflows/fields/field-type.js';
import { JsonText } from '../../../packages/exact-json/json.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { type UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { pauses, TEXT_LENGTH } from '../../../packages/fair/turn.js';
import { type Chunk, ListChunks } from './list-stream.js';
import { type List, readList } from './task-list.js';
import { isLong, linkedTexts, jsonOf } from '../answer-task.js';
import { type Scope } from '../../workflows/model/scope.js';

/** Yields all tasks of a workflow in the order of creation, as lines of JSON or as CSV with a header. */
export async function* exportTasks(
  db: EntityManager,
  work: UnitOfWork,
  scope: Scope,
  { format, hasLinks }: { readonly format: 'ndjson' | 'csv'; readonly hasLinks: boolean },
): AsyncGenerator<string> {
  const names = scope.workflow.schema.properties
    .filter(({ links }) => hasLinks || !links)
    .map(({ name }) => name);
  const query = new URLSearchParams({ _fields: names.join(',') });
  const chunks = new ListChunks(db, work, new FairSemaphore(1, busy('')));
  const first = await chunks.first(readList(scope, { origin: '', path: '', query, isActive: false }));
  if (format === 'csv') {
    yield* csvOf(db, chunks, first);
    return;
  }
  for await (const { list, tasks } of chunks.parts(first))
    for (const task of tasks) yield* jsonLine(db, list, task);
}

/** Yields a list as CSV with a header, in pieces of about 128 kB. The first piece begins with `mark`. */
export async function* csvOf(
  db: EntityManager,
  chunks: ListChunks,
  first: Chunk,
  mark = '',
): AsyncGenerator<string> {
  const { scope, shape } = first.list;
  const line = (cells: readonly string[]): string => csvLine(cells.map(guardCell));
  let text = mark + line(shape.properties.map(({ name }) => name));
  const pause = pauses(scope);
  for await (const { list, tasks } of chunks.parts(first))
    for (const task of tasks) {
      const cells = cellsOf(db, list, task);
      text += line(Array.isArray(cells) ? cells : await cells);
      const waiting = pause();
      if (waiting) await waiting;
      if (text.length < TEXT_LENGTH) continue;
      yield text;
      text = '';
    }
  yield text;
}

async function* jsonLine(
  db: EntityManager,
  { scope, shape }: List,
  task: ListedTask,
): AsyncGenerator<string> {
  const text = jsonOf(db, scope, shape, task);
  if (typeof text === 'string') yield `${text}\n`;
  else {
    yield* text;
    yield '\n';
  }
}

/** Returns a promise only if links must be queried: awaiting every cell takes longer than serializing it. */
function cellsOf(db: EntityManager, list: List, task: ListedTask): string[] | Promise<string[]> {
  if (isLong(task)) return cellsOfLong(db, list, task);
  return list.shape.properties.map((property) => textOfCell(property.serialize(task)));
}

async function cellsOfLong(db: EntityManager, { scope, shape }: List, task: ListedTask): Promise<string[]> {
  const cells: string[] = [];
  for (const property of shape.properties) cells.push(await cellOf(db, scope, property, task));
  return cells;
}

async function cellOf(
  db: EntityManager,
  scope: Scope,
  property: ListedProperty,
  task: ListedTask,
): Promise<string> {
  const { links } = property;
  if (!links) return textOfCell(property.serialize(task));
  let text = '';
  for await (const piece of linkedTexts(db, scope, task.id, links)) text += piece;
  return text;
}

/** Serializes a value as a cell. Semicolons separate plain texts of a list; other complex values are JSON. */
function textOfCell(output: Output | JsonText): string {
  if (output === null) return '';
  if (output instanceof JsonText) return output.text === 'null' ? '' : output.text;
  if (!Array.isArray(output)) return typeof output === 'string' ? output : JSON.stringify(output);
  const isPlain = output.every((item) => typeof item === 'string' && /^[^;[\s]([^;]*[^;\s])?$/.test(item));
  return isPlain ? output.join(';') : JSON.stringify(output);
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

// Matches texts that spreadsheets run as formulas (OWASP, "CSV Injection"). Also matches such texts behind
// apostrophes, so that `unguardCell` undoes `guardCell`.
const formula = /^'*[=+\-@\t\r\n]/;
const guarded = /^'+[=+\-@\t\r\n]/;
const number = /^-\d+(?:\.\d+)?$/;

/** Puts an apostrophe in front of a text that matches `formula`. Negative numbers stay as they are. */
export function guardCell(text: string): string {
  return formula.test(text) && !number.test(text) ? `'${text}` : text;
}

export function unguardCell(cell: string): string {
  return guarded.test(cell) ? cell.slice(1) : cell;
}
