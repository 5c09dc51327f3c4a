import pg from 'pg';
import { decodeInTurns } from '../lib/decode.js';
import { parseInTurns } from '../lib/json/read-json.js';
import { type Holder } from '../lib/semaphore.js';
import { type Pause, pauses } from '../lib/turn.js';
import { type LongField } from './long-rows.js';

/** How the text of a column of this type is read. */
export const parserOf: (type: number) => (text: string) => unknown = pg.types.getTypeParser;

/** How columns are read by `pg` itself: those that are long, later. */
export const types = {
  getTypeParser(type: number): (field: string | LongField) => unknown {
    const parse = parserOf(type);
    return (field) => (typeof field === 'string' ? parse(field) : unread(field, type));
  },
};

/** A long column in the place of its value, until `readLong` reads it. */
export function unread({ bytes }: LongField, type: number): Unread {
  return new Unread(bytes, type);
}

class Unread {
  constructor(
    private readonly bytes: Buffer,
    private readonly type: number,
  ) {}

  async read(pause: Pause): Promise<unknown> {
    if (jsonTypes.has(this.type)) return parseInTurns(this.bytes, pause);
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return parserOf(this.type)(await decodeInTurns(this.bytes, decoder, pause));
  }
}

const jsonTypes: ReadonlySet<number> = new Set([pg.types.builtins.JSON, pg.types.builtins.JSONB]);

/** The rows with their long columns, which are decoded and parsed in turns with other work. */
export async function readLong<Row>(rows: Row[], holder: Holder | undefined): Promise<Row[]> {
  const pause = pauses(holder);
  for (const row of rows) await readLongOf(row as Record<string, unknown>, pause);
  return rows;
}

async function readLongOf(row: Record<string, unknown>, pause: Pause): Promise<void> {
  for (const [name, value] of Object.entries(row))
    if (value instanceof Unread) row[name] = await value.read(pause);
}
