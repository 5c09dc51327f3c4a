import { type EntityManager } from 'typeorm';
import { executionJob, type ExecutionKey } from '../../executions/executions.repository.js';
import { Doorbell } from '../../common/ops/doorbell.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { type Sweep } from '../../common/ops/job-kind.js';
import { type Given } from '../../actions/given.js';
import { actionOf } from '../../actions/action.js';
import { keptText, type Message } from '../../common/message.js';
import { doEach } from '../../common/each.js';
import { sql } from '../../common/database/sql.js';
import { type RunResult } from '../../common/column-values.js';
import { type RunEntity } from '../../executions/runs/run.entity.js';
import { enterRun } from '../../executions/runs/start-run.js';
import { Scope } from '../../workflows/model/scope.js';
import { findWorkflow, type Workspace } from '../../workflows/model/workspace.js';
import { rulesIn } from './compiled-rules.js';
import { isUsedUp } from './limits.repository.js';

/** Starts waiting runs, oldest first, as soon as the limit of their rule permits. */
export const waitingRunSweep: Sweep = {
  name: 'waiting-run-sweep',
  next: `(SELECT service_now() FROM runs WHERE result = 'waiting' LIMIT 1)`,
  async sweep(parts) {
    const workspaces = parts.provider(Workspaces);
    await doEach(await sql<WaitingRule>(parts.db, waitingRules, []), async (rule) => {
      const current = await workspaces.inForce(rule.workspaceId);
      const next = (): ReturnType<typeof startNext> =>
        parts.db.transaction((tx) => startNext(tx, current, rule));
      for (let execution = await next(); execution !== 'none'; execution = await next())
        if (execution) parts.provider(Doorbell).ring(executionJob, execution);
    });
  },
};

type WaitingRule = Readonly<Pick<RunEntity, 'workspaceId' | 'workflowId' | 'starterId'>>;

const waitingRules = {
  name: 'rules-with-waiting-runs',
  scope: 'all workspaces' as const,
  text: `
    SELECT DISTINCT workspace_id AS "workspaceId", workflow_id AS "workflowId", starter_id AS "starterId"
    FROM runs WHERE result = 'waiting'`,
};

/**
 * Starts the oldest waiting run of a rule, or ends it if its action is gone. If the rule is gone, ends all of
 * its waiting runs. Returns `none` if no run can start now.
 */
async function startNext(
  tx: EntityManager,
  workspace: Workspace,
  waiting: WaitingRule,
): Promise<ExecutionKey | undefined | 'none'> {
  const { workspaceId, workflowId, starterId } = waiting;
  const own = findWorkflow(workspace, workflowId);
  const rule = own && rulesIn(own).find(({ definition }) => definition.id === starterId);
  if (!rule) {
    await endWaiting(tx, waiting, 'unavailable', 'the rule was removed');
    return 'none';
  }
  const { count, seconds } = rule.perRule;
  const [run] = await sql<RunEntity>(tx, oldest, [workspaceId, workflowId, starterId, count, seconds]);
  if (!run) return 'none';
  const workflow = findWorkflow(workspace, run.taskWorkflowId ?? workflowId);
  const scope = workflow && new Scope(workflow);
  const action = scope && (await actionOf(scope, run.actionId ?? ''));
  if (!action) {
    await endWaiting(tx, waiting, 'unavailable', 'the action was removed', run.place);
    return undefined;
  }
  const performer = rule.definition.as === undefined ? undefined : workspace.users.find(rule.definition.as);
  return enterRun(tx, run.place, {
    starter: { workspaceId, kind: 'rule', workflowId, starterId, performer },
    scope,
    action,
    task: {
      workflowId: scope.workflow.id,
      taskId: run.taskId ?? '',
      publicId: run.publicId ?? '',
      uniqueValue: run.uniqueValue,
    },
    eventId: run.eventId,
    isCaused: run.isCaused,
    chain: run.cause?.chain ?? [],
    initiator: run.cause?.initiator,
    given: run.given as Given | null,
  });
}

/** Ends the waiting runs of a rule, or only the run at `place`, without starting them. */
export async function endWaiting(
  tx: EntityManager,
  { workspaceId, workflowId, starterId }: WaitingRule,
  result: RunResult,
  because: Message,
  place: string | null = null,
): Promise<void> {
  await sql(tx, endThem, [workspaceId, workflowId, starterId, result, keptText(because), place]);
}

const endThem = {
  name: 'end-waiting-runs',
  text: `
    UPDATE runs SET result = $4, because = $5
    WHERE workspace_id = $1 AND workflow_id = $2 AND starter_id = $3 AND result = 'waiting'
      AND ($6::bigint IS NULL OR place = $6)`,
};

// Locks the row of the rule, so that only one process at a time starts runs of the rule.
const oldest = {
  name: 'oldest-waiting-run',
  text: `
    SELECT r.place, r.action_id AS "actionId", r.event_id AS "eventId", r.task_workflow_id AS "taskWorkflowId",
      r.task_id AS "taskId", r.public_id AS "publicId", r.unique_value AS "uniqueValue", r.cause, r.is_caused AS "isCaused", r.given
    FROM (
      SELECT FROM rule_states WHERE workspace_id = $1 AND workflow_id = $2 AND rule_id = $3 AND NOT is_paused
      FOR UPDATE SKIP LOCKED
    ) held, LATERAL (
      SELECT * FROM runs
      WHERE workspace_id = $1 AND workflow_id = $2 AND starter_id = $3 AND result = 'waiting' ORDER BY place LIMIT 1
    ) r
    WHERE NOT ${isUsedUp}`,
};
