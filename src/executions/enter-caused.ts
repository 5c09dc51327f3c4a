import { type EntityManager } from 'typeorm';
import { type Action } from '../actions/action.js';
import { type Given } from '../workspace/given.js';
import { Origin } from '../database/origin.js';
import { type Cause } from '../entities/cause.js';
import { type User } from '../schema/field-type.js';
import { type Scope } from '../workspace/scope.js';
import { enter, type EnteredExecution } from './executions.repository.js';

/** An action that something other than a person or a client starts. */
export interface CausedStart {
  readonly action: Action;
  readonly taskId: string;
  /** Absent where whatever started it acts itself. */
  readonly performer: User | undefined;
  readonly cause: Cause;
  readonly given?: Given | null | undefined;
}

/**
 * Enters an execution that is judged in its turn, after those of its task that were entered before: what they change may
 * make it possible. Undefined where the task is gone.
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
