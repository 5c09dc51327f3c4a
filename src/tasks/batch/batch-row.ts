import { type InvalidFields, FieldErrors } from '../../common/field-errors.js';
import { type Asker } from '../../workflows/fields/protection.js';
import { type RowStatus } from '../store/bulk-upsert.js';
import { type JsonObject, type Json } from '../../../packages/exact-json/json.js';
import { Refusal } from '../../common/errors.js';
import { parseJson } from '../../common/http/read-body.js';
import { type Line, tooLong } from '../../common/ndjson.js';
import { turn } from '../../../packages/fair/turn.js';
import { english } from '../../common/message.js';
import { type PublicName } from '../../workflows/model/task-name.js';
import { Invalid } from '../../workflows/fields/invalid.js';
import { emptyChange } from '../../workflows/fields/task-change.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';

export const MAX_LINE_BYTES = 2 * 2 ** 20;

export interface BatchRow {
  /** The number of the row, counted from 1. */
  readonly row: number;
  readonly content: JsonObject | Unread;
  /** Whether an action or a payload changes the task; `payload` by default. */
  readonly from?: Asker;
  /** The task to change, if the row cannot name it by a Unique ID. A row with `of` never creates a task. */
  readonly of?: { readonly task: PublicName; readonly states: readonly string[] };
}

export class Unread {
  constructor(readonly reason: string) {}
}

export type RowOutcome = {
  readonly row: number;
  /** Null if the task has no Unique ID, or if a refused row contains no valid Unique ID. */
  readonly uniqueId: string | null;
  /** The version of the task, if the row was written alone; absent for deletions and errors. */
  readonly version?: number;
} & (
  | { readonly status: RowStatus | 'deleted'; readonly errors?: never }
  | { readonly status: 'error'; readonly errors: InvalidFields['fields'] }
);

export function lineOfOutcome({ row, status, uniqueId, errors }: RowOutcome): string {
  const head = `{"row":${row},"status":"${status}","unique_id":${JSON.stringify(uniqueId)}`;
  return `${head}${errors ? errorsMember(errors) : ''}}\n`;
}

function errorsMember(errors: InvalidFields['fields']): string {
  // The JSON is built as text: an object would lose the key `__proto__` and reorder keys such as `10`.
  const fields = errors.map(([name, all]) => `${JSON.stringify(name)}:${JSON.stringify(all.map(english))}`);
  return `,"errors":{${fields.join(',')}}`;
}

/** Parses lines into rows; the first row has the number `row`. Invalid JSON invalidates only its own row. */
export async function rowsOfLines(lines: readonly Line[], row: number): Promise<BatchRow[]> {
  const rows: BatchRow[] = [];
  for (const line of lines) {
    rows.push(rowOfLine(row + rows.length, line));
    if (rows.length % TURN_ROWS === 0) await turn();
  }
  return rows;
}

const TURN_ROWS = 1000;

function rowOfLine(row: number, line: Line): BatchRow {
  if (line === tooLong || line.length > MAX_LINE_BYTES)
    return { row, content: new Unread('The line is longer than 2 MB.') };
  try {
    return rowOf(row, parseJson(line));
  } catch (error) {
    if (error instanceof Refusal) return { row, content: new Unread(error.message) };
    throw error;
  }
}

function rowOf(row: number, json: Json): BatchRow {
  return { row, content: json instanceof Map ? json : new Unread('The row must be a JSON object.') };
}

export const isDeletion = (content: JsonObject): boolean => content.has('_delete');

const notAllowed = new Invalid('is not allowed in a row that deletes');

export interface RowDeletion {
  readonly uniqueId: string | null;
  readonly errors: FieldErrors;
}

/** Parses a row that deletes a task. Such a row contains only `_delete` and the Unique ID. */
export function parseRowDeletion(schema: TaskSchema, row: JsonObject): RowDeletion {
  const { byName, uniqueId } = schema;
  const errors = new FieldErrors();
  const change = emptyChange(schema, 'payload');
  if (row.get('_delete') !== true) errors.add('_delete', 'must be true; leave it out to write the task');
  if (!uniqueId) errors.add('base', 'This workflow has no Unique ID field');
  for (const [name, input] of row) {
    if (name === '_delete') continue;
    const refusal = name === uniqueId?.name ? byName.get(name)?.read(input, change) : notAllowed;
    if (refusal) errors.add(name, refusal.said);
  }
  const named = change.uniqueValue ?? null;
  if (uniqueId && named === null && errors.fields.length === 0) errors.add(uniqueId.name, 'is required');
  return { uniqueId: named, errors };
}
