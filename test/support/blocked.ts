import { type DataSource } from 'typeorm';
import { until } from './until.js';

/** Resolves when so many statements on this database wait for a lock; with a pattern, only those whose text has it. */
export async function blocked(dataSource: DataSource, count = 1, like = '%'): Promise<void> {
  await until(`${count} statements wait for a lock`, async () => {
    const waiting = await dataSource.query<unknown[]>(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
      [like],
    );
    return waiting.length >= count;
  });
}
