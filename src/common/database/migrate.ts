import { type DataSource, type QueryRunner } from 'typeorm';
import { DefinitionMigrationEntity } from './definition-migration.entity.js';
import { createDataSource, type Entities } from './data-source.js';
import { replaceFunctions } from './functions.js';
import { isDelegating } from '../../../packages/citus/delegation.js';
import { changeTables } from '../../../packages/citus/distribution.js';

/**
 * Runs pending migrations, then replaces changed functions, except those of the file `kept`. Returns the
 * names of the migrations. If a newer version has used the database, replaces no function. If several
 * processes start at once, one migrates and the others wait.
 */
export async function migrate(url: string, entities: Entities, kept?: string): Promise<string[]> {
  const dataSource = await createDataSource({
    url,
    entities,
    poolSize: 2,
    isUnlimited: true,
    onIdleError: () => undefined,
  });
  await dataSource.initialize();
  const lock = await lockMigrations(dataSource);
  try {
    const run = async (): Promise<string[]> => {
      const names = (await dataSource.runMigrations({ transaction: 'each' })).map(({ name }) => name);
      if (!(await isOfNewerVersion(dataSource, names))) await replaceFunctions(dataSource, kept);
      return names;
    };
    const changesShards =
      isDelegating((await lock.connect()) as object) && (await dataSource.showMigrations());
    return await (changesShards ? changeTables(dataSource, run) : run());
  } finally {
    // The lock ends with its connection, which `destroy` closes.
    await lock.release();
    await dataSource.destroy();
  }
}

export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  const done = new Set(await namesOfRun(dataSource));
  return namesOfKnown(dataSource).filter((name) => !done.has(name));
}

/** Finds migrations that ran on the database but that this version lacks. Undefined if there are none. */
export async function unknownMigrations(dataSource: DataSource): Promise<UnknownMigrations | undefined> {
  const known = new Set(namesOfKnown(dataSource));
  const names = (await namesOfRun(dataSource)).filter((name) => !known.has(name));
  return names.length === 0 ? undefined : { names, message };
}

export interface UnknownMigrations {
  readonly names: readonly string[];
  readonly message: string;
}

const message =
  'the database has migrations that this version does not know: a newer version has used it, or a migration of your own was removed';

/**
 * Whether a newer version has migrated the database and replaced the functions. The answer is yes if this
 * version ran no migration at this start, and the database has an unknown migration. Migrations that applied
 * a definition do not count.
 */
async function isOfNewerVersion(dataSource: DataSource, run: readonly string[]): Promise<boolean> {
  const unknown = await unknownMigrations(dataSource);
  if (!unknown) return false;
  const applied = await dataSource.manager.find(DefinitionMigrationEntity);
  const isOfDefinition = (name: string): boolean => applied.some(({ migration }) => migration === name);
  return run.every(isOfDefinition) && !unknown.names.every(isOfDefinition);
}

async function namesOfRun(dataSource: DataSource): Promise<string[]> {
  const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
  return rows.map(({ name }) => name);
}

function namesOfKnown(dataSource: DataSource): string[] {
  return dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name);
}

async function lockMigrations(dataSource: DataSource): Promise<QueryRunner> {
  const lock = dataSource.createQueryRunner();
  await lock.query('SELECT pg_advisory_lock($1)', [migrationLock]);
  return lock;
}

/** An arbitrary number that nothing else in the database may use as a lock. */
const migrationLock = '7741925025111001';
