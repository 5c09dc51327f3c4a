import pg from 'pg';
import { LongText } from '../lib/pieces.js';
import { type Pause } from '../lib/turn.js';
import { type PgClient } from './pool.js';

/** A parameter of a statement as it is sent: a text, or the bytes of one that is long. */
export type Parameter = string | readonly Buffer[] | null;

export function isLong(values: readonly unknown[]): boolean {
  return values.some((value) => value instanceof LongText);
}

/** The bytes of a long text, encoded in turns with other work. */
export async function encodeInTurns(text: LongText, pause: Pause): Promise<readonly Buffer[]> {
  const bytes: Buffer[] = [];
  for (const piece of text.pieces()) {
    bytes.push(Buffer.from(piece));
    await pause();
  }
  return bytes;
}

/** Has a connection prepare a statement; what its columns are. `pg` does that only together with all parameters. */
export function prepare(client: PgClient<unknown>, name: string, text: string): Promise<pg.FieldDef[]> {
  return new Promise((resolve, reject) => {
    client.query(new Preparation(name, text, resolve, reject));
  });
}

class Preparation extends pg.Query {
  private fields: pg.FieldDef[] = [];

  constructor(
    readonly name: string,
    private readonly text: string,
    private readonly resolve: (fields: pg.FieldDef[]) => void,
    private readonly reject: (reason: unknown) => void,
  ) {
    super(text);
  }

  override submit = (connection: pg.Connection): void => {
    const { name, text } = this;
    connection.parse({ name, text, types: [] }, true);
    connection.describe({ type: 'S', name }, true);
    connection.sync();
  };

  handleRowDescription({ fields }: { readonly fields: pg.FieldDef[] }): void {
    this.fields = fields;
  }

  handleReadyForQuery(): void {
    this.resolve(this.fields);
  }

  handleError(error: unknown): void {
    this.reject(error);
  }
}
