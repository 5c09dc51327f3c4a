import { type Given } from '../workspace/given.js';
import { type DataSource, type EntityManager } from 'typeorm';
import { actionOf } from '../actions/action.js';
import { sql } from '../database/sql.js';
import { type RunEntity } from '../entities/run.entity.js';
import { type ExecutionKey } from '../executions/executions.repository.js';
import { noteExecution } from '../runs/runs.repository.js';
import { enterRun } from '../runs/start-run.js';
import { Scope } from '../workspace/scope.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { type Workspaces } from '../workspace/workspaces.js';
import { rulesIn } from './compiled-rules.js';
import { isUsedUp } from './limits.repository.js';

/** Starts runs that waited because their rule had used up what it may start, in their order; says which executions were entered. */
export async function startWaitingRuns(
  { manager }: DataSource,
  workspaces: Workspaces,
): Promise<ExecutionKey[]> {
  const entered: ExecutionKey[] = [];
  for (const { workspaceId, workflowId, starterId } of await sql<WaitingRule>(manager, waitingRules, [])) {
    const current = await workspaces.inForce(workspaceId);
    for (let execution = await next(); execution !== 'none'; execution = await next())
      if (execution) entered.push(execution);

    async function next(): Promise<ExecutionKey | undefined | 'none'> {
      return manager.transaction((tx) => startNext(tx, current, { workspaceId, workflowId, starterId }));
    }
  }
  return entered;
}

type WaitingRule = Readonly<Pick<RunEntity, 'workspaceId' | 'workflowId' | 'starterId'>>;

const waitingRules = {
  name: 'rules-with-waiting-runs',
  scope: 'all workspaces' as const,
  text: `
    SELECT DISTINCT workspace_id AS "workspaceId", workflow_id AS "workflowId", starter_id AS "starterId"
    FROM runs WHERE result = 'waiting'`,
};

/** Starts the oldest waiting run of a rule; none where no run waits, another process starts them, or the rule may start no more. */
async function startNext(
  tx: EntityManager,
  workspace: Workspace,
  { workspaceId, workflowId, starterId }: WaitingRule,
): Promise<ExecutionKey | undefined | 'none'> {
  const rule = rulesIn(byId(workspace, workflowId)).find(({ definition }) => definition.id === starterId);
  const { count, seconds } = rule?.perRule ?? { count: 1, seconds: 0 };
  const [run] = await sql<RunEntity>(tx, oldest, [workspaceId, workflowId, starterId, count, seconds]);
  if (!run) return 'none';
  const scope = new Scope(byId(workspace, run.taskWorkflowId ?? workflowId));
  const action = await actionOf(scope, run.actionId ?? '');
  if (!rule || !action) {
    await noteExecution(tx, workspaceId, run.place, undefined);
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

function byId({ workflows }: Workspace, id: number): Workflow {
  const workflow = [...workflows.values()].find((each) => each.id === id);
  if (!workflow) throw new Error('a run is of no workflow');
  return workflow;
}

// One process at a time starts those of a rule: it holds the row of the rule.
const oldest = {
  name: 'oldest-waiting-run',
  text: `
    SELECT r.place, r.action_id AS "actionId", r.event_id AS "eventId", r.task_workflow_id AS "taskWorkflowId",
      r.task_id AS "taskId", r.public_id AS "publicId", r.unique_value AS "uniqueValue", r.cause, r.is_caused AS "isCaused", r.given
    FROM (
      SELECT FROM rule_states WHERE workspace_id = $1 AND workflow_id = $2 AND rule_id = $3
      FOR UPDATE SKIP LOCKED
    ) held, LATERAL (
      SELECT * FROM runs
      WHERE workspace_id = $1 AND workflow_id = $2 AND starter_id = $3 AND result = 'waiting' ORDER BY place LIMIT 1
    ) r
    WHERE NOT ${isUsedUp}`,
};
