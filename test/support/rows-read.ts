import { type DataSource, type EntityManager } from 'typeorm';

interface Reading {
  readonly table: string;
  /** Whether PostgreSQL plans the statements for any values, or for those that they have. */
  readonly plans: 'generic' | 'custom';
}

/** How many rows of a table the statements of some work read. */
export async function rowsRead(
  dataSource: DataSource,
  { table, plans }: Reading,
  work: (tx: EntityManager) => Promise<unknown>,
): Promise<number> {
  return dataSource.transaction(async (tx) => {
    const read = async (): Promise<number> => {
      const [row] = await tx.query<[{ rows: number }]>(
        `SELECT (COALESCE(seq_tup_read, 0) + COALESCE(idx_tup_fetch, 0))::integer AS rows
        FROM pg_stat_xact_user_tables WHERE relname = $1`,
        [table],
      );
      return row.rows;
    };
    await tx.query(`SET LOCAL plan_cache_mode = force_${plans}_plan`);
    const before = await read();
    await work(tx);
    return (await read()) - before;
  });
}
