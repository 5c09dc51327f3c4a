import { type DataSource, type EntityManager } from 'typeorm';
import { inTurns } from '../../../packages/fair/turn.js';
import { isTransactionConflict } from '../../common/database-error.js';
import { WorkspaceEntity } from '../model/entities/workspace.entity.js';
import { checkDefinition } from './check/check-definition.js';
import { type Change } from '../model/change.js';
import { type Plan, type Draft } from './draft.js';
import { impactOf, movedRelationships } from './impact/impact.js';
import { type WorkspaceDefinition } from '../model/definition.js';
import { DefinitionRefused, refusalsOf } from './refusal.js';
import { drafting, planOf, type PlanOptions } from './plan-definition.js';
import { type SourceDefinition } from './source/read-definition.js';
import { kinds } from './kinds.js';
import { storedDefinition } from '../model/stored-definition.js';
import { loadWorkspaceRows, type WorkspaceRows } from '../model/workspace-rows.js';
import { tellOrigin } from '../../common/database/sql.js';
import { announceChange } from '../../common/database/notifications.js';
import { UserDirectory } from '../fields/users.js';
import { findChangedFields } from './impact/changed-fields.js';
import { workflowsToLock } from './locked-workflows.js';
import { clearRemoved, deleteLinks, deleteRemoved, moveTasks } from './migrate-data/clear-removed.js';
import { renameNarrowings } from './migrate-data/rename-narrowings.js';
import { renameWaiting } from './migrate-data/rename-waiting.js';
import { convertValues } from './migrate-data/convert-values.js';
import { beginIndexes, fillIndexes } from '../../tasks/store/index-fields.js';
import { completeWaiting } from '../../approvals/newly-complete.js';
import { changeClocks } from '../../automation/clocks/derive-clocks.js';
import { workflowsWithOtherClocks } from '../../automation/clocks/changed-clocks.js';
import { recordVersion } from './store/history.js';
import { storeDefinition } from './store/store-definition.js';
import { addWorkspace, lockWorkflows, lockWorkspace } from '../model/workspace.repository.js';

export interface ApplyOptions extends PlanOptions {
  /** Whether the apply may lose data that the new definition has no place for. */
  readonly allowsDataLoss?: boolean;
  /** Whether clocks that become overdue by this change run their rungs; otherwise their rungs count as done. */
  readonly firesOverdue?: boolean;
  /** The author that the history names. */
  readonly author?: string;
  /** The id of the request, for its events. */
  readonly requestId?: string | undefined;
  /** Called with the workspace once no other apply can run; may throw if it is the wrong one. */
  readonly onLocked?: (workspace: WorkspaceEntity) => void;
  /** Called with the plan before it is carried out or refused. */
  readonly onPlan?: (plan: Plan) => void;
}

/**
 * Applies a definition in one transaction: either all of it, or none of it with all reasons why. New indexes are filled
 * afterwards, while others write; lists do not use them until then. If the filling is interrupted, a worker or the next
 * apply continues it.
 */
export async function applyDefinition(
  dataSource: DataSource,
  source: SourceDefinition,
  options: ApplyOptions = {},
): Promise<Change[]> {
  const { changes, workspaceId } = await retried(() =>
    dataSource.transaction((db) => applyUnfilled(db, source, options)),
  );
  await retried(() => fillIndexes(dataSource.manager, workspaceId));
  return changes;
}

/** Repeats the work if PostgreSQL aborts it because of a deadlock with a writer. */
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

/** Applies a definition within the caller's transaction, such as a migration's. */
export async function applyWithin(
  db: EntityManager,
  source: SourceDefinition,
  options: ApplyOptions = {},
): Promise<Change[]> {
  const { changes, workspaceId } = await applyUnfilled(db, source, options);
  await fillIndexes(db, workspaceId);
  return changes;
}

interface Applied {
  readonly changes: Change[];
  readonly workspaceId: number;
}

