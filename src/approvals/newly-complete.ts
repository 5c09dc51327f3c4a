import { type EntityManager } from 'typeorm';
import { isAvailable } from '../actions/action.js';
import { type ApprovalPlan, approvedActions } from '../actions/requirements/approvals/approval-group.js';
import {
  fieldsRead,
  judgeLoaded,
  type ReadApprovals,
} from '../actions/requirements/approvals/read-approvals.js';
import { isApproved } from '../actions/requirements/approvals/judge-approvals.js';
import { type Source } from '../common/origin.js';
import { sql } from '../common/database/sql.js';
import { findTasksOfIds } from '../tasks/store/task.repository.js';
import { type WorkspaceDefinition } from '../workflows/model/definition.js';
import { Scope } from '../workflows/model/scope.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { recordApproval } from './decide.js';
import { loadApprovals, noteTold } from '../actions/requirements/approvals/approvals.repository.js';

/** Judges the approvals that tasks wait for by a new definition, if its settings for them differ from the old ones. */
export async function* rejudgeWaiting(
  db: EntityManager,
  workflows: Iterable<Workflow>,
  ...definitions: readonly [WorkspaceDefinition, WorkspaceDefinition]
): AsyncGenerator<ReadApprovals> {
  for (const workflow of workflows)
    for (const plan of approvedActions(workflow)) {
      const [before, after] = definitions.map((of) => settingsOf(of, workflow.slug, plan.action.id));
      if (before !== undefined && before !== after) yield* rejudgeAction(db, workflow, plan);
    }
}

/** What determines who approves an action, and how often. */
function settingsOf({ workflows }: WorkspaceDefinition, slug: string, actionId: string): string | undefined {
  const { actions, roles, members } = workflows.find(({ id }) => id === slug) ?? {};
  return (
    actions &&
    JSON.stringify([actions.find(({ id }) => id === actionId)?.requirements['approvals'], roles, members])
  );
}

async function* rejudgeAction(
  db: EntityManager,
  workflow: Workflow,
  plan: ApprovalPlan,
): AsyncGenerator<ReadApprovals> {
  const { workspaceId, id: workflowId } = workflow;
  const offered = workflow.schema.stages.all.filter(({ name }) => isAvailable(plan.action, name));
  const stages = offered.map(({ id }) => id);
  for (let last = '0'; last !== '';) {
    const values = [workspaceId, workflowId, stages, last, plan.action.id];
    const ids = (await sql<{ id: string }>(db, waiting, values)).map(({ id }) => id);
    const loaded = await loadApprovals(db, workflow, ids, [plan]);
    for (const task of await findTasksOfIds(db, { workspaceId, workflowId }, ids, fieldsRead([plan]))) {
      const [now] = await judgeLoaded(db, new Scope(workflow), task, [plan], loaded.get(task.id));
      const isTold = now?.decisions.some(({ tells }) => tells.includes('complete'));
      if (now && !isTold && !now.override) yield now;
    }
    last = ids.at(-1) ?? '';
  }
}

const ofVisit = (type: string): string => `EXISTS (
        SELECT FROM events e WHERE e.workspace_id = $1 AND e.task_id = t.id AND e.type = '${type}'
          AND e.version >= t.version_offset + COALESCE(t.stage_version, 1) AND e.about ->> 'action' = $5
      )`;

const waiting = {
  text: `
    SELECT t.id::text AS id FROM tasks t
    WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.stage_id = ANY($3::integer[]) AND t.id > $4::bigint
      AND (EXISTS (
        SELECT FROM approvals a WHERE a.workspace_id = $1 AND a.workflow_id = $2 AND a.task_id = t.id
          AND a.action_id = $5 AND a.state = 'live' AND NOT a.is_past
      ) OR ${ofVisit('approval.requested')} AND NOT ${ofVisit('approval.complete')})
    ORDER BY t.id LIMIT 500`,
};

/** Rules start what waits for these approvals. */
export async function completeWaiting(
  tx: EntityManager,
  workflows: Iterable<Workflow>,
  definitions: readonly [WorkspaceDefinition, WorkspaceDefinition],
  origin: Source,
): Promise<void> {
  for await (const approvals of rejudgeWaiting(tx, workflows, ...definitions))
    if (isApproved(approvals)) await complete(tx, approvals, origin);
}

async function complete(tx: EntityManager, approvals: ReadApprovals, origin: Source): Promise<void> {
  const { workflow, task, plan, groups } = approvals;
  const last = groups.flatMap(({ decisions }) => decisions).findLast(({ state }) => state === 'counts');
  const { workspaceId, id: workflowId } = workflow;
  const place = { workspaceId, workflowId, taskId: task.id, actionId: plan.action.id };
  if (last) await noteTold(tx, place, last.id, ['complete']);
  await recordApproval(tx, 'approval.complete', approvals, origin, {
    group: last?.groupId ?? plan.groups.at(-1)?.id ?? null,
    ...(last && { by: last.byId, for: last.forId, comment: last.comment }),
    is_last: true,
  });
}
