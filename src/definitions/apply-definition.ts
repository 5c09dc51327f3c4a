import { type DataSource, type EntityManager } from 'typeorm';
import { isTransactionConflict } from '../errors/database-error.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { checkDefinition } from './check-definition.js';
import { type Change } from './change.js';
import { carryOut } from './carry-out.js';
import { type Plan } from './data/draft.js';
import { surveyData } from './data/survey.js';
import { type WorkspaceDefinition } from './definition.js';
import { DefinitionRefused, refusalsOf } from './definition-refused.js';
import { draftOf } from './draft-of.js';
import { lockWorkflows } from './lock-workflows.js';
import { type PlanOptions } from './plan-definition.js';
import { type SourceDefinition } from './read-definition.js';
import { loadWorkspaceRows, type WorkspaceRows } from './workspace-rows.js';

export interface ApplyOptions extends PlanOptions {
  /** Whether data may be lost that the new definition has no place for. */
  readonly allowsDataLoss?: boolean;
  /** Who is named in the history. */
  readonly author?: string;
  /** Told what is going to be done, before it is done or refused. */
  readonly onPlan?: (plan: Plan) => void;
}

/** Applies a definition in one transaction: all of it, or nothing and every reason why. */
export async function applyDefinition(
  dataSource: DataSource,
  source: SourceDefinition,
  options: ApplyOptions = {},
): Promise<Change[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await dataSource.transaction((db) => applyWithin(db, source, options));
    } catch (error) {
      // A writer that came across us in a circle of locks.
      if (attempt === mostAttempts || !isTransactionConflict(error)) throw error;
    }
  }
}

const mostAttempts = 5;

/** The same within a transaction of the caller's, such as a migration's. */
export async function applyWithin(
  db: EntityManager,
  source: SourceDefinition,
  options: ApplyOptions = {},
): Promise<Change[]> {
  const { isPruning = false, allowsDataLoss = false, author = 'the service', onPlan, onProgress } = options;
  // What cannot be a workspace's id is in no database.
  if (!/^[a-z0-9-]+$/.test(source.definition.workspace.id)) checkDefinition(source.definition, source);
  // Writes may keep the locks that this needs for as long as a slow statement takes, and many tasks may have to move.
  await db.query("SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0");
  const rows = await lockWorkspace(db, source.definition);
  const draft = draftOf(rows, source, isPruning);
  const { changes } = draft;
  if (changes.length > 0) await lockWorkflows(db, draft);
  const effects = await surveyData(db, draft, onProgress);
  onPlan?.({ workspace: rows.workspace.slug, version: rows.workspace.version, changes, effects });
  const reasons = refusalsOf(effects, allowsDataLoss);
  if (reasons.length > 0) throw new DefinitionRefused(reasons);
  if (changes.length > 0) await carryOut(db, draft, { author, onProgress });
  return [...changes];
}

/** The rows of the workspace, which nobody else can apply to meanwhile; one that is new is made at version 0. */
async function lockWorkspace(db: EntityManager, { workspace }: WorkspaceDefinition): Promise<WorkspaceRows> {
  await db.query('INSERT INTO workspaces (slug, name) VALUES ($1, $2) ON CONFLICT (slug) DO NOTHING', [
    workspace.id,
    workspace.name ?? workspace.id,
  ]);
  const { id } = await db.findOneOrFail(WorkspaceEntity, {
    where: { slug: workspace.id },
    lock: { mode: 'for_no_key_update' },
  });
  const rows = await loadWorkspaceRows(db, id);
  if (!rows) throw new Error('a locked workspace is gone');
  return rows;
}
