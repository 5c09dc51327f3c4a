import { EventEmitter } from 'node:events';
import pg from 'pg';

/**
 * A client of `pg` that leaves long columns as bytes. `pg` decodes a row in one stretch once it is there, which takes a
 * third of a second for one of 60 MB.
 */
export class LongRowsClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    const { connection }: { connection: pg.Connection & Partial<Reading> } = this;
    const read = connection.attachListeners?.bind(connection);
    connection.attachListeners = (stream) =>
      read?.(withoutLongRows(stream, (row) => void connection.emit('dataRow', row)));
  }
}

/** How a connection of `pg` begins to read, from a socket or from what encrypts it. */
interface Reading {
  attachListeners(stream: EventEmitter): void;
}

/** A row as it came; `hasLong` where it has columns that are still bytes. */
export interface SentRow {
  readonly fields: readonly (string | LongField | null)[];
  readonly hasLong?: true;
}

/** A column that takes longer to decode than others shall wait. */
export class LongField {
  constructor(readonly bytes: Buffer) {}

  /** For the queries of `pg` and TypeORM themselves, whose columns are texts. */
  toString(): string {
    return this.bytes.toString();
  }
}

/** What a connection brings but for its long rows, each of which is told of in its place. */
function withoutLongRows(stream: EventEmitter, tell: (row: SentRow) => void): EventEmitter {
  const rest = new EventEmitter();
  const splitter = new Splitter((bytes) => void rest.emit('data', bytes), tell);
  stream.on('data', (bytes: Buffer) => {
    splitter.take(bytes);
  });
  stream.on('end', () => void rest.emit('end'));
  return rest;
}

/** Takes long rows out of the messages of a server: each is a letter, a length that counts itself, and so many bytes. */
class Splitter {
  /** The beginning of a message whose length is yet to come. */
  private head: Buffer = nothing;
  /** How many more bytes the message has that is passed on. */
  private left = 0;
  private row: { readonly bytes: Buffer; length: number } | undefined;

  constructor(
    private readonly pass: (bytes: Buffer) => void,
    private readonly tell: (row: SentRow) => void,
  ) {}

  take(chunk: Buffer): void {
    const bytes = this.head.length === 0 ? chunk : Buffer.concat([this.head, chunk]);
    this.head = nothing;
    let passed = 0;
    let at = 0;
    while (at < bytes.length) {
      if (this.row) passed = at = this.fill(this.row, bytes, at);
      else if (this.left > 0) at += this.skip(bytes.length - at);
      else if (bytes.length - at < HEAD_LENGTH) break;
      else if (isLongRow(bytes, at)) {
        this.passOn(bytes, passed, at);
        this.row = { bytes: Buffer.allocUnsafeSlow(bytes.readUInt32BE(at + 1) - 4), length: 0 };
        passed = at += HEAD_LENGTH;
      } else this.left = 1 + bytes.readUInt32BE(at + 1);
    }
    this.passOn(bytes, passed, at);
    if (at < bytes.length) this.head = bytes.subarray(at);
  }

  private passOn(bytes: Buffer, from: number, to: number): void {
    if (to > from) this.pass(to - from === bytes.length ? bytes : bytes.subarray(from, to));
  }

  private skip(most: number): number {
    const skipped = Math.min(this.left, most);
    this.left -= skipped;
    return skipped;
  }

  /** Fills the row as it comes, so that its bytes need not be put together at its end. */
  private fill(row: NonNullable<Splitter['row']>, bytes: Buffer, from: number): number {
    const copied = bytes.copy(row.bytes, row.length, from);
    row.length += copied;
    if (row.length === row.bytes.length) {
      this.row = undefined;
      this.tell({ fields: fieldsOf(row.bytes), hasLong: true });
    }
    return from + copied;
  }
}

const nothing = Buffer.alloc(0);
const HEAD_LENGTH = 5;

/** To decode and parse so many bytes takes some milliseconds. */
export const LONG_ROW = 2 ** 20;
const LONG_FIELD = 2 ** 17;

function isLongRow(bytes: Buffer, at: number): boolean {
  return bytes[at] === DATA_ROW && bytes.readUInt32BE(at + 1) > LONG_ROW;
}

const DATA_ROW = 'D'.charCodeAt(0);

/** The columns of a row: how many there are, and of each its length and its bytes, or -1 for null. */
function fieldsOf(row: Buffer): SentRow['fields'] {
  const fields: (string | LongField | null)[] = [];
  let at = 2;
  for (let count = row.readInt16BE(0); count > 0; count -= 1) {
    const length = row.readInt32BE(at);
    at += 4;
    if (length < 0) {
      fields.push(null);
      continue;
    }
    const bytes = row.subarray(at, at + length);
    fields.push(length > LONG_FIELD ? new LongField(bytes) : bytes.toString());
    at += length;
  }
  return fields;
}
