import { type EntityManager } from 'typeorm';
import { isAvailable } from '../actions/action.js';
import {
  type ActionApprovals,
  type ApprovedAction,
  approvedActions,
  fieldsRead,
  judgeLoaded,
  loadAll,
} from '../actions/requirements/approvals/read-approvals.js';
import { isApproved } from '../actions/requirements/approvals/judge-approvals.js';
import { type Source } from '../common/origin.js';
import { sql } from '../common/database/sql.js';
import { findTasksOfIds } from '../tasks/store/task.repository.js';
import { type TaskRow } from '../tasks/store/task-row.js';
import { compileWorkspace } from '../workflows/model/compile-workspace.js';
import { type WorkspaceDefinition } from '../workflows/model/definition.js';
import { Scope } from '../workflows/model/scope.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { type WorkspaceRows } from '../workflows/model/workspace-rows.js';
import { recordApproval, eventTask } from './decide.js';
import { noteTold } from '../actions/requirements/approvals/approvals.repository.js';

interface WaitingApprovals extends ActionApprovals {
  readonly workflow: Workflow;
  readonly task: TaskRow;
}

/** Judges the approvals that tasks wait for by a new definition, if its settings for them differ from the old ones. */
export async function* rejudgeWaiting(
  db: EntityManager,
  workflows: Iterable<Workflow>,
  ...definitions: readonly [WorkspaceDefinition, WorkspaceDefinition]
): AsyncGenerator<WaitingApprovals> {
  for (const workflow of workflows)
    for (const approved of approvedActions(workflow)) {
      const [before, after] = definitions.map((of) => settingsOf(of, workflow.slug, approved.action.id));
      if (before !== undefined && before !== after) yield* rejudgeAction(db, workflow, approved);
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
  approved: ApprovedAction,
): AsyncGenerator<WaitingApprovals> {
  const { workspaceId, id: workflowId } = workflow;
  const stages = workflow.schema.stages.all.filter(({ name }) => isAvailable(approved.action, name));
  for (let last = '0'; last !== '';) {
    const values = [workspaceId, workflowId, stages.map((stage) => stage.id), last, approved.action.id];
    const ids = (await sql<{ id: string }>(db, waiting, values)).map((row) => row.id);
    const loaded = await loadAll(db, workflow, ids, [approved]);
    const fieldIds = fieldsRead(workflow, [approved]);
    for (const task of await findTasksOfIds(db, { workspaceId, workflowId }, ids, fieldIds)) {
      const facts = loaded.get(task.id);
      const [now] = facts ? await judgeLoaded(db, new Scope(workflow), task, [approved], facts) : [];
      const isTold = facts?.decisions.some(({ tells }) => tells.includes('complete'));
      if (now && !isTold && !now.judged.override) yield { ...now, workflow, task };
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
  stored: WorkspaceDefinition,
  after: WorkspaceDefinition,
  rows: WorkspaceRows,
  origin: Source,
): Promise<void> {
  const { workflows } = await compileWorkspace(rows, '');
  for await (const one of rejudgeWaiting(tx, workflows.values(), stored, after))
    if (isApproved(one.judged)) await complete(tx, one, origin);
}

async function complete(
  tx: EntityManager,
  { workflow, task, action, plan, judged }: WaitingApprovals,
  origin: Source,
): Promise<void> {
  const decisions = judged.groups.flatMap((group) => group.decisions);
  const last = decisions.findLast(({ state }) => state === 'counts')?.decision;
  const { workspaceId, id: workflowId } = workflow;
  const place = { workspaceId, workflowId, taskId: task.id, actionId: action.id };
  if (last) await noteTold(tx, place, last.id, ['complete']);
  await recordApproval(tx, 'approval.complete', workflow, eventTask(task), origin, {
    action: action.id,
    group: last?.groupId ?? plan.groups.at(-1)?.id ?? null,
    ...(last && { by: last.byId, for: last.forId, comment: last.comment }),
    is_last: true,
  });
}
