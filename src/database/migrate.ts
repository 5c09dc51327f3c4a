import { type DataSource } from 'typeorm';

/** Brings the schema up to date; of several processes that start at once, one does it and the others wait. */
export async function migrate(dataSource: DataSource): Promise<void> {
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('SET lock_timeout = 0; SET statement_timeout = 0');
    await lock.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await lock
      .query('SELECT pg_advisory_unlock_all(); RESET lock_timeout; RESET statement_timeout')
      .catch(() => undefined);
    await lock.release();
  }
}

/** Any number that nothing else in the database locks by. */
const migrationLock = '7741925025111001';
