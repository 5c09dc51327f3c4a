import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { readLines } from '../common/ndjson.js';
import { JsonRefusal, readJson } from '../../packages/exact-json/read-json.js';
import { toNfc } from '../../packages/exact-json/nfc.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { unguardCell } from '../tasks/list/export-tasks.js';
import {
  type BatchRow,
  MAX_LINE_BYTES,
  Unread,
  rowsOfLines,
  type RowOutcome,
} from '../tasks/batch/batch-row.js';
import { type Json, type JsonObject } from '../../packages/exact-json/json.js';
import { type Property } from '../workflows/fields/property.js';
import { meantInBrackets } from '../common/did-you-mean.js';
import { plural } from '../common/wording.js';
import { blankTask, type TaskView } from '../workflows/fields/task-view.js';
import { sentencesOf } from '../common/field-errors.js';
import { english } from '../common/message.js';
import { isBlankText } from '../common/text.js';

/** Reads a `.csv` or NDJSON file. From CSV, removes the apostrophes that exports put before formulas. */
export function readRows(path: string, schema: TaskSchema): AsyncIterable<readonly BatchRow[]> {
  const bytes = createReadStream(path);
  return /\.csv$/i.test(path) ? csvRows(bytes, schema) : lineRows(bytes);
}

/** Counts the rows of a file. Throws for an error of the whole file, such as a missing header row. */
export async function countRows(path: string, schema: TaskSchema): Promise<number> {
  let count = 0;
  for await (const rows of readRows(path, schema)) count += rows.length;
  return count;
}

async function* lineRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<BatchRow[]> {
  let next = 1;
  for await (const lines of readLines(bytes, MAX_LINE_BYTES)) {
    const [first] = lines;
    if (
      next === 1 &&
      first instanceof Uint8Array &&
      /^\ufeff?\s*\[/.test(Buffer.from(first.subarray(0, 99)).toString())
    )
      throw new Error(
        "it is a JSON array, not lines of JSON: `jq -c '.[]'` writes each of its tasks on a line",
      );
    const rows = await rowsOfLines(lines, next);
    next += rows.length;
    yield rows;
  }
}

async function* csvRows(
  bytes: ReturnType<typeof createReadStream>,
  schema: TaskSchema,
): AsyncGenerator<BatchRow[]> {
  const records = Readable.from(textOf(bytes)).compose(parse(ofSpreadsheets)) as AsyncIterable<string[]>;
  const textsOf = (cells: readonly string[]): readonly string[] => cells.map(unguardCell).map(toNfc);
  let header: ReturnType<typeof readHeader> | undefined;
  let rows: BatchRow[] = [];
  let next = 1;
  for await (const cells of read(records)) {
    if (!header) {
      header = readHeader(schema, textsOf(cells));
      continue;
    }
    rows.push({ row: next++, content: contentOf(header, textsOf(cells)) });
    if (rows.length < MAX_ROWS) continue;
    yield rows;
    rows = [];
  }
  if (!header) throw new Error('it has no header row');
  if (rows.length > 0) yield rows;
}

const MAX_ROWS = 500;

/** Decodes UTF-8. Throws for other encodings, because decoding them as UTF-8 would give wrong letters. */
async function* textOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const part of bytes) yield decoder.decode(part, { stream: true });
    yield decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? new Error('it is not UTF-8: save it as "CSV UTF-8"') : error;
  }
}

/** Options for CSV from spreadsheets, which write rows without values as lines of commas. */
const ofSpreadsheets = {
  relax_column_count: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
} as const;

async function* read(records: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  try {
    yield* records;
  } catch (error) {
    throw error instanceof CsvError ? new Error(`it is not valid CSV: ${error.message}`) : error;
  }
}

function contentOf(header: ReturnType<typeof readHeader>, cells: readonly string[]): BatchRow['content'] {
  const used = cells.findLastIndex((cell, at) => !isBlankText(cell) || at < header.length) + 1;
  return used === header.length
    ? payloadOf(header, cells)
    : new Unread(`The row has ${plural(used, 'value')}, the header ${header.length}.`);
}

