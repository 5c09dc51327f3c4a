import { type DataSource, type EntityManager } from 'typeorm';
import { inTurns } from '../../../packages/fair/turn.js';
import { isTransactionConflict } from '../../common/database-error.js';
import { announceChange } from '../../common/database/notifications.js';
import { setOrigin } from '../../common/database/sql.js';
import { type WorkspaceDefinition } from '../model/definition.js';
import { WorkspaceEntity } from '../model/entities/workspace.entity.js';
import { type AppliedDefinition } from '../model/impact.js';
import { storedDefinition } from '../model/stored-definition.js';
import { addWorkspace, lockWorkflows, lockWorkspace } from '../model/workspace.repository.js';
import { type WorkspaceRows } from '../model/workspace-rows.js';
import { loadDefinitionRows } from './store/load-rows.js';
import { checkDefinition } from './check/check-definition.js';
import { type Draft, type Plan, drafting, effectsOf, planOf, type PlanOptions } from './plan-definition.js';
import { impacts, kinds } from './kinds.js';
import { refusalsOf } from '../model/effect.js';
import { type SourceDefinition } from './source/read-definition.js';
import { recordVersion } from './store/history.js';
import { deleteRemoved, storeDefinition } from './store/store-definition.js';

export interface ApplyOptions extends PlanOptions {
  /** Whether the apply may delete data that does not fit the new definition. */
  readonly allowsDataLoss?: boolean;
  readonly author?: string;
  readonly requestId?: string | undefined;
  /** Called with the locked workspace; may throw to cancel the apply. */
  readonly onLocked?: (workspace: WorkspaceEntity) => void;
}

/**
 * Applies a definition in one transaction. If the definition must be refused, throws all reasons at once.
 * Fills new indexes after the commit, without blocking writes. Until an index is complete, no list uses it.
 * If the process stops before an index is complete, a worker or the next apply fills the rest.
 */
export async function applyDefinition(
  dataSource: DataSource,
  source: SourceDefinition,
  options: ApplyOptions = {},
): Promise<Plan> {
  const { plan, workspaceId } = await retried(() =>
    dataSource.transaction((db) => applyUnfilled(db, source, options)),
  );
  await retried(() => finish(dataSource.manager, workspaceId));
  return plan;
}

async function finish(db: EntityManager, workspaceId: number): Promise<void> {
  for (const impact of impacts) await impact.finish?.(db, workspaceId);
}

/** Repeats the work if PostgreSQL aborts it because of a deadlock or a serialization failure. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isTransactionConflict(error)) throw error;
    }
  }
}

const MAX_ATTEMPTS = 5;

/** Applies a definition within a transaction of the caller, for example in a migration. */
export async function applyWithin(
  db: EntityManager,
  source: SourceDefinition,
  options: ApplyOptions = {},
): Promise<Plan> {
  const { plan, workspaceId } = await applyUnfilled(db, source, options);
  await finish(db, workspaceId);
  return plan;
}

/** Applies a definition within a transaction. Does not fill new indexes: the caller or a worker does so. */
export async function applyUnfilled(
  db: EntityManager,
  source: SourceDefinition,
  options: ApplyOptions,
): Promise<{ readonly plan: Plan; readonly workspaceId: number }> {
  const { allowsDataLoss = false, author = 'the service', onLocked, requestId } = options;
  // Reports an invalid id here, because the database would refuse to store it.
  if (!/^[a-z0-9-]+$/.test(source.definition.workspace.id)) checkDefinition(source.definition, source);
  // The apply gets more time, because it may wait for slow writers, and may itself change many tasks.
  await db.query("SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0");
  const rows = await lockRows(db, source.definition);
  onLocked?.(rows.workspace);
  const draft = await inTurns(drafting(rows, source, options));
  const { changes } = draft;
  if (changes.length > 0) await lockWorkflows(db, rows.workspace.id, workflowsToLock(draft));
  const effects = await effectsOf(db, draft);
  const plan = planOf(draft, effects);
  const reasons = refusalsOf(effects, allowsDataLoss);
  if (reasons.length > 0) throw new DefinitionRefused(plan, reasons);
  if (changes.length > 0) await carryOut(db, draft, { author, requestId });
  return { plan, workspaceId: rows.workspace.id };
}

