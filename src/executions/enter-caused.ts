import { type EntityManager } from 'typeorm';
import { type Action } from '../actions/action.js';
import { type Given } from '../workflows/model/given.js';
import { Origin } from '../common/origin.js';
import { type Cause } from '../common/cause.js';
import { type User } from '../workflows/fields/field-type.js';
import { type Scope } from '../workflows/model/scope.js';
import { enter, type EnteredExecution } from './executions.repository.js';

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