export interface CsvColumn {
  readonly property: Property;
  /** Whether the values are arrays, checkboxes or single values. */
  readonly holds: 'list' | 'tick' | 'one';
}

/**
 * Parses the header of a CSV file. Skips unnamed columns at the end, because spreadsheets write them. Throws
 * if another column has no name or an unknown name, or appears twice.
 */
function readHeader({ byName, stages }: TaskSchema, cells: readonly string[]): readonly CsvColumn[] {
  const names = cells.slice(0, cells.findLastIndex((name) => !isBlankText(name)) + 1);
  const unnamed = names.findIndex(isBlankText) + 1;
  if (unnamed > 0) throw new Error(`its column ${unnamed} has no name: name a field, or delete the column`);
  checkNames(names, [...byName.keys()]);
  const repeated = names.filter((name, at) => names.indexOf(name) !== at);
  if (repeated.length > 0) throw new Error(`it has two columns with the same name: ${repeated.join(', ')}`);
  const blank = { ...blankTask, stageId: stages.initial.id, linked: [] };
  return names.flatMap((name) => {
    const property = byName.get(name);
    return property ? { property, holds: kindOf(property, blank) } : [];
  });
}

function checkNames(names: readonly string[], known: readonly string[]): void {
  const unknown = names.filter((name) => !known.includes(name));
  const [only = ''] = names;
  if (names.length === 1 && unknown.length === 1 && /[;\t]/.test(only))
    throw new Error(`it has semicolons or tabs between its columns: save it with commas (RFC 4180)`);
  if (unknown.length === 0) return;
  const told = unknown.map((name) => name + meantInBrackets(name, known));
  throw new Error(`it has columns that are not fields of the workflow: ${told.join(', ')}`);
}

function kindOf(property: Property, blank: TaskView): CsvColumn['holds'] {
  const nothing = property.serialize(blank);
  if (property.links?.isMultiple ?? Array.isArray(nothing)) return 'list';
  return nothing === false ? 'tick' : 'one';
}

/**
 * Converts a row to a payload. A blank cell gives null or an empty list, but a blank `Stage` is omitted.
 * Semicolons separate options, or Unique IDs of linked tasks. Lists and links can also be JSON.
 */
function payloadOf(header: readonly CsvColumn[], cells: readonly string[]): JsonObject {
  const payload = new Map<string, Json>();
  for (const [at, column] of header.entries()) {
    const cell = cells[at] ?? '';
    // A task always has a stage, so a blank cell does not change the stage.
    if (!isBlankText(cell) || column.property.name !== 'Stage')
      payload.set(column.property.name, valueOf(column, cell));
  }
  return payload;
}

function valueOf({ property: { links }, holds }: CsvColumn, cell: string): Json {
  if (isBlankText(cell)) return holds === 'list' ? [] : null;
  // Spreadsheets write TRUE and FALSE in capitals.
  if (holds === 'tick') return cell.toLowerCase();
  if (links ? /^(?:[[{]|null$)/.test(cell) : holds === 'list' && cell.startsWith('[')) return jsonOf(cell);
  if (!links) return holds === 'list' ? partsOf(cell) : cell;
  const reference = (id: string): Json => new Map([[links.uniqueId() ?? '', id]]);
  return holds === 'list' ? partsOf(cell).map(reference) : reference(cell);
}

function partsOf(cell: string): string[] {
  return cell.split(';').map((part) => part.trim());
}

/** Keeps invalid JSON as text, so that it is reported together with the other errors of the row. */
function jsonOf(cell: string): Json {
  try {
    return readJson(Buffer.from(cell), limits);
  } catch (error) {
    if (error instanceof JsonRefusal) return cell;
    throw error;
  }
}

const limits = { depth: 32, keys: 2000 };

export function reasonOfRejection({ errors = [] }: RowOutcome): string {
  return sentencesOf(errors).map(english).join('; ');
}