/** Locks the workspace against other applies and loads its rows. Inserts a missing workspace at version 0. */
async function lockRows(db: EntityManager, { workspace }: WorkspaceDefinition): Promise<WorkspaceRows> {
  const { id: slug, name = slug } = workspace;
  await addWorkspace(db, { slug, name });
  const { id } = await lockWorkspace(db, { slug });
  return rowsOf(db, id);
}

interface CarryOptions extends Pick<ApplyOptions, 'requestId'> {
  readonly author: string;
}

/** Thrown if a valid definition is refused: the apply would lose data, or something blocks the apply. */
export class DefinitionRefused extends Error {
  constructor(
    readonly plan: Plan,
    readonly reasons: readonly string[],
  ) {
    super(reasons.join('\n'));
  }
}

/** Changes the stored definition and its data to match the draft, and records the new version. */
async function carryOut(tx: EntityManager, draft: Draft, { author, requestId }: CarryOptions): Promise<void> {
  const { id: workspaceId, version: former } = draft.rows.workspace;
  const version = former + 1;
  // If the apply changes tasks, their events record the new version of the definition as the origin.
  const origin = { definition: version, name: author, request: requestId };
  await setOrigin(tx, workspaceId, JSON.stringify(origin));
  const appliedTo = (after: WorkspaceRows, definition: WorkspaceDefinition): AppliedDefinition => ({
    ...draft,
    workspaceId,
    version,
    after,
    definition,
    origin,
    workflowIds: new Map(after.workflows.map(({ id, slug }) => [slug, id])),
  });

  for (const impact of impacts) await impact.release?.(tx, draft);
  await storeDefinition(tx, draft);
  const begun = appliedTo(await rowsOf(tx, workspaceId), draft.merged);
  for (const impact of impacts) await impact.begin?.(tx, begun);
  for (const impact of impacts) await impact.move?.(tx, begun);
  await deleteRemoved(tx, draft.matches);
  await tx.increment(WorkspaceEntity, { id: workspaceId }, 'version', 1);
  const after = await rowsOf(tx, workspaceId);
  const applied = appliedTo(after, storedDefinition(after, kinds));
  const { changes } = draft;
  await recordVersion(tx, { workspaceId, version, author, changes, definition: applied.definition });
  for (const impact of impacts) await impact.settle?.(tx, applied);
  await announceChange(tx, workspaceId);
}

async function rowsOf(db: EntityManager, workspaceId: number): Promise<WorkspaceRows> {
  const rows = await loadDefinitionRows(db, workspaceId);
  if (!rows) throw new Error('a locked workspace is gone');
  return rows;
}

/**
 * The changed workflows, and the workflows with a relationship to a changed workflow. During the apply, no
 * other request may write their tasks. A write of links locks tasks at both ends of a relationship, and so
 * could deadlock with the apply.
 */
function workflowsToLock(draft: Draft): Set<number> {
  const affected = affectedWorkflows(draft);
  const neighbours = draft.rows.relationships.flatMap(({ fromWorkflowId, toWorkflowId }) =>
    affected.has(fromWorkflowId) || affected.has(toWorkflowId) ? [fromWorkflowId, toWorkflowId] : [],
  );
  return new Set([...affected, ...neighbours]);
}

function affectedWorkflows({ rows, stored, merged }: Draft): Set<number> {
  const text = (definition: WorkspaceDefinition | undefined, id: string): string =>
    JSON.stringify(definition?.workflows.find((workflow) => workflow.id === id));
  const isShared =
    JSON.stringify([stored?.users, stored?.relationships]) !==
    JSON.stringify([merged.users, merged.relationships]);
  const changed = rows.workflows.filter(({ slug }) => isShared || text(stored, slug) !== text(merged, slug));
  return new Set(changed.map(({ id }) => id));
}
