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
import { markChanges, markedWorkflows } from './marked-workflows.js';
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
    for await (const { workflow, action, judged } of rejudgeWaiting(db, after, stored, merged)) {
      const name = `${workflow.slug} / ${action.id}`;
      const [all, complete] = counts.get(name) ?? [0, 0];
      counts.set(name, [all + 1, complete + Number(isApproved(judged))]);
    }
    return [...counts].flatMap(([name, [all, complete]]) => {
      const text = `${plural(all, 'task')} ${agree(all, 'waits', 'wait')} for its approvals: ${complete} complete at once`;
      return effectOf('notes', 'action', name, all, text);
    });
  },
  async begin(tx, { workspaceId, definition, workflowIds }) {
    const marked = markedWorkflows(definition).flatMap((slug) => workflowIds.get(slug) ?? []);
    await markChanges(tx, workspaceId, marked);
  },
  async move(tx, applied) {
    for (const renamed of renamedActions(applied)) {
      // Another action can take an id only after its former owner has left it.
      for (const text of emptied) await sql(tx, { text }, renamed.slice(0, 3));
      for (const text of moved) await sql(tx, { text }, renamed);
    }
  },
  async settle(tx, { stored, definition, after, origin }) {
    if (stored) await completeWaiting(tx, stored, definition, after, origin);
  },
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
