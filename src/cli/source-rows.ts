import { createReadStream } from 'node:fs';
import { CsvError, parse } from 'csv-parse';
import { readLines } from '../payloads/read-lines.js';
import { JsonRefusal } from '../schema/read-json.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { unguardCell } from '../tasks/csv-cell.js';
import { type BatchRow, Unread } from '../tasks/batch/batch-row.js';
import { rowsOfLines } from '../tasks/batch/read-rows.js';
import { payloadOf, readHeader, remark } from './csv-payload.js';

/** A row of a file, and how it stands there: a line of JSON, or the cells of CSV. */
export interface SourceRow extends BatchRow {
  readonly source: string | readonly string[];
}

/** A file of rows, read bit by bit. */
export interface SourceFile {
  /** The names of its columns, where it has some. */
  header: readonly string[];
  /** How many bytes of it are read. */
  bytes: number;
  readonly rows: AsyncIterable<readonly SourceRow[]>;
}

/** Opens an NDJSON or, by its name, a CSV file, whose cells are guarded unless raw (see csv-cell.ts); throws when it cannot be read as such. */
export function openSource(path: string, schema: TaskSchema, isRaw: boolean): SourceFile {
  const bytes = createReadStream(path);
  const isCsv = /\.csv$/i.test(path);
  const file: SourceFile = {
    header: [],
    get bytes() {
      return bytes.bytesRead;
    },
    get rows() {
      return isCsv ? csvRows(bytes, schema, file, isRaw) : lineRows(bytes);
    },
  };
  return file;
}

async function* lineRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<SourceRow[]> {
  let next = 1;
  const limits = { most: mostOfLine, reserve: () => Promise.resolve() };
  for await (const lines of readLines(bytes, limits)) {
    const rows = await rowsOfLines(lines, next);
    next += rows.length;
    yield rows.map((row, at) => {
      const line = lines[at];
      const source = line instanceof Uint8Array ? Buffer.from(line).toString().trim() : '';
      return { ...withoutRemarks(row), source };
    });
  }
}

const mostOfLine = 50 * 2 ** 20;

function withoutRemarks({ row, content }: BatchRow): BatchRow {
  if (content instanceof Unread) return { row, content };
  return { row, content: new Map([...content].filter(([name]) => !name.startsWith(remark))) };
}

async function* csvRows(
  bytes: ReturnType<typeof createReadStream>,
  schema: TaskSchema,
  file: { header: readonly string[] },
  isRaw: boolean,
): AsyncGenerator<SourceRow[]> {
  const records = bytes.pipe(parse({ bom: true, relax_column_count: true, skip_empty_lines: true }));
  bytes.once('error', (error) => records.destroy(error));
  const textsOf = (cells: readonly string[]): readonly string[] => (isRaw ? cells : cells.map(unguardCell));
  let header: ReturnType<typeof readHeader> | undefined;
  let rows: SourceRow[] = [];
  let next = 1;
  for await (const cells of read(records)) {
    if (!header) {
      header = readHeader(schema, textsOf(cells));
      file.header = cells;
      continue;
    }
    rows.push({ row: next++, content: contentOf(header, textsOf(cells)), source: cells });
    if (rows.length < mostRows) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

const mostRows = 500;

async function* read(records: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  try {
    yield* records;
  } catch (error) {
    throw error instanceof CsvError ? new Error(`it is no CSV: ${error.message}`) : error;
  }
}

function contentOf(header: ReturnType<typeof readHeader>, cells: readonly string[]): BatchRow['content'] {
  if (cells.length !== header.length)
    return new Unread(`The row has ${cells.length} values, the header ${header.length}.`);
  try {
    return payloadOf(header, cells);
  } catch (error) {
    if (error instanceof JsonRefusal) return new Unread(error.message);
    throw error;
  }
}
