import { approvedActions, coveredSides } from '../actions/requirements/approvals/approval-group.js';
import { isApproved } from '../actions/requirements/approvals/judge-approvals.js';
import { ApprovalEntity } from '../actions/requirements/approvals/approval.entity.js';
import { sql } from '../common/database/sql.js';
import { agree, plural } from '../common/wording.js';
import { changedActions, ofAction, renamedActions } from '../actions/changed-actions.js';
import { type ChangedDefinition } from '../workflows/model/changed-definition.js';
import { compileWorkspace } from '../workflows/model/compile-workspace.js';
import { type Effect, effectOf } from '../workflows/model/effect.js';
import { ActionEntity } from '../workflows/model/entities/action.entity.js';
import { type Impact } from '../workflows/model/impact.js';
import { renamedSchema } from '../tasks/migrate-data/renamed-schema.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { completeWaiting, rejudgeWaiting } from './newly-complete.js';

export const approvalsImpact: Impact = {
  async effects(db, changed) {
    const effects: Effect[] = [];
    for (const { its, name } of changedActions(changed).filter(({ stays }) => !stays)) {
      const live = { ...its, decision: 'approve', state: 'live', isPast: false } as const;
      const count = await db.countBy(ApprovalEntity, live);
      const lost = `${plural(count, 'approval')} will count for nothing`;
      effects.push(...effectOf('notes', 'action', name, count, lost));
    }
    return effects;
  },
  /** Counts the tasks that wait for approvals of an action whose approvals change, and those that the change completes. */
  async forecast(db, changed) {
    const { stored, merged } = changed;
    if (!stored) return [];
    const counts = new Map<string, [number, number]>();
    const after = await workflowsAfter(changed);
    for await (const approvals of rejudgeWaiting(db, after, stored, merged)) {
      const name = `${approvals.workflow.slug} / ${approvals.plan.action.id}`;
      const [all, complete] = counts.get(name) ?? [0, 0];
      counts.set(name, [all + 1, complete + Number(isApproved(approvals))]);
    }
    return [...counts].flatMap(([name, [all, complete]]) => {
      const text = `${plural(all, 'task')} ${agree(all, 'waits', 'wait')} for its approvals: ${complete} complete at once`;
      return effectOf('notes', 'action', name, all, text);
    });
  },
  async move(tx, applied) {
    for (const renamed of renamedActions(applied)) {
      // Another action can take an id only after its former owner has left it.
      for (const text of emptied) await sql(tx, { text }, renamed.slice(0, 3));
      for (const text of moved) await sql(tx, { text }, renamed);
    }
  },
  async settle(tx, { workspaceId, stored, definition, after, origin }) {
    const { workflows } = await compileWorkspace(after, '');
    await sql(tx, mark, [workspaceId, workflowsToMark(workflows.values())]);
    if (stored) await completeWaiting(tx, workflows.values(), [stored, definition], origin);
  },
};

/** The workflows whose changes affect approvals: their own, or those of linked tasks. */
function workflowsToMark(workflows: Iterable<Workflow>): number[] {
  return [...workflows].flatMap((workflow) => {
    const groups = approvedActions(workflow).flatMap((plan) => plan.groups);
    const far = coveredSides(groups).flatMap(
      (side) => workflow.schema.links.get(side)?.otherWorkflowId ?? [],
    );
    return groups.length === 0 ? [] : [workflow.id, ...far];
  });
}

/** Changes in these workflows are recorded for approvals from now on, and in no others. */
const mark = {
  name: 'mark-changes',
  text: `
    UPDATE workflows SET approvals_since = CASE WHEN id = ANY($2::integer[]) THEN service_now() END
    WHERE workspace_id = $1 AND (approvals_since IS NOT NULL) <> (id = ANY($2))`,
};

/** The workflows with the actions of the new definition. They read the tasks as they are stored now. */
async function workflowsAfter({ rows, merged, matches }: ChangedDefinition): Promise<Workflow[]> {
  const { workflows } = await compileWorkspace(rows, '');
  return [...workflows.values()].flatMap((before) => {
    const definition = merged.workflows.find(({ id }) => id === before.slug);
    if (!definition) return [];
    const actions = definition.actions.map((action) => Object.assign(new ActionEntity(), action));
    return [{ ...before, actions, schema: renamedSchema(before, definition, matches) }];
  });
}

// Deletes the data of the action that had the id before.
const emptied = [
  `UPDATE approvals SET state = 'replaced' WHERE ${ofAction('$3')} AND state = 'live'`,
  `DELETE FROM approval_rounds WHERE ${ofAction('$3')}`,
];

const moved = ['approvals', 'approval_rounds'].map(
  (table) => `UPDATE ${table} SET action_id = $3 WHERE ${ofAction('$4')}`,
);
