import { approvedActions, coveredSides } from '../actions/requirements/approvals/approval-group.js';
import { sql } from '../common/database/sql.js';
import { ofAction, renamedActions } from '../actions/changed-actions.js';
import { compileWorkspace } from '../workflows/model/compile-workspace.js';
import { type Impact } from '../workflows/model/impact.js';
import { type Workflow } from '../workflows/model/workspace.js';

export const approvalsImpact: Impact = {
  async move(tx, applied) {
    for (const renamed of renamedActions(applied)) {
      for (const text of emptied) await sql(tx, { text }, renamed.slice(0, 3));
      for (const text of moved) await sql(tx, { text }, renamed);
    }
  },
  async settle(tx, { workspaceId, after }) {
    const { workflows } = await compileWorkspace(after, '');
    await sql(tx, mark, [workspaceId, workflowsToMark(workflows.values())]);
  },
};

/** Returns the ids of workflows with approvals, and of the workflows of linked tasks that approvals cover. */
function workflowsToMark(workflows: Iterable<Workflow>): number[] {
  return [...workflows].flatMap((workflow) => {
    const groups = approvedActions(workflow).flatMap((plan) => plan.groups);
    const far = coveredSides(groups).flatMap(
      (side) => workflow.schema.links.get(side)?.otherWorkflowId ?? [],
    );
    return groups.length === 0 ? [] : [workflow.id, ...far];
  });
}

/** Makes the trigger `mark_approvals` record changes in these workflows, and ignore all other workflows. */
const mark = {
  name: 'mark-changes',
  text: `
    UPDATE workflows SET approvals_since = CASE WHEN id = ANY($2::integer[]) THEN service_now() END
    WHERE workspace_id = $1 AND (approvals_since IS NOT NULL) <> (id = ANY($2))`,
};

// If another action had the new id before, its live decisions end and its last success is forgotten.
const emptied = [
  `UPDATE approvals SET state = 'replaced' WHERE ${ofAction('$3')} AND state = 'live'`,
  `DELETE FROM approval_rounds WHERE ${ofAction('$3')}`,
];

const moved = ['approvals', 'approval_rounds'].map(
  (table) => `UPDATE ${table} SET action_id = $3 WHERE ${ofAction('$4')}`,
);
