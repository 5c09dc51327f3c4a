import { type EntityManager } from 'typeorm';
import { announceChange } from '../common/database/notifications.js';
import { setOrigin } from '../common/database/sql.js';
import { BlobEntity } from '../tasks/files/blob.entity.js';
import { WorkflowEntity } from '../workflows/model/entities/workflow.entity.js';
import { WorkspaceEntity } from '../workflows/model/entities/workspace.entity.js';
import { TaskEntity } from '../tasks/store/task.entity.js';
import { releaseBlobsOfWorkspace } from '../tasks/files/blobs.repository.js';
import { retried } from '../workflows/definition/apply-definition.js';
import { lockWorkflows } from '../workflows/model/workspace.repository.js';
import { workspaceNamed } from './with-database.js';

/** Deletes a workspace and all its rows in one transaction; returns the number of deleted tasks. */
export async function deleteWorkspace(db: EntityManager, slug: string): Promise<number> {
  return retried(() =>
    db.transaction(async (tx) => {
      const id = await lockWorkspace(tx, slug);
      // Turns off the recording of events for the rows that are deleted.
      await setOrigin(tx, id, 'none');
      // The rows of `blobs` stay, because the sweep needs them to find the bytes.
      await releaseBlobsOfWorkspace(tx, id);
      const tasks = await tx.countBy(TaskEntity, { workspaceId: id });
      for (const table of await erasedTables(tx)) await eraseRows(tx, table, id);
      await tx.delete(WorkspaceEntity, { id });
      await announceChange(tx, id);
      await announceChange(tx, 'keys');
      return tasks;
    }),
  );
}

/** Locks a workspace against writes. Takes the locks in the same order as writers and `apply`. */
async function lockWorkspace(tx: EntityManager, slug: string): Promise<number> {
  await tx.query("SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0");
  const { id } = await workspaceNamed(tx, slug, 'pessimistic_write');
  // Loads Nest on demand, because most commands do not need it.
  const { forgetExpiredKeys } = await import('../common/http/idempotency.js');
  // Deletes expired keys first, because a request locks its expired key before its workflow.
  await forgetExpiredKeys(tx, id);
  const workflows = await tx.find(WorkflowEntity, {
    select: { id: true },
    where: { workspaceId: id },
    order: { id: 'ASC' },
  });
  await lockWorkflows(tx, id, workflows.map((workflow) => workflow.id)); // prettier-ignore
  return id;
}

/** Returns all tables of workspaces. Each table comes before the tables that it references. */
export async function erasedTables(db: EntityManager): Promise<readonly string[]> {
  const references = await db.query<Reference[]>(readReferences);
  const all = db.dataSource.entityMetadatas.filter(
    ({ target, propertiesMap }) => 'workspaceId' in propertiesMap && target !== BlobEntity,
  );
  return inOrder(all.map(({ tableName }) => tableName), references); // prettier-ignore
}

interface Reference {
  readonly from: string;
  readonly to: string;
}

const readReferences = `
  SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to
  FROM pg_constraint JOIN pg_class c ON c.oid = conrelid
  WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid <> confrelid`;

function inOrder(tables: readonly string[], references: readonly Reference[]): string[] {
  const ordered = new Set<string>();
  const add = (table: string): void => {
    if (ordered.has(table)) return;
    for (const { from, to } of references) if (to === table) add(from);
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered].filter((table) => tables.includes(table));
}

async function eraseRows(tx: EntityManager, table: string, workspaceId: number): Promise<void> {
  await tx.query(`DELETE FROM ${table} WHERE workspace_id = $1`, [workspaceId]);
}
