import { Refusal } from '../../errors/errors.js';
import { parse } from '../../payloads/json-payload.pipe.js';
import { type Line, tooLong } from '../../payloads/read-lines.js';
import { type Json } from '../../schema/json.js';
import { isJsonList } from '../../schema/json-list.js';
import { turn } from '../../turn.js';
import { type BatchRow, Unread } from './batch-row.js';

/** The rows of a JSON array; throws when it is none. */
export async function rowsOfArray(body: Uint8Array): Promise<BatchRow[]> {
  const list = await parse(body);
  if (!isJsonList(list)) throw new Refusal('malformed', 'The body must be a JSON array.');
  const rows: BatchRow[] = [];
  for (const json of list) {
    rows.push(rowOf(rows.length + 1, json));
    if (rows.length % rowsOfTurn === 0) await turn();
  }
  return rows;
}

/** The rows of lines, of which `row` is the number of the first; what is no JSON is the fault of its row alone. */
export async function rowsOfLines(lines: readonly Line[], row: number): Promise<BatchRow[]> {
  const rows: BatchRow[] = [];
  for (const line of lines) {
    rows.push(await rowOfLine(row + rows.length, line));
    if (rows.length % rowsOfTurn === 0) await turn();
  }
  return rows;
}

const rowsOfTurn = 1000;

async function rowOfLine(row: number, line: Line): Promise<BatchRow> {
  if (line === tooLong) return { row, content: new Unread('The line is longer than a body may be.') };
  try {
    return rowOf(row, await parse(line));
  } catch (error) {
    if (error instanceof Refusal) return { row, content: new Unread(error.message) };
    throw error;
  }
}

function rowOf(row: number, json: Json): BatchRow {
  return { row, content: json instanceof Map ? json : new Unread('The row must be a JSON object.') };
}
