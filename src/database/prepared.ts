import pg from 'pg';
import { type PgClient, type PgQuery } from './pool.js';

/**
 * Runs a query on a connection. A prepared statement takes two thirds of the processor time that `pg` needs: its
 * messages are sent in one piece, and its columns are remembered instead of being described each time.
 */
export async function askHere<Row>(client: PgClient<Row>, query: PgQuery): Promise<Row[]> {
  const { name, text, values } = query;
  const known = columnsOf(client);
  const columns = name === undefined ? undefined : known.get(name);
  const texts = columns && textsOf(values);
  if (columns && columns.text !== text) throw new Error(`two statements are called ${name ?? ''}`);
  if (name !== undefined && columns && texts) return execute(client, { name, text, values: texts, columns });
  const { rows, fields } = await client.query({ name, text, values });
  if (name !== undefined) known.set(name, new Columns(text, fields));
  return rows;
}

function execute<Row>(client: PgClient<Row>, execution: Execution): Promise<Row[]> {
  return new Promise<unknown[]>((resolve, reject) => {
    client.query(new Prepared(execution, resolve, reject));
  }) as Promise<Row[]>;
}

/** The prepared statements of each connection, by name. PostgreSQL never changes the columns of such a statement. */
const prepared = new WeakMap<object, Map<string, Columns>>();

function columnsOf(client: object): Map<string, Columns> {
  const known = prepared.get(client);
  if (known) return known;
  const none = new Map<string, Columns>();
  prepared.set(client, none);
  return none;
}

/** The parser for the text form of a type. */
const parserOf: (type: number) => (text: string) => unknown = pg.types.getTypeParser;

/** The columns of a statement and their parsers. */
class Columns {
  private readonly names: readonly string[];
  private readonly parsers: readonly ((text: string) => unknown)[];
  private readonly empty: Readonly<Record<string, unknown>>;

  constructor(
    readonly text: string,
    fields: readonly pg.FieldDef[],
  ) {
    this.names = fields.map(({ name }) => name);
    this.parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
    // Copied for each row, so that all rows have the same hidden class.
    this.empty = Object.fromEntries(this.names.map((name) => [name, null]));
  }

  read(fields: readonly (string | null)[]): unknown {
    const row = { ...this.empty };
    for (let index = 0; index < this.names.length; index++) {
      const field = fields[index];
      if (field != null) row[this.names[index] ?? ''] = this.parsers[index]?.(field);
    }
    return row;
  }
}

interface Execution {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | null)[];
  readonly columns: Columns;
}

/** The execution of a prepared statement; `pg` calls it back with the answer. */
class Prepared extends pg.Query {
  readonly name: string;
  readonly values: readonly (string | null)[];
  private readonly read: unknown[] = [];
  private failure: unknown;

  constructor(
    private readonly execution: Execution,
    private readonly resolve: (rows: unknown[]) => void,
    private readonly reject: (reason: unknown) => void,
  ) {
    super(execution.text);
    this.name = execution.name;
    this.values = execution.values;
  }

  override submit = ({ stream }: pg.Connection): void => {
    stream.write(bindAndExecute(this.name, this.values));
  };

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      this.read.push(this.execution.columns.read(fields));
    } catch (error) {
      this.failure ??= error;
    }
  }

  handleCommandComplete(): void {
    // The row count is never used.
  }

  handleReadyForQuery(): void {
    if (this.failure === undefined) this.resolve(this.read);
    else this.reject(this.failure);
  }

  handleError(error: unknown): void {
    this.reject(error);
  }
}

/**
 * The messages Bind, Execute and Sync of PostgreSQL's protocol (version 3, "Message Formats"), with an unnamed portal
 * and all values and columns in text format.
 */
function bindAndExecute(name: string, values: readonly (string | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? -1 : Buffer.byteLength(value)));
  const length = lengths.reduce((sum, each) => sum + 4 + Math.max(each, 0), 12 + name.length);
  const bytes = Buffer.allocUnsafe(1 + length + executeAndSync.length);
  let at = bytes.write('B', 0, 'latin1');
  at = bytes.writeInt32BE(length, at);
  at += bytes.write(`\0${name}\0`, at, 'latin1');
  at = bytes.writeInt16BE(0, at);
  at = bytes.writeInt16BE(values.length, at);
  for (const [index, value] of values.entries()) {
    at = bytes.writeInt32BE(lengths[index] ?? -1, at);
    if (value !== null) at += bytes.write(value, at);
  }
  at = bytes.writeInt16BE(0, at);
  executeAndSync.copy(bytes, at);
  return bytes;
}

const executeAndSync = Buffer.from('E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04', 'latin1');

/** Parameters in PostgreSQL's text format; undefined where one has a type that only `pg` can convert. */
function textsOf(values: readonly unknown[]): (string | null)[] | undefined {
  const texts: (string | null)[] = [];
  for (const value of values) {
    const text = textOf(value);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts;
}

function textOf(value: unknown): string | null | undefined {
  if (value == null) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? arrayOf(value) : undefined;
}

/** An array of texts or numbers in PostgreSQL's text format. */
function arrayOf(values: readonly unknown[]): string | undefined {
  const isPlain = values.every((value) => typeof value === 'string' || typeof value === 'number');
  return isPlain
    ? `{${values.map((value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`).join()}}`
    : undefined;
}
