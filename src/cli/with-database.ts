import { resolve } from 'node:path';
import { type DataSource, type EntityManager } from 'typeorm';
import { entities } from '../features.js';
import { hasCluster } from '../../packages/local-postgres/local-postgres.js';
import { type Config, readConfig } from '../config.js';
import { shownDatabase, openDatabase } from '../common/database/open-database.js';
import { pendingMigrations, unknownMigrations } from '../common/database/migrate.js';
import { createLogger } from '../common/logger.js';
import { meantInBrackets } from '../common/did-you-mean.js';
import { WorkspaceEntity } from '../workflows/model/entities/workspace.entity.js';
import { tell } from './terminal.js';
import { FairSemaphore } from '../../packages/fair/semaphore.js';
import { busy } from '../common/errors.js';
import { Scope } from '../workflows/model/scope.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { Workspaces } from '../workflows/model/workspaces.js';

/**
 * Runs a command's work on the configured database, and prints the database's name. Starts the embedded
 * database if necessary, and stops it afterwards. Neither creates nor migrates a database.
 */
export async function withDatabase<T>(work: (db: EntityManager) => Promise<T>): Promise<T> {
  return withUnmigratedDatabase(async (db) => {
    await checkMigrations(db.dataSource);
    return work(db);
  });
}

/** Runs a command's work on a database that may have no tables yet. */
export async function withUnmigratedDatabase<T>(work: (db: EntityManager) => Promise<T>): Promise<T> {
  const config = { ...readConfig(), poolSize: 2 };
  for (const warning of config.warnings) tell(warning);
  tell(`database: ${await nameOfDatabase(config)}`);
  const database = await openDatabase(config, createLogger('silent'), { isServer: false, entities });
  try {
    return await work(database.dataSource.manager);
  } finally {
    await database.close();
  }
}

/** Returns the database's name for people. Throws if there is no database that a command can use. */
async function nameOfDatabase(config: Config): Promise<string> {
  if (config.databaseUrl !== undefined) return shownDatabase(config);
  if (config.ephemeral)
    throw new Error(
      'With WTS_EPHEMERAL=1, only the service can use its database, not a command: set DATABASE_URL, or unset WTS_EPHEMERAL.',
    );
  const folder = resolve(config.dataDir);
  if (await hasCluster(folder)) return shownDatabase(config);
  throw new Error(
    `There is no database in ${folder}, and only a start of the service creates one. Run the command in the folder where the service was started, or set WTS_DATA_DIR to its data folder, or DATABASE_URL to your PostgreSQL.`,
  );
}

/** Throws if the database has never been migrated. Prints the migrations that the next start will run. */
async function checkMigrations(dataSource: DataSource): Promise<void> {
  const [found] = await dataSource.query<{ exists: boolean }[]>(
    "SELECT to_regclass('migrations') IS NOT NULL AS exists",
  );
  if (found?.exists !== true)
    throw new Error('The service was never started on this database. Start it, or run: wts migrate');
  const pending = await pendingMigrations(dataSource);
  if (pending.length > 0)
    tell(`pending migrations, which the next start or "wts migrate" runs: ${pending.join(', ')}`);
  await tellUnknownMigrations(dataSource);
}

/** Warns of migrations that have run on the database, but that this version does not know. */
export async function tellUnknownMigrations(dataSource: DataSource): Promise<void> {
  const unknown = await unknownMigrations(dataSource);
  if (unknown) tell(`${unknown.message}: ${unknown.names.join(', ')}`);
}

/** Runs work on a workspace in one transaction; throws if no workspace has this id. */
export async function withWorkspace<T>(
  slug: string,
  work: (tx: EntityManager, workspaceId: number) => Promise<T>,
): Promise<T> {
  return withDatabase((db) => db.transaction(async (tx) => work(tx, (await workspaceNamed(tx, slug)).id)));
}

/**
 * Finds a workspace and locks it until the transaction ends. By default, nobody can delete the workspace
 * until then. With `pessimistic_write`, nobody can change the workspace either.
 */
export async function workspaceNamed(
  tx: EntityManager,
  slug: string,
  mode: 'for_key_share' | 'pessimistic_write' = 'for_key_share',
): Promise<WorkspaceEntity> {
  const workspace = await tx.findOne(WorkspaceEntity, { where: { slug }, lock: { mode } });
  if (!workspace) throw await noWorkspace(tx, slug);
  return workspace;
}

export async function noWorkspace(db: EntityManager, slug: string): Promise<Error> {
  const known = await db.find(WorkspaceEntity, { select: { slug: true } });
  const hint = meantInBrackets(
    slug,
    known.map((workspace) => workspace.slug),
  );
  return new Error(`There is no workspace "${slug}"${hint}. See: wts workspace list`);
}

export interface WorkflowOptions {
  readonly workspace: string;
  readonly workflow: string;
}

export interface OpenWorkflow {
  readonly workspaces: Workspaces;
  readonly work: UnitOfWork;
  readonly scope: Scope;
}

/** Opens a workflow. `taskUrl` is the template of the `Task URL` of its tasks. */
export async function openWorkflow(
  db: EntityManager,
  { workspace, workflow }: WorkflowOptions,
  taskUrl: string,
): Promise<OpenWorkflow> {
  const found = await db.findOneBy(WorkspaceEntity, { slug: workspace });
  if (!found) throw await noWorkspace(db, workspace);
  const workspaces = new Workspaces(db.dataSource, taskUrl);
  const { workflows } = await workspaces.get(found.id);
  const wanted = workflows.get(workflow);
  if (!wanted)
    throw new Error(
      `There is no workflow "${workflow}" in ${workspace}. It has: ${[...workflows.keys()].join(', ')}`,
    );
  const writers = new FairSemaphore(1, busy('Another write is in progress.'));
  return { workspaces, work: new UnitOfWork(db.dataSource, workspaces, writers), scope: new Scope(wanted) };
}
