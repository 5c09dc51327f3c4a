import pg from 'pg';
import { LongText } from '../lib/pieces.js';
import { type Holder } from '../lib/semaphore.js';
import { type Pause, pauses } from '../lib/turn.js';
import { encodeInTurns, isLong, type Parameter, prepare } from './long-parameters.js';
import { delegated, isDelegating, readDelegated } from './delegation.js';
import { LONG_ROW, type SentRow } from './long-rows.js';
import { parserOf, readLong, types, unread } from './long-values.js';
import { bytesRead, type PgClient, type PgQuery } from './pool.js';

/**
 * Asks a connection. A statement that it has prepared takes two thirds of the processor time that `pg` needs for it: its
 * messages go out as one piece, and what its columns are is remembered instead of being described each time.
 */
export async function ask<Row>(
  client: PgClient<Row>,
  query: PgQuery,
  holder: Holder | undefined,
): Promise<Row[]> {
  if (!isDelegating(client)) return askHere(client, query, holder);
  const rows: Row[] = [];
  for (const each of await delegated(client, query))
    rows.push(...readDelegated(query, each, await askHere<Row>(client, each, holder)));
  return rows;
}

async function askHere<Row>(
  client: PgClient<Row>,
  query: PgQuery,
  holder: Holder | undefined,
): Promise<Row[]> {
  const { name, text } = query;
  const columns = name === undefined ? undefined : columnsOf(client).get(name);
  const values = columns && textsOf(query.values);
  if (name !== undefined && columns && values) return execute(client, name, text, values, columns, holder);
  return name !== undefined && isLong(query.values)
    ? askAtLength(client, { ...query, name }, holder)
    : describe(client, query, holder);
}

function execute<Row>(
  client: PgClient<Row>,
  name: string,
  text: string,
  values: Parameters,
  columns: Columns,
  holder: Holder | undefined,
): Promise<Row[]> {
  return new Promise<unknown[]>((resolve, reject) => {
    client.query(new Prepared(name, text, values, columns, holder, resolve, reject));
  }) as Promise<Row[]>;
}

/** Asks with parameters of megabytes, which are encoded in turns with other work. */
async function askAtLength<Row>(
  client: PgClient<Row>,
  { name, text, values }: PgQuery & { readonly name: string },
  holder: Holder | undefined,
): Promise<Row[]> {
  // `pg` may prepare the statement meanwhile, under the other name.
  const ownName = `${name}-long`;
  const columns = await prepareOnce(client, ownName, text);
  const parameters = await parametersOf(values, pauses(holder));
  return execute(client, ownName, text, parameters, columns, holder);
}

async function prepareOnce(client: PgClient<unknown>, name: string, text: string): Promise<Columns> {
  const known = ofClient(preparing, client);
  const columns = known.get(name) ?? prepare(client, name, text).then((fields) => new Columns(fields));
  known.set(name, columns);
  try {
    return await columns;
  } catch (error) {
    known.delete(name);
    throw error;
  }
}

async function parametersOf(values: readonly unknown[], pause: Pause): Promise<Parameters> {
  const parameters: Parameter[] = [];
  for (const value of values)
    parameters.push(value instanceof LongText ? await encodeInTurns(value, pause) : (textOf(value) ?? null));
  return parameters;
}

async function describe<Row>(
  client: PgClient<Row>,
  query: PgQuery,
  holder: Holder | undefined,
): Promise<Row[]> {
  const { name, text, values } = query;
  const before = bytesRead(client);
  const { rows, fields } = await client.query({ name, text, values, types });
  if (name !== undefined) columnsOf(client).set(name, new Columns(fields));
  return bytesRead(client) - before > LONG_ROW ? readLong(rows, holder) : rows;
}

function columnsOf(client: object): Map<string, Columns> {
  return ofClient(prepared, client);
}

function ofClient<T>(maps: WeakMap<object, Map<string, T>>, client: object): Map<string, T> {
  const known = maps.get(client);
  if (known) return known;
  const none = new Map<string, T>();
  maps.set(client, none);
  return none;
}

/** What each connection has prepared, by the statements' names: PostgreSQL never changes the columns of such a statement. */
const prepared = new WeakMap<object, Map<string, Columns>>();
/** The same of statements with long parameters, which several may want at once. */
const preparing = new WeakMap<object, Map<string, Promise<Columns>>>();

