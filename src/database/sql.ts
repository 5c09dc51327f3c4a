import { type EntityManager } from 'typeorm';

/** A statement that PostgreSQL parses once per connection, under its name. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
}

/**
 * A statement whose text was put together for one request. The first hundred texts get names; what comes later would
 * fill the connections' memory for ever.
 */
export function statementOf(text: string): Statement {
  const name = names.get(text) ?? (names.size < 100 ? `list-${names.size}` : undefined);
  if (name === undefined) return { text };
  names.set(text, name);
  return { name, text };
}

const names = new Map<string, string>();

/** Runs one statement by `pg` itself, on the pool or on the transaction that `db` stands for. */
export async function sql<Row>(
  db: EntityManager,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const client = db.queryRunner ? ((await db.queryRunner.connect()) as PgClient<Row>) : pool<Row>(db);
  const { rows } = await client.query({ ...statement, values });
  return rows;
}

interface PgClient<Row> {
  query(query: Statement & { values: readonly unknown[] }): Promise<{ rows: Row[] }>;
}

function pool<Row>(db: EntityManager): PgClient<Row> {
  return (db.dataSource.driver as unknown as { master: PgClient<Row> }).master;
}
