import { type DataSource, type QueryRunner } from 'typeorm';
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
  const lock = await lockMigrations(dataSource);
  try {
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    // The lock goes with its connection.
    await lock.release();
    await dataSource.destroy();
  }
}

/**
 * Takes back the last migration, and returns its name. Throws when it is not one that applied a definition: the tables
 * themselves are not for the taking.
 */
export async function undoLastDefinition(dataSource: DataSource): Promise<string> {
  const lock = await lockMigrations(dataSource);
  try {
    const [last] = await dataSource.query<{ name: string; is_definition: boolean }[]>(lastMigration);
    if (last?.is_definition !== true)
      throw new Error(`The last migration is ${last?.name ?? 'none'}, which applied no definition.`);
    await dataSource.undoLastMigration({ transaction: 'each' });
    return last.name;
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [migrationLock]);
    await lock.release();
  }
}

async function lockMigrations(dataSource: DataSource): Promise<QueryRunner> {
  const lock = dataSource.createQueryRunner();
  await lock.query('SELECT pg_advisory_lock($1)', [migrationLock]);
  return lock;
}

// The latest by TypeORM's own count.
const lastMigration = `
  SELECT name, EXISTS (SELECT FROM definition_migrations WHERE migration = name) AS is_definition
  FROM migrations ORDER BY id DESC LIMIT 1`;

/** Any number that nothing else in the database locks by. */
const migrationLock = '7741925025111001';
