import { type EntityManager } from 'typeorm';
import { sql } from '../common/database/sql.js';
import { groupsOf } from '../actions/requirements/approvals/check-approvals.js';
import { type WorkspaceDefinition } from '../workflows/model/definition.js';
import { scopeOf } from '../workflows/model/check/kit.js';

/** The ids of the workflows whose changes affect approvals: their own, or those of linked tasks. */
export function markedWorkflows(definition: WorkspaceDefinition): string[] {
  const marked = new Set<string>();
  for (const [id, scope] of scopeOf(definition).workflows) {
    const groups = scope.workflow.actions.flatMap((action) => groupsOf(action, scope));
    if (groups.length === 0) continue;
    marked.add(id);
    const isCovered = (name: string): boolean => groups.some(({ names }) => names.has(name));
    for (const { from, to } of definition.relationships) {
      if (from.workflow === id && isCovered(from.name)) marked.add(to.workflow);
      if (to.workflow === id && isCovered(to.name)) marked.add(from.workflow);
    }
  }
  return [...marked];
}

/** Records changes for approvals in these workflows from now on, and in no others. */
export async function markChanges(
  db: EntityManager,
  workspaceId: number,
  workflowIds: readonly number[],
): Promise<void> {
  await sql(db, mark, [workspaceId, workflowIds]);
}

const mark = {
  name: 'mark-changes',
  text: `
    UPDATE workflows SET approvals_since = CASE WHEN id = ANY($2::integer[]) THEN service_now() END
    WHERE workspace_id = $1 AND (approvals_since IS NOT NULL) <> (id = ANY($2))`,
};
