import { Refusal } from '../../errors/errors.js';
import { parse } from '../../payloads/json-payload.pipe.js';
import { type Line, tooLong } from '../../payloads/read-lines.js';
import { type Json } from '../../schema/json.js';
import { isJsonList } from '../../schema/json-list.js';
import { type BatchRow, Unread } from './batch-row.js';

/** The rows of a JSON array; throws when it is none. */
export function rowsOfArray(body: Uint8Array): BatchRow[] {
  const list = parse(body);
  if (!isJsonList(list)) throw new Refusal('malformed', 'The body must be a JSON array.');
  return list.map((json, at) => rowOf(at + 1, json));
}

/** The rows of lines, of which `row` is the number of the first; what is no JSON is the fault of its row alone. */
export function rowsOfLines(lines: readonly Line[], row: number): BatchRow[] {
  return lines.map((line, at) => rowOfLine(row + at, line));
}

function rowOfLine(row: number, line: Line): BatchRow {
  if (line === tooLong) return { row, content: new Unread('The line is longer than a body may be.') };
  try {
    return rowOf(row, parse(line));
  } catch (error) {
    if (error instanceof Refusal) return { row, content: new Unread(error.message) };
    throw error;
  }
}

function rowOf(row: number, json: Json): BatchRow {
  return { row, content: json instanceof Map ? json : new Unread('The row must be a JSON object.') };
}
