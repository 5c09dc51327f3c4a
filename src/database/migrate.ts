import { createDataSource } from './data-source.js';

/** Brings the schema up to date; of several processes that start at once, one does it and the others wait. */
export async function migrate(url: string): Promise<void> {
  const dataSource = await createDataSource({
    url,
    poolSize: 2,
    isPatient: true,
    onIdleError: () => undefined,
  });
  await dataSource.initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    // The lock goes with its connection.
    await lock.release();
    await dataSource.destroy();
  }
}

/** Any number that nothing else in the database locks by. */
const migrationLock = '7741925025111001';
