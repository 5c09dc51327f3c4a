import { type EntityManager, type EntityMetadata } from 'typeorm';
import { announceChange } from '../common/database/notifications.js';
import { setOrigin } from '../common/database/sql.js';
import { BlobEntity } from '../tasks/files/blob.entity.js';
import { WorkflowEntity } from '../workflows/model/entities/workflow.entity.js';
import { WorkspaceEntity } from '../workflows/model/entities/workspace.entity.js';
import { FlowDayEntity } from '../automation/figures/flow-day.entity.js';
import { EventEntity } from '../events/event.entity.js';
import { IdempotencyKeyEntity } from '../common/http/idempotency-key.entity.js';
import { MailWindowEntity } from '../messages/inbox/mail-window.entity.js';
import { QuarantinedPostEntity } from '../automation/forms/quarantined-post.entity.js';
import { ReceivedHookEntity } from '../automation/rules/hooks/received-hook.entity.js';
import { TaskEntity } from '../tasks/store/task.entity.js';
import { UniqueIdCounterEntity } from '../tasks/store/unique-id-counter.entity.js';
import { releaseBlobsOfWorkspace } from '../tasks/files/blobs.repository.js';
import { retried } from '../workflows/definition/apply-definition.js';
import { lockWorkflows } from '../workflows/model/workspace.repository.js';
import { workspaceNamed } from './with-database.js';

/** In one transaction; returns the number of deleted tasks. */
export async function resetWorkspace(db: EntityManager, slug: string): Promise<number> {
  return retried(() =>
    db.transaction(async (tx) => eraseTasks(tx, await lockWorkspace(tx, slug, 'for_no_key_update'))),
  );
}

/** With its keys and everything else, in one transaction; returns the number of deleted tasks. */
export async function deleteWorkspace(db: EntityManager, slug: string): Promise<number> {
  return retried(() =>
    db.transaction(async (tx) => {
      const id = await lockWorkspace(tx, slug, 'pessimistic_write');
      const tasks = await eraseTasks(tx, id);
      await recordEvents(tx, id, false);
      for (const table of (await erasedTables(tx)).others) await eraseRows(tx, table, id);
      await tx.delete(WorkspaceEntity, { id });
      await announceChange(tx, id);
      await announceChange(tx, 'keys');
      return tasks;
    }),
  );
}

/** Locks a workspace against writes, in the order in which writers and `apply` take their locks. */
async function lockWorkspace(
  tx: EntityManager,
  slug: string,
  mode: 'for_no_key_update' | 'pessimistic_write',
): Promise<number> {
  await tx.query("SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0");
  const { id } = await workspaceNamed(tx, slug, mode);
  // Loaded only here, because it loads Nest, which most commands do not need.
  const { forgetExpiredKeys } = await import('../common/http/idempotency.js');
  // Expired keys first: a request locks its expired key, then its workflow.
  await forgetExpiredKeys(tx, id);
  const workflows = await tx.find(WorkflowEntity, {
    select: { id: true },
    where: { workspaceId: id },
    order: { id: 'ASC' },
  });
  await lockWorkflows(tx, id, workflows.map((workflow) => workflow.id)); // prettier-ignore
  return id;
}

/** Deletes every task and its data. The sweep deletes the files later. */
async function eraseTasks(tx: EntityManager, id: number): Promise<number> {
  // Rows that are deleted with their task record no events.
  await recordEvents(tx, id, false);
  for (const table of (await erasedTables(tx)).ofTasks) await eraseRows(tx, table, id);
  await recordEvents(tx, id, true);
  await releaseBlobsOfWorkspace(tx, id);
  return eraseRows(tx, 'tasks', id);
}

/** An event tells followers of the workspace that a reset has deleted its tasks. */
async function recordEvents(tx: EntityManager, id: number, isRecorded: boolean): Promise<void> {
  await setOrigin(tx, id, isRecorded ? '' : 'none');
}

/** `tasks` and `blobs` are left out: the sweep needs the rows of `blobs` to find the bytes. */
export interface ErasedTables {
  readonly ofTasks: readonly string[];
  readonly others: readonly string[];
}

/** Finds the tables by the columns of the entities. A table comes before the tables that it references. */
export async function erasedTables(db: EntityManager): Promise<ErasedTables> {
  const references = await db.query<Reference[]>(readReferences);
  const isOfTasks = ({ target, tableName, propertiesMap }: EntityMetadata): boolean =>
    target !== EventEntity &&
    ('taskId' in propertiesMap ||
      references.some(({ from, to }) => from === tableName && to === 'tasks') ||
      withoutTaskId.some((entity) => entity === target));
  const all = db.dataSource.entityMetadatas.filter(
    ({ target, propertiesMap }) =>
      'workspaceId' in propertiesMap && target !== TaskEntity && target !== BlobEntity,
  );
  const ofTasks = new Set(all.filter(isOfTasks).map(({ tableName }) => tableName));
  const ordered = inOrder(all.map(({ tableName }) => tableName), references); // prettier-ignore
  return {
    ofTasks: ordered.filter((table) => ofTasks.has(table)),
    others: ordered.filter((table) => !ofTasks.has(table)),
  };
}

/** Tables about tasks whose rows name no task. */
const withoutTaskId = [
  FlowDayEntity,
  IdempotencyKeyEntity,
  MailWindowEntity,
  QuarantinedPostEntity,
  ReceivedHookEntity,
  UniqueIdCounterEntity,
];

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

async function eraseRows(tx: EntityManager, table: string, workspaceId: number): Promise<number> {
  const text = `DELETE FROM ${table} WHERE workspace_id = $1`;
  const [, rows] = await tx.query<[unknown, number]>(text, [workspaceId]);
  return rows;
}
