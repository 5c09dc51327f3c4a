import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type ApprovalsDefinition } from '../actions/approvals/approvals-schema.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../workspace/definition.js';

/** The ids of the workflows whose changes affect approvals, their own or those of linked tasks. */
export function markedWorkflows({ workflows, relationships }: WorkspaceDefinition): string[] {
  const marked = new Set<string>();
  for (const workflow of workflows) {
    const groups = groupsOf(workflow);
    if (groups.length === 0) continue;
    marked.add(workflow.id);
    for (const { from, to } of relationships) {
      const names = (name: string): boolean => groups.some((group) => reads(group, name));
      if (from.workflow === workflow.id && names(from.name)) marked.add(to.workflow);
      if (to.workflow === workflow.id && names(to.name)) marked.add(from.workflow);
    }
  }
  return [...marked];
}

type Group = ApprovalsDefinition['of'][number];

function groupsOf({ actions }: WorkflowDefinition): Group[] {
  // The definition was checked, so it has this form.
  const settings = actions.flatMap(
    ({ requirements }) => (requirements['approvals'] ?? []) as ApprovalsDefinition[],
  );
  return settings.flatMap(({ of }) => of);
}

/** Whether a group may read tasks linked under a name. Its condition is searched for the name, not parsed. */
function reads({ covers, when = '' }: Group, name: string): boolean {
  return covers?.includes(name) === true || when.includes(JSON.stringify(name)) || when.includes(`'${name}'`);
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
