import {
  approvalsOf,
  approvedActions,
  compileApprovals,
  coveredSides,
} from '../actions/requirements/approvals/approval-group.js';
import { sql } from '../common/database/sql.js';
import { ofAction, renamedActions } from '../actions/changed-actions.js';
import { plural } from '../common/wording.js';
import { type ActionDefinition } from '../workflows/model/action-definition.js';
import { type ChangedDefinition } from '../workflows/model/changed-definition.js';
import { scopeOf } from '../workflows/model/check/kit.js';
import { draftSchema } from '../workflows/model/draft-schema.js';
import { countOf, type Effect, effectOf } from '../workflows/model/effect.js';
import { FieldEntity } from '../workflows/model/entities/field.entity.js';
import { RelationshipEntity } from '../workflows/model/entities/relationship.entity.js';
import { compileWorkspace } from '../workflows/model/compile-workspace.js';
import { type Impact } from '../workflows/model/impact.js';
import { type Workflow } from '../workflows/model/workspace.js';

export const approvalsImpact: Impact = {
  async effects(db, changed) {
    const effects: Effect[] = [];
    const count = `SELECT count(*) AS count FROM approvals a WHERE ${ofGroup}`;
    for (const { former, action, group, was, covers } of await widenedGroups(changed)) {
      const place = [former.workspaceId, former.id, action.was ?? action.id, group];
      const stale = await countOf(db, count, [...place, was, covers]);
      const message = `${plural(stale, 'approval')} will be stale ⚠ because ${group} now covers more`;
      effects.push(...effectOf('notes', 'action', `${former.slug} / ${action.id}`, stale, message));
    }
    return effects;
  },
  async move(tx, applied) {
    for (const renamed of renamedActions(applied)) {
      for (const text of emptied) await sql(tx, { text }, renamed.slice(0, 3));
      for (const text of moved) await sql(tx, { text }, renamed);
    }
  },
  async settle(tx, applied) {
    const { workspaceId, after, origin } = applied;
    const { workflows } = await compileWorkspace(after, '');
    await sql(tx, mark, [workspaceId, workflowsToMark(workflows.values())]);
    for (const { former, action, group, was, covers } of await widenedGroups(applied)) {
      const values = [workspaceId, former.id, action.id, group, was, covers, JSON.stringify(origin)];
      await sql(tx, recordStale, values);
    }
  },
};

interface WidenedGroup {
  readonly former: Workflow;
  readonly action: ActionDefinition;
  readonly group: string;
  readonly was: readonly string[];
  readonly covers: readonly string[];
}

/** Returns the groups that cover more than before, so that approvals of less count no longer. */
async function widenedGroups({ rows, merged, matches }: ChangedDefinition): Promise<WidenedGroup[]> {
  const { workflows } = await compileWorkspace(rows, '');
  // A new element has no id yet, and no approval covers it.
  const idOf = (element: object): string | undefined =>
    (matches.rowOf(FieldEntity, element) ?? matches.rowOf(RelationshipEntity, element))?.id;
  return [...scopeOf(merged, {}, idOf).workflows.values()].flatMap((scope) => {
    const former = workflows.get(scope.workflow.id);
    return scope.workflow.actions.flatMap((action) => {
      const before = former && approvalsOf(former, action.was ?? action.id);
      const plan = before && compileApprovals(action, draftSchema(scope));
      return (plan?.groups ?? []).flatMap(({ id, covers }) => {
        const was = before?.groups.find((group) => group.id === id)?.covers;
        if (!former || !was || covers.every((part) => was.includes(part))) return [];
        return { former, action, group: id, was, covers };
      });
    });
  });
}

/** SQL: an approval of the group that covers the parts $5, but not all parts $6. */
const ofGroup = `a.workspace_id = $1 AND a.workflow_id = $2 AND a.action_id = $3 AND a.group_id = $4
  AND a.state = 'live' AND a.decision = 'approve' AND a.covers @> $5::text[] AND NOT a.covers @> $6::text[]`;

/** Records one event for each task. Its follower asks people to approve again. */
const recordStale = {
  name: 'record-stale-approvals',
  text: `
    INSERT INTO events (workspace_id, type, origin, workflow_id, task_id, public_id, unique_value, version, about)
    SELECT t.workspace_id, 'approval.stale', $7, t.workflow_id, t.id, t.public_id, t.unique_value, t.version_offset + t.version,
      jsonb_build_object('action', a.action_id, 'group', a.group_id, 'decision', a.decision, 'by', a.by_id, 'for', a.for_id,
        'comment', a.comment)
    FROM (SELECT DISTINCT ON (a.task_id) a.* FROM approvals a WHERE ${ofGroup} ORDER BY a.task_id, a.id) a
    JOIN tasks t ON t.workspace_id = a.workspace_id AND t.workflow_id = a.workflow_id AND t.id = a.task_id`,
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
