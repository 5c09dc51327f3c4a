import { Doorbell } from '../../common/ops/doorbell.js';
import { type ExecutionKey, executionJob } from '../../executions/executions.repository.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import {
  type ClaimedTimer,
  timerJob,
  type TimerKey,
  timerLeases,
  takeTimer,
} from '../../actions/timers/timers.repository.js';
import { type JobKind, leasedBy, type JobParts } from '../../common/ops/job-kind.js';
import { actionOf } from '../../actions/action.js';
import { say } from '../../common/message.js';
import { type Starter } from '../../executions/runs/run.js';
import { startRun } from '../../executions/runs/start-run.js';
import { recordRun } from '../../executions/runs/runs.repository.js';
import { assertDefinition } from '../../tasks/store/assert-definition.js';
import { Scope } from '../../workflows/model/scope.js';
import { findWorkflow } from '../../workflows/model/workspace.js';

const PLACES = 8;

export const timer: JobKind<TimerKey, ClaimedTimer> = {
  name: timerJob,
  next: '(SELECT min(at) FROM timers)',
  isTimed: true,
  places: PLACES,
  shares: { ofWorkspace: PLACES / 2 },
  ...leasedBy(timerLeases),
  async run(parts, claimed) {
    const execution = await fireTimer(parts, claimed);
    if (execution) parts.provider(Doorbell).ring(executionJob, execution);
  },
};

/**
 * Starts the action of a claimed timer: one transaction inserts the execution and deletes the timer. If the
 * action is gone, inserts no execution.
 */
export async function fireTimer(parts: JobParts, claimed: ClaimedTimer): Promise<ExecutionKey | undefined> {
  const { workspaceId, workflowId, id } = claimed;
  const workspace = await parts.provider(Workspaces).get(workspaceId);
  const workflow = findWorkflow(workspace, workflowId);
  if (!workflow) return undefined;
  return parts.provider(UnitOfWork).transaction(new Scope(workflow), async (tx, scope) => {
    await assertDefinition(tx, scope.workflow);
    const timer = await takeTimer(tx, claimed);
    if (!timer) return undefined;
    const { actionId, at, taskId, publicId, uniqueValue, given, cause } = timer;
    const starter: Starter = { workspaceId, kind: 'timer', workflowId, starterId: id, performer: undefined };
    const task = { workflowId, taskId, publicId, uniqueValue };
    // The run continues the chain of rules that led to the timer, so that a loop through a timer is stopped.
    const run = { starter, task, ...cause };
    const action = await actionOf(scope, actionId);
    const because = say`the timer was set for ${at.toISOString()}`;
    if (action) return startRun(tx, { ...run, scope, action, given, because });
    const gone = say`${actionId} is not an action of this workflow any more`;
    await recordRun(tx, { ...run, actionId, because: gone, result: 'unavailable' });
    return undefined;
  });
}
