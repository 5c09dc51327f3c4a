import { reasonOfFailure } from '../../../actions/step.js';
import { Origin, shownEventId } from '../../../common/origin.js';
import { tellOrigin } from '../../../common/database/sql.js';
import { type RecordedEvent } from '../../../events/events.repository.js';
import { TimeAllowed } from '../../../workflows/expressions/time-allowed.js';
import { isTaskTooLarge } from '../../../common/database-error.js';
import { Refusal, TryAgain } from '../../../common/errors.js';
import { invalidField } from '../../../common/field-errors.js';
import { type Message } from '../../../common/message.js';
import { type JsonObject, toJson } from '../../../../packages/exact-json/json.js';
import { pauses } from '../../../../packages/fair/turn.js';
import { type FollowerTurn } from '../../../events/follower.js';
import { type Starter, causeOfRun } from '../../../executions/runs/run.js';
import { type ChainLink } from '../../../common/cause.js';
import { randomText } from '../../../common/random-id.js';
import { parseTask } from '../../../workflows/fields/parse-task.js';
import { validateCreation } from '../../../workflows/fields/validate-task.js';
import { noPrecondition, type TaskRow } from '../../../tasks/store/task-row.js';
import { insertTask } from '../../../tasks/store/upsert-task.js';
import { requireCreates } from '../../../workflows/model/allowed.js';
import { type SetDefinition } from '../../../workflows/model/schema-parts.js';
import { Scope } from '../../../workflows/model/scope.js';
import { type Workflow } from '../../../workflows/model/workspace.js';
import { evaluateBody, type HookSubject } from './hook-subject.js';

/** A task that a rule is to create because its hook request matches no task. */
export interface WantedTask extends Pick<FollowerTurn, 'tx'> {
  readonly workflow: Workflow;
  readonly starter: Starter;
  readonly subject: HookSubject;
  readonly create: SetDefinition;
  /** The rules that led to it, in order. */
  readonly chain: readonly ChainLink[];
}

/** Creates the task and returns its event; if it is refused, writes nothing and returns the reason. */
export async function createByHook(
  wanted: WantedTask,
): Promise<RecordedEvent | { readonly refused: Message }> {
  const { tx, workflow, subject } = wanted;
  try {
    const task = await tx.transaction((part) => insert({ ...wanted, tx: part }));
    const { id: taskId, publicId, uniqueValue, version } = task;
    return { ...subject.event, taskId, publicId, uniqueValue, version };
  } catch (error) {
    const refused = refusalOf(error);
    if (refused === undefined) throw error;
    return { refused };
  } finally {
    // Later writes of the follower have their own origin.
    await tellOrigin(tx, workflow.workspaceId, '').catch(() => undefined);
  }
}

async function insert(wanted: WantedTask): Promise<TaskRow> {
  const { tx, workflow, starter, subject, chain } = wanted;
  const { performer } = starter;
  const publicId = randomText(9);
  const links = [...chain, { rule: starter.starterId, workflow: workflow.id, task: publicId }];
  const cause = causeOfRun(starter, shownEventId(subject.event.id), links);
  const origin = new Origin({ user: performer?.id, cause });
  const scope = new Scope(workflow, performer && { userId: performer.id }, undefined, origin);
  requireCreates(scope);
  const parsed = await parseTask(workflow.schema, payloadOf(wanted), pauses(scope), 'action');
  validateCreation(workflow.schema, parsed).throwIfAny();
  const written = await insertTask(tx, scope, { ...parsed.change, publicId }, noPrecondition);
  // Another transaction has created the task, or taken its number, since it was looked up.
  if (!written?.isCreated) throw new TryAgain('the task was created meanwhile');
  return written.task;
}

function payloadOf({ workflow, subject, create }: WantedTask): JsonObject {
  const { body, event, uniqueId } = subject;
  const timeAllowed = new TimeAllowed();
  const given = Object.entries(create).map(([name, value]) => {
    const isFormula = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [
      name,
      toJson(isFormula ? evaluateBody(workflow, value.expression, body, event, timeAllowed) : value),
    ] as const;
  });
  const name = workflow.schema.uniqueId?.name;
  return new Map([...given, ...(name !== undefined && uniqueId !== null ? [[name, uniqueId] as const] : [])]);
}

/** Why the task cannot be created; undefined for a fault of the service. */
function refusalOf(error: unknown): Message | undefined {
  if (error instanceof Refusal && error.kind === 'forbidden') return error.said;
  return reasonOfFailure(
    isTaskTooLarge(error)
      ? invalidField('base', 'A task can have at most 1 MB: upload long content as a file')
      : error,
  );
}
