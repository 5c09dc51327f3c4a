import { Origin } from '../../../common/origin.js';
import { type RecordedEvent } from '../../../events/events.repository.js';
import { type Message, say } from '../../../common/message.js';
import { causeOfRun } from '../../../executions/runs/run.js';
import { createOf } from '../triggers/hook.js';
import { type MetRule, refuse, type RefusedRun, starterOf } from '../follow-rule.js';
import { type HookSubject, evaluateBody } from './hook-subject.js';
import { reasonOfFailure } from '../../../actions/step.js';
import { setOrigin } from '../../../common/database/sql.js';
import { TimeAllowed } from '../../../workflows/expressions/time-allowed.js';
import { isTaskTooLarge } from '../../../common/database-error.js';
import { Refusal, TryAgain } from '../../../common/errors.js';
import { invalidField } from '../../../common/field-errors.js';
import { type JsonObject, toJson } from '../../../../packages/exact-json/json.js';
import { pauses } from '../../../../packages/fair/turn.js';
import { randomText } from '../../../common/random-id.js';
import { parseTask } from '../../../workflows/fields/parse-task.js';
import { validateCreation } from '../../../workflows/fields/validate-task.js';
import { noPrecondition, type TaskRow } from '../../../tasks/store/task-row.js';
import { insertTask } from '../../../tasks/store/upsert-task.js';
import { requireCreates } from '../../../workflows/model/allowed.js';
import { type SetDefinition } from '../../../workflows/model/schema-parts.js';
import { Scope } from '../../../workflows/model/scope.js';
import { type Workflow } from '../../../workflows/model/workspace.js';

/**
 * Returns `met` with the task that the hook names. If the hook names no task, or a task that does not exist,
 * creates a task, provided that the rule has `create` and is not paused. If no task is found or created,
 * records a run that says why, and returns undefined.
 */
export async function ofTaskOfHook(met: MetRule, subject: HookSubject): Promise<MetRule | undefined> {
  if (subject.event.taskId !== null) return { ...met, event: subject.event };
  const refusal = refusalOfHook(met, subject);
  const create = createOf(met.rule.definition);
  if (refusal || !create) return refusedHook(met, refusal ?? ['unavailable', notFound(subject)]);
  const event = await createByHook(met, subject, create);
  return 'refused' in event ? refusedHook(met, ['failed', event.refused]) : { ...met, event };
}

function refusalOfHook(met: MetRule, { fault }: HookSubject): RefusedRun | undefined {
  if (met.isPaused) return ['silenced', 'the rule is paused'];
  return fault === undefined ? undefined : ['failed', fault];
}

const notFound = ({ uniqueId }: HookSubject): Message =>
  uniqueId === null ? 'the body names no task' : say`there is no task ${uniqueId}`;

async function refusedHook(met: MetRule, refusal: RefusedRun): Promise<undefined> {
  await refuse(met, refusal, { chain: [] });
  return undefined;
}

/** Creates the task. Returns the hook's event with this task, or the reason if the creation is refused. */
async function createByHook(
  met: MetRule,
  subject: HookSubject,
  create: SetDefinition,
): Promise<RecordedEvent | { readonly refused: Message }> {
  const { tx, workflow } = met;
  try {
    const task = await tx.transaction((part) => insert({ ...met, tx: part }, subject, create));
    const { id: taskId, publicId, uniqueValue, version } = task;
    return { ...subject.event, taskId, publicId, uniqueValue, version };
  } catch (error) {
    const refused = refusalOf(error);
    if (refused === undefined) throw error;
    return { refused };
  } finally {
    // Later writes of the transaction must not have the origin of this task.
    await setOrigin(tx, workflow.workspaceId, '').catch(() => undefined);
  }
}

async function insert(met: MetRule, subject: HookSubject, create: SetDefinition): Promise<TaskRow> {
  const { tx, workflow, rule } = met;
  const starter = starterOf(workflow, rule);
  const { performer } = starter;
  const publicId = randomText(9);
  const links = [{ rule: starter.starterId, workflow: workflow.id, task: publicId }];
  const cause = causeOfRun({ starter, eventId: subject.event.id, chain: links });
  const origin = new Origin({ user: performer?.id, cause });
  const scope = new Scope(workflow, performer && { userId: performer.id }, undefined, origin);
  requireCreates(scope);
  const parsed = await parseTask(
    workflow.schema,
    payloadOf(workflow, subject, create),
    pauses(scope),
    'action',
  );
  validateCreation(workflow.schema, parsed).throwIfAny();
  const written = await insertTask(tx, scope, { ...parsed.change, publicId }, noPrecondition);
  // If the task is not new, another transaction has created it or taken its number meanwhile.
  if (!written?.isCreated) throw new TryAgain('the task was created meanwhile');
  return written.task;
}

function payloadOf(
  workflow: Workflow,
  { body, event, uniqueId }: HookSubject,
  create: SetDefinition,
): JsonObject {
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
