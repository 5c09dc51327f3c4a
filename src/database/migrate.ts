import { type DataSource, type QueryRunner } from 'typeorm';
import { isDelegating } from './delegation.js';
import { forgetShards, nameShards } from './distribution.js';
import { DefinitionMigrationEntity } from '../entities/definition-migration.entity.js';
import { createDataSource } from './data-source.js';
import { replaceFunctions } from './functions.js';

/**
 * Brings the schema up to date, and returns the names of the migrations that ran; of several processes that start at
 * once, one does it and the others wait.
 */
export async function migrate(url: string): Promise<string[]> {
  const dataSource = await createDataSource({
    url,
    poolSize: 2,
    isUnlimited: true,
    onIdleError: () => undefined,
  });
  await dataSource.initialize();
  const lock = await lockMigrations(dataSource);
  try {
    const isSpread = isDelegating((await lock.connect()) as object);
    const changesShards = isSpread && (await dataSource.showMigrations());
    if (changesShards) await forgetShards(dataSource);
    const run = await dataSource.runMigrations({ transaction: 'each' });
    await replaceFunctions(dataSource);
    if (changesShards) await nameShards(dataSource);
    return run.map(({ name }) => name);
  } finally {
    // The lock goes with its connection.
    await lock.release();
    await dataSource.destroy();
  }
}

/** The names of the migrations that have not run on a database yet, in their order. */
export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
  const done = new Set(rows.map(({ name }) => name));
  return dataSource.migrations
    .map(({ name, constructor }) => name ?? constructor.name)
    .filter((name) => !done.has(name));
}

/**
 * Takes back the last migration, and returns its name. Throws when it is not one that applied a definition: the tables
 * themselves are not for the taking.
 */
export async function undoLastDefinition(dataSource: DataSource): Promise<string> {
  const lock = await lockMigrations(dataSource);
  try {
    const [last] = await dataSource.query<{ name: string }[]>(lastMigration);
    const migration = last?.name ?? 'none';
    if (!(await dataSource.manager.existsBy(DefinitionMigrationEntity, { migration })))
      throw new Error(`The last migration is ${migration}, which applied no definition.`);
    await dataSource.undoLastMigration({ transaction: 'each' });
    return migration;
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
  SELECT name FROM migrations ORDER BY id DESC LIMIT 1`;

/** Any number that nothing else in the database locks by. */
const migrationLock = '7741925025111001';
