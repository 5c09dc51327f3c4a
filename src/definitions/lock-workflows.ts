import { type EntityManager } from 'typeorm';
import { findChangedFields, isRetyped } from './data/changed-fields.js';
import { type Draft } from './data/draft.js';
import { type WorkspaceDefinition } from './definition.js';

/** Keeps writes of all tasks away that the draft's changes may concern, until the transaction ends. */
export async function lockWorkflows(db: EntityManager, draft: Draft): Promise<void> {
  for (const workflowId of workflowsToLock(draft)) {
    await db.query('SELECT pg_advisory_xact_lock($1, $2)', [draft.rows.workspace.id, workflowId]);
  }
}

/**
 * The workflows whose tasks must not be written meanwhile, in the order in which everybody locks them. Who writes
 * links locks tasks of the neighbours too, and would meet us there while we move those: then they wait as well.
 */
function workflowsToLock(draft: Draft): number[] {
  const affected = affectedWorkflows(draft);
  const { relationships } = draft.rows;
  const neighbours = relationships.flatMap(({ fromWorkflowId, toWorkflowId }) =>
    affected.has(fromWorkflowId) || affected.has(toWorkflowId) ? [fromWorkflowId, toWorkflowId] : [],
  );
  const all = movesTasks(draft) ? [...affected, ...neighbours] : [...affected];
  return [...new Set(all)].sort((one, other) => one - other);
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

function movesTasks({ rows, stored, merged, gone }: Draft): boolean {
  const ends = ({ workflows }: WorkspaceDefinition): string =>
    JSON.stringify(workflows.map(({ stages }) => stages.map(({ end }) => end)));
  return (
    gone.within.some(({ stages, fields }) => stages.length + fields.length > 0) ||
    findChangedFields(rows, merged).some(({ fields }) => fields.some(isRetyped)) ||
    (stored !== undefined && ends(stored) !== ends(merged))
  );
}
