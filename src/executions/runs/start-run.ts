import { type EntityManager } from 'typeorm';
import { shownEventId, Origin } from '../../common/origin.js';
import { type Cause, type ChainLink } from '../../common/cause.js';
import { type RunResult } from '../../common/column-values.js';
import { type ExecutionKey, enter, type EnteredExecution } from '../executions.repository.js';
import { type Message } from '../../common/message.js';
import { noteExecution, recordRun } from './runs.repository.js';
import { type Action } from '../../actions/action.js';
import { type Given } from '../../workflows/model/given.js';
import { type User } from '../../workflows/fields/field-type.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type RunEntity } from './run.entity.js';

/** The rule, clock, schedule or timer that starts an action. */
export interface Starter extends Readonly<
  Pick<RunEntity, 'workspaceId' | 'kind' | 'workflowId' | 'starterId'>
> {
  /** The user who performs the action; absent if the starter itself does. */
  readonly performer: User | undefined;
}

/** The task on which the action runs. */
export interface RunTask {
  readonly workflowId: number;
  readonly taskId: string;
  readonly publicId: string;
  readonly uniqueValue: string | null;
}

/** A start that is to be recorded. */
export interface WantedRun {
  readonly starter: Starter;
  /** The scope of the task's workflow. */
  readonly scope: Scope;
  readonly action: Action;
  readonly task: RunTask;
  /** The database id of the event that caused it. */
  readonly eventId: string | null;
  /** Whether a rule caused that event. */
  readonly isCaused: boolean;
  readonly chain: readonly ChainLink[];
  /** The internal id of the user whose change caused it. */
  readonly initiator?: string | undefined;
  readonly because: Message;
  /** The values for the fields that the action asks for. */
  readonly given?: Given | null | undefined;
  /** The local time of a schedule's firing, with its offset. */
  readonly nominal?: string;
}

/** The cause that the events of the execution name. */
export function causeOfRun(
  { kind, starterId, workflowId }: Starter,
  event: string | null,
  chain: readonly ChainLink[],
  initiator?: string,
): Cause {
  return { kind, id: starterId, workflow: workflowId, event, chain, initiator };
}

/**
 * Records a run and enters its execution, without checking the action yet; undefined if the run was recorded before or
 * the task no longer exists. The caller must ring for the execution after the commit.
 */
export async function startRun(tx: EntityManager, wanted: WantedRun): Promise<ExecutionKey | undefined> {
  const place = await refuseRun(tx, wanted, 'started', wanted.because);
  return place === undefined ? undefined : enterRun(tx, place, wanted);
}

/** Records a run that starts nothing, or not yet; undefined if it was recorded before. */
export async function refuseRun(
  tx: EntityManager,
  wanted: WantedRun,
  result: RunResult,
  because: Message,
): Promise<string | undefined> {
  return recordRun(tx, { ...wanted, actionId: wanted.action.id, result, because, cause: causeOf(wanted) });
}

/** Enters the execution of a recorded run. */
export async function enterRun(
  tx: EntityManager,
  place: string,
  wanted: Omit<WantedRun, 'because'>,
): Promise<ExecutionKey | undefined> {
  const { scope, action, task, starter, given } = wanted;
  const { workspaceId } = starter;
  const cause = causeOf(wanted);
  const entered = await enterCaused(tx, scope, {
    action,
    taskId: task.taskId,
    performer: starter.performer,
    cause,
    given,
  });
  await noteExecution(tx, workspaceId, place, entered?.id);
  return entered && { workspaceId, id: entered.id };
}

function causeOf({ starter, eventId, chain, initiator }: Omit<WantedRun, 'because'>): Cause {
  return causeOfRun(starter, eventId && shownEventId(eventId), chain, initiator);
}

/** The start of an action by a rule, clock, schedule or timer. */
export interface CausedStart {
  readonly action: Action;
  readonly taskId: string;
  /** Absent if the starter itself performs the action. */
  readonly performer: User | undefined;
  readonly cause: Cause;
  readonly given?: Given | null | undefined;
}

/**
 * Enters an execution without checking the action yet: earlier executions of the task may still make it possible.
 * Undefined if the task no longer exists.
 */
export async function enterCaused(
  tx: EntityManager,
  { workspaceId, workflow }: Scope,
  { action, taskId, performer, cause, given = null }: CausedStart,
): Promise<EnteredExecution | undefined> {
  return enter(tx, taskId, {
    workspaceId,
    workflowId: workflow.id,
    stages: null,
    actionId: action.id,
    actionName: action.name,
    performerId: performer?.id ?? null,
    definition: workflow.version,
    steps: action.steps,
    given,
    origin: new Origin({ user: performer?.id, cause }),
  });
}
