import { actionOf } from '../../actions/action.js';
import { say } from '../../common/message.js';
import { causeOfRun, type Starter } from '../../executions/runs/run.js';
import { recordRun } from '../../executions/runs/runs.repository.js';
import { startRun } from '../../executions/runs/start-run.js';
import { assertDefinition } from '../../tasks/store/assert-definition.js';
import { type ClaimedTimer, takeTimer } from '../timers/timers.repository.js';
import { Scope } from '../../workflows/model/scope.js';
import { findWorkflow } from '../../workflows/model/workspace.js';
import { type FiringParts } from './fire-schedule.js';

/** Starts the action of a claimed timer: one transaction enters its execution and removes the timer. */
export async function fireTimer(
  { work, workspaces, ring }: FiringParts,
  claimed: ClaimedTimer,
): Promise<void> {
  const { workspaceId, workflowId, id } = claimed;
  const workflow = findWorkflow(await workspaces.get(workspaceId), workflowId);
  if (!workflow) return;
  const entered = await work.transaction(new Scope(workflow), async (tx, scope) => {
    await assertDefinition(tx, scope.workflow);
    const timer = await takeTimer(tx, claimed);
    if (!timer) return undefined;
    const { actionId, at, performerId, taskId, publicId, uniqueValue, given, cause } = timer;
    const performer = performerId === null ? undefined : scope.workflow.schema.users.get(performerId);
    const starter: Starter = { workspaceId, kind: 'timer', workflowId, starterId: id, performer };
    const task = { workflowId, taskId, publicId, uniqueValue };
    // So that a circle of rules through a timer ends as any other.
    const chain = cause?.chain ?? [];
    const run = { starter, task, eventId: null, isCaused: false, chain, initiator: cause?.initiator };
    const action = await actionOf(scope, actionId);
    if (action)
      return startRun(tx, {
        ...run,
        scope,
        action,
        given,
        because: say`the timer was set for ${at.toISOString()}`,
      });
    const because = say`${actionId} is not an action of this workflow any more`;
    await recordRun(tx, {
      ...run,
      actionId,
      because,
      result: 'unavailable',
      cause: causeOfRun(starter, null, chain),
    });
    return undefined;
  });
  ring(entered ? [entered] : []);
}
