import { type EntityManager } from 'typeorm';
import { pauses } from '../../../packages/fair/turn.js';
import { toJson } from '../../../packages/exact-json/json.js';
import { reasonOfFailure } from '../../actions/step.js';
import { TryAgain } from '../../common/errors.js';
import { type Message, ofField } from '../../common/message.js';
import { type RunResult } from '../../common/column-values.js';
import { type RunTask } from '../../executions/runs/run.js';
import { type ParsedTask, parseTask } from '../../workflows/fields/parse-task.js';
import { validateCreation } from '../../workflows/fields/validate-task.js';
import { isTaken } from '../../tasks/store/task-keys.js';
import { noPrecondition } from '../../tasks/store/task-row.js';
import { insertTask } from '../../tasks/store/upsert-task.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type ScheduleDefinition } from './schedule-definition.js';
import { type FiringPlace, fillIn } from './placeholders.js';

export interface Outcome {
  readonly result: RunResult;
  readonly because?: Message;
  readonly task?: RunTask;
}

/** Creates the task of a firing. It never changes an existing task. */
export async function createTask(
  tx: EntityManager,
  scope: Scope,
  create: NonNullable<ScheduleDefinition['create']>,
  place: FiringPlace,
): Promise<Outcome> {
  const parsed = await parseCreated(scope, create, place);
  if ('result' in parsed) return parsed;
  const { workflow } = scope;
  const { uniqueValue } = parsed.change;
  if (uniqueValue != null && (await isTaken(tx, workflow, uniqueValue)))
    return {
      result: 'skipped',
      because: ofField(workflow.schema.uniqueId?.name ?? '', 'has already been taken'),
    };
  const written = await insertTask(tx, scope, parsed.change, noPrecondition);
  if (!written?.isCreated) throw new TryAgain('others have made the same task');
  const { id: taskId, publicId, uniqueValue: made } = written.task;
  return { result: 'started', task: { workflowId: workflow.id, taskId, publicId, uniqueValue: made } };
}

async function parseCreated(
  scope: Scope,
  create: NonNullable<ScheduleDefinition['create']>,
  place: FiringPlace,
): Promise<ParsedTask | Outcome> {
  const { schema } = scope.workflow;
  const values = Object.entries(create).map(
    ([name, value]) => [name, toJson(typeof value === 'string' ? fillIn(value, place) : value)] as const,
  );
  try {
    const parsed = await parseTask(schema, new Map(values), pauses(scope), 'action');
    validateCreation(schema, parsed).throwIfAny();
    return parsed;
  } catch (error) {
    // A checked value may no longer fit: a user has left, or a date is too far in the future.
    const because = reasonOfFailure(error);
    if (because === undefined) throw error;
    return { result: 'failed', because };
  }
}