/** The columns of a statement, and how their texts are read. */
class Columns {
  private readonly names: readonly string[];
  private readonly types: readonly number[];
  private readonly parsers: readonly Parse[];
  private readonly empty: Readonly<Record<string, unknown>>;

  constructor(fields: readonly pg.FieldDef[]) {
    this.names = fields.map(({ name }) => name);
    this.types = fields.map(({ dataTypeID }) => dataTypeID);
    this.parsers = this.types.map((type) => parserOf(type));
    // Copied for each row, so that all are objects of one shape.
    this.empty = Object.fromEntries(this.names.map((name) => [name, null]));
  }

  read(fields: SentRow['fields']): unknown {
    const row = { ...this.empty };
    for (let index = 0; index < this.names.length; index++) {
      const field = fields[index];
      if (field == null) continue;
      row[this.names[index] ?? ''] =
        typeof field === 'string' ? this.parsers[index]?.(field) : unread(field, this.types[index] ?? 0);
    }
    return row;
  }
}

type Parameters = readonly Parameter[];
type Parse = ReturnType<typeof parserOf>;

/** A statement that its connection has prepared, on its way; `pg` tells it what is answered. */
class Prepared extends pg.Query {
  private readonly read: unknown[] = [];
  private hasLong = false;
  private failure: unknown;

  constructor(
    readonly name: string,
    text: string,
    readonly values: Parameters,
    private readonly columns: Columns,
    private readonly holder: Holder | undefined,
    private readonly resolve: (rows: unknown[] | Promise<unknown[]>) => void,
    private readonly reject: (reason: unknown) => void,
  ) {
    super(text);
  }

  override submit = ({ stream }: pg.Connection): void => {
    stream.write(bindAndExecute(this.name, this.values));
  };

  handleDataRow({ fields, hasLong }: SentRow): void {
    try {
      this.read.push(this.columns.read(fields));
      if (hasLong) this.hasLong = true;
    } catch (error) {
      this.failure ??= error;
    }
  }

  handleCommandComplete(): void {
    // How many rows it were nobody asks.
  }

  handleReadyForQuery(): void {
    if (this.failure !== undefined) this.reject(this.failure);
    else this.resolve(this.hasLong ? readLong(this.read, this.holder) : this.read);
  }

  handleError(error: unknown): void {
    this.reject(error);
  }
}

/**
 * The messages Bind, Execute and Sync of PostgreSQL's protocol (version 3, "Message Formats"): no portal has a name, and
 * all values and columns are texts.
 */
function bindAndExecute(name: string, values: Parameters): Buffer {
  const lengths = values.map(lengthOf);
  const length = lengths.reduce((sum, each) => sum + 4 + Math.max(each, 0), 12 + name.length);
  const bytes = Buffer.allocUnsafe(1 + length + executeAndSync.length);
  let at = bytes.write('B', 0, 'latin1');
  at = bytes.writeInt32BE(length, at);
  at += bytes.write(`\0${name}\0`, at, 'latin1');
  at = bytes.writeInt16BE(0, at);
  at = bytes.writeInt16BE(values.length, at);
  for (const [index, value] of values.entries()) {
    at = bytes.writeInt32BE(lengths[index] ?? -1, at);
    if (typeof value === 'string') at += bytes.write(value, at);
    else for (const piece of value ?? []) at += piece.copy(bytes, at);
  }
  at = bytes.writeInt16BE(0, at);
  executeAndSync.copy(bytes, at);
  return bytes;
}

function lengthOf(value: Parameter): number {
  if (value === null) return -1;
  return typeof value === 'string'
    ? Buffer.byteLength(value)
    : value.reduce((sum, piece) => sum + piece.length, 0);
}

const executeAndSync = Buffer.from('E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04', 'latin1');

/** Values as PostgreSQL reads them; undefined where one of them is left to `pg`. */
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

/** An array of texts or numbers, as PostgreSQL reads one. */
function arrayOf(values: readonly unknown[]): string | undefined {
  const isPlain = values.every((value) => typeof value === 'string' || typeof value === 'number');
  return isPlain
    ? `{${values.map((value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`).join()}}`
    : undefined;
}
