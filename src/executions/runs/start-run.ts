import { type EntityManager } from 'typeorm';
import { Origin } from '../../common/origin.js';
import { type RunResult } from '../../common/column-values.js';
import { type Message } from '../../common/message.js';
import { enter, type ExecutionKey } from '../executions.repository.js';
import { causeOfRun, type WantedRun } from './run.js';
import { noteExecution, recordRun } from './runs.repository.js';

/**
 * Records a run and creates its execution, without checking the action. Undefined if the run is already
 * recorded, or the task was deleted. The caller must announce the execution after the commit.
 */
export async function startRun(tx: EntityManager, wanted: WantedRun): Promise<ExecutionKey | undefined> {
  const place = await refuseRun(tx, wanted, 'started', wanted.because);
  return place === undefined ? undefined : enterRun(tx, place, wanted);
}

/** Records a run without an execution, and returns its place. Undefined if the run is already recorded. */
export async function refuseRun(
  tx: EntityManager,
  wanted: WantedRun,
  result: RunResult,
  because: Message,
): Promise<string | undefined> {
  return recordRun(tx, { ...wanted, actionId: wanted.action.id, result, because });
}

/**
 * Creates the execution of a recorded run. Does not check the action, because an earlier execution can still
 * change the task so that the action can begin. Undefined if the task was deleted.
 */
export async function enterRun(
  tx: EntityManager,
  place: string,
  wanted: Omit<WantedRun, 'because'>,
): Promise<ExecutionKey | undefined> {
  const { scope, action, task, starter, given = null } = wanted;
  const { workspaceId, performer } = starter;
  const entered = await enter(tx, task.taskId, {
    workspaceId,
    workflowId: scope.workflow.id,
    stages: null,
    actionId: action.id,
    actionName: action.name,
    performerId: performer?.id ?? null,
    definition: scope.workflow.version,
    steps: action.steps,
    given,
    origin: new Origin({ user: performer?.id, cause: causeOfRun(wanted) }),
  });
  await noteExecution(tx, workspaceId, place, entered?.id);
  return entered && { workspaceId, id: entered.id };
}