/** Applies a definition within a transaction, without filling its new indexes: a worker does that. */
export async function applyUnfilled(
  db: EntityManager,
  source: SourceDefinition,
  options: ApplyOptions,
): Promise<Applied> {
  const {
    allowsDataLoss = false,
    author = 'the service',
    firesOverdue = false,
    onLocked,
    onPlan,
    requestId,
  } = options;
  // An invalid id is not looked up; the check reports what is wrong with it.
  if (!/^[a-z0-9-]+$/.test(source.definition.workspace.id)) checkDefinition(source.definition, source);
  // A writer may hold the locks as long as a slow statement takes, and many tasks may have to be moved.
  await db.query("SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0");
  const rows = await lockRows(db, source.definition);
  onLocked?.(rows.workspace);
  const draft = await inTurns(drafting(rows, source, options));
  const { changes } = draft;
  if (changes.length > 0) await lockWorkflows(db, rows.workspace.id, workflowsToLock(draft));
  const effects = await impactOf(db, draft);
  onPlan?.(planOf(draft, effects));
  const reasons = refusalsOf(effects, allowsDataLoss);
  if (reasons.length > 0) throw new DefinitionRefused(reasons);
  if (changes.length > 0) await carryOut(db, draft, { author, firesOverdue, requestId });
  return { changes: [...changes], workspaceId: rows.workspace.id };
}

/** Locks the workspace against other applies and loads its rows; a new workspace is inserted at version 0. */
async function lockRows(db: EntityManager, { workspace }: WorkspaceDefinition): Promise<WorkspaceRows> {
  const { id: slug, name = slug } = workspace;
  await addWorkspace(db, { slug, name });
  const { id } = await lockWorkspace(db, { slug });
  return rowsOf(db, id);
}

interface CarryOptions extends Pick<ApplyOptions, 'requestId'> {
  readonly author: string;
  readonly firesOverdue: boolean;
}

/** Changes the database to match the draft, keeps all data that has a place in it, and puts it in force. */
async function carryOut(
  db: EntityManager,
  draft: Draft,
  { author, firesOverdue, requestId }: CarryOptions,
): Promise<void> {
  const { rows, stored, merged, changes, matches } = draft;
  const { id: workspaceId, version } = rows.workspace;
  // The events of tasks that the apply changes name the definition as their origin.
  const origin = { definition: version + 1, name: author, request: requestId };
  await tellOrigin(db, workspaceId, JSON.stringify(origin));
  const unlinked = [...movedRelationships(rows, merged), ...matches.gone.relationships.map(({ id }) => id)];
  await deleteLinks(db, workspaceId, unlinked);
  await storeDefinition(db, draft);
  await moveData(db, draft, await rowsOf(db, workspaceId));
  await moveTasks(db, draft);
  if (stored) await renameWaiting(db, rows, stored, merged);
  if (stored) await renameNarrowings(db, workspaceId, stored, merged);
  await deleteRemoved(db, matches);
  await db.increment(WorkspaceEntity, { id: workspaceId }, 'version', 1);
  const after = await rowsOf(db, workspaceId);
  await beginIndexes(db, workspaceId, after, rows.fields);
  const clocked = workflowsWithOtherClocks(stored, merged, after.workflows);
  const definition = storedDefinition(after, kinds);
  await recordVersion(db, { workspaceId, version: version + 1, author, changes, definition });
  await changeClocks(db, workspaceId, clocked, version + 1, firesOverdue);
  if (stored) await completeWaiting(db, stored, definition, after, origin);
  await announceChange(db, { workspaceId });
}

/** Moves and converts the data of changed and removed parts, as far as the new definition has a place for it. */
async function moveData(db: EntityManager, draft: Draft, after: WorkspaceRows): Promise<void> {
  const gone = new Set(draft.matches.gone.workflows);
  for (const workflow of draft.rows.workflows)
    if (!gone.has(workflow)) await clearRemoved(db, workflow, draft, after);
  const directory = new UserDirectory(after.users);
  for (const { workflow, fields } of findChangedFields(draft)) {
    const place = { workspaceId: workflow.workspaceId, workflowId: workflow.id };
    await convertValues(db, place, fields, directory);
  }
}

async function rowsOf(db: EntityManager, workspaceId: number): Promise<WorkspaceRows> {
  const rows = await loadWorkspaceRows(db, workspaceId);
  if (!rows) throw new Error('a locked workspace is gone');
  return rows;
}
