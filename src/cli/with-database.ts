import { type EntityManager } from 'typeorm';
import { userInfo } from 'node:os';
import { readConfig } from '../config.js';
import { createLogger } from '../lib/logger.js';
import { openDatabase } from '../service.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { type Workflow } from '../workspace/workspace.js';
import { FairSemaphore } from '../lib/semaphore.js';
import { UnitOfWork } from '../workspace/unit-of-work.js';
import { Workspaces } from '../workspace/workspaces.js';

/** Does a command's work on the configured database, and leaves it as it was found: running or not. */
export async function withDatabase<T>(work: (db: EntityManager) => Promise<T>): Promise<T> {
  const config = { ...readConfig(), poolSize: 2 };
  for (const warning of config.warnings) process.stderr.write(`${warning}\n`);
  const database = await openDatabase(config, createLogger('silent'), { isServer: false });
  try {
    return await work(database.dataSource.manager);
  } finally {
    await database.close();
  }
}

/** Who works at the command line: `WTS_AUTHOR`, or else the user of the operating system. */
export function author(): string {
  return readConfig().author ?? systemUser();
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, a user may be no more than a number.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/**
 * The workflow of these ids, and how work on its tasks is done; throws when there is none. `taskUrl` is the
 * template of what its tasks show as `Task URL`.
 */
export async function openWorkflow(
  db: EntityManager,
  workspace: string,
  workflow: string,
  taskUrl: string,
): Promise<{ work: UnitOfWork; workflow: Workflow }> {
  const found = await db.findOneBy(WorkspaceEntity, { slug: workspace });
  if (!found) throw new Error(`There is no workspace "${workspace}". See: wts workspace list`);
  const workspaces = new Workspaces(db.dataSource, taskUrl);
  const { workflows } = await workspaces.get(found.id);
  const wanted = workflows.get(workflow);
  if (!wanted)
    throw new Error(
      `There is no workflow "${workflow}" in ${workspace}. It has: ${[...workflows.keys()].join(', ')}`,
    );
  const writers = new FairSemaphore(1, 'Another write is under way.');
  return { work: new UnitOfWork(db.dataSource, workspaces, writers), workflow: wanted };
}

/** The workspace of this id, which nobody can delete, or where asked alter, before the transaction ends. */
export async function workspaceNamed(
  tx: EntityManager,
  slug: string,
  mode: 'for_key_share' | 'for_no_key_update' | 'pessimistic_write' = 'for_key_share',
): Promise<WorkspaceEntity> {
  const workspace = await tx.findOne(WorkspaceEntity, { where: { slug }, lock: { mode } });
  if (!workspace) throw new Error(`There is no workspace "${slug}". See: wts workspace list`);
  return workspace;
}
