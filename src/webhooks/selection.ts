import { type EntityManager } from 'typeorm';
import { type ExpressionContext, expressionInput } from '../actions/action-context.js';
import { expressionOf } from '../actions/linked-reads.js';
import { type WebhookEntity } from '../entities/webhook.entity.js';
import { type EventNames } from '../events/event-names.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { taskChanges } from '../events/task-changes.js';
import { Allowance } from '../expressions/allowance.js';
import { type Expression } from '../expressions/expression.js';
import { ExpressionError } from '../expressions/expression-error.js';
import { todayIn } from '../lib/calendar.js';
import { Scope } from '../workspace/scope.js';
import { sql } from '../database/sql.js';
import { type Stored } from '../schema/field-type.js';
import { blankTask, type TaskView } from '../schema/task-view.js';
import { findTaskOfId } from '../task-store/task.repository.js';

/** What a webhook says of the events that it is told of. */
export type Subscription = Pick<
  WebhookEntity,
  'workspaceId' | 'id' | 'events' | 'workflows' | 'fields' | 'condition' | 'beginsAt'
>;

/** Whether a webhook is told of an event. */
export async function isMeant(
  db: EntityManager,
  webhook: Subscription,
  event: RecordedEvent,
  names: EventNames,
): Promise<boolean> {
  const { events, workflows, fields, condition, beginsAt } = webhook;
  if (event.happenedAt < beginsAt || !events.some((type) => type === event.type)) return false;
  const slug = event.workflowId === null ? null : names.slugOf(event.workflowId);
  if (workflows && (slug === null || !workflows.includes(slug))) return false;
  if (fields && event.type === 'task.updated') {
    const changed = taskChanges(event, names).map(({ name }) => name);
    if (!changed.some((name) => fields.includes(name))) return false;
  }
  return condition === null || meets(db, webhook.workspaceId, condition, event, names);
}

/** Whether the task of an event meets a condition; one that cannot be evaluated is not met, nor is one of no task. */
async function meets(
  db: EntityManager,
  workspaceId: number,
  condition: string,
  event: RecordedEvent,
  names: EventNames,
): Promise<boolean> {
  const workflow = event.workflowId === null ? undefined : names.workflowOf(event.workflowId);
  if (!workflow) return false;
  try {
    const expression = expressionOf(workflow.schema, condition, 'before');
    const fieldIds = [...expression.fields, ...expression.ofOther].flatMap(
      (name) => workflow.schema.byName.get(name)?.fieldId ?? [],
    );
    const task = await taskAtEvent(db, workspaceId, event, fieldIds);
    if (!task) return false;
    return expression.evaluate(inputOf(new Scope(workflow), expression, task, event)) === true;
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}

function inputOf(
  scope: Scope,
  expression: Expression,
  { after, before }: TaskAtEvent,
  { happenedAt }: RecordedEvent,
): ReturnType<typeof expressionInput> {
  const context: ExpressionContext = {
    scope,
    task: after,
    linked: new Map(),
    performer: undefined,
    today: todayIn(scope.workflow.timezone, happenedAt),
    now: happenedAt,
    allowance: new Allowance(),
  };
  const input = expressionInput(
    context,
    expression,
    before && { schema: scope.workflow.schema, task: before },
  );
  const blank = new Map(Array.from(expression.ofOther, (name) => [name, null]));
  return { ...input, other: input.other ?? blank };
}

/** A task as an event left it, and as it found it; before its creation there was none. */
interface TaskAtEvent {
  readonly after: TaskView;
  readonly before: TaskView | undefined;
}

/**
 * The task of an event as it was then, with the values of these fields: what it holds now, with what later events have
 * changed taken back. One that was deleted is shown as it was last.
 */
async function taskAtEvent(
  db: EntityManager,
  workspaceId: number,
  event: RecordedEvent,
  fieldIds: readonly string[],
): Promise<TaskAtEvent | undefined> {
  const { workflowId, taskId, type } = event;
  if (workflowId === null || taskId === null) return undefined;
  const now: TaskView =
    (await findTaskOfId(db, { workspaceId, workflowId, taskId }, fieldIds)) ?? eventTask(event);
  const [later] = await sql<Change>(db, readLater, [workspaceId, taskId, event.place, fieldIds]);
  const known = later ? withoutChange(now, later) : now;
  const after = { ...known, uniqueValue: event.uniqueValue };
  if (type === 'task.created') return { after, before: undefined };
  const found = type.startsWith('task.') ? withoutChange(after, event) : after;
  return type === 'task.deleted' ? { after: found, before: found } : { after, before: found };
}

type Change = Pick<RecordedEvent, 'stageFrom' | 'assigneeFrom' | 'assigneeTo' | 'valuesFrom' | 'valuesTo'>;

function withoutChange(task: TaskView, change: Change): TaskView {
  const { stageFrom, assigneeFrom, assigneeTo, valuesFrom, valuesTo } = change;
  const kept = Object.entries(task.fieldValues).filter(([id]) => !Object.hasOwn(valuesTo ?? {}, id));
  const former = Object.entries(valuesFrom ?? {}) as [string, Stored][];
  return {
    ...task,
    stageId: stageFrom ?? task.stageId,
    assigneeId: assigneeFrom === assigneeTo ? task.assigneeId : assigneeFrom,
    fieldValues: Object.fromEntries([...kept, ...former]),
  };
}

// Of what happened behind an event only the first change of each field tells how it was: there may be gigabytes of others.
const readLater = {
  name: 'read-later-changes',
  text: `
    WITH later AS (
      SELECT place, stage_from, assignee_from, assignee_to, values_from, values_to FROM events
      WHERE workspace_id = $1 AND task_id = $2 AND place > $3 AND type IN ('task.updated', 'task.deleted')
    ), changed AS (
      SELECT DISTINCT ON (id) id, values_from -> id AS value
      FROM later, unnest($4::text[]) id
      WHERE values_from ? id OR values_to ? id
      ORDER BY id, place
    )
    SELECT (SELECT stage_from FROM later WHERE stage_from IS NOT NULL ORDER BY place LIMIT 1) AS "stageFrom",
      a.assignee_from AS "assigneeFrom", a.assignee_to AS "assigneeTo",
      (SELECT jsonb_object_agg(id, value) FROM changed WHERE value IS NOT NULL) AS "valuesFrom",
      (SELECT jsonb_object_agg(id, true) FROM changed) AS "valuesTo"
    FROM (VALUES (1)) one LEFT JOIN LATERAL (
      SELECT assignee_from, assignee_to FROM later
      WHERE assignee_from IS DISTINCT FROM assignee_to ORDER BY place LIMIT 1
    ) a ON true`,
};

/** What an event tells of a task that is gone. */
function eventTask({ publicId, uniqueValue, version }: RecordedEvent): TaskView {
  return { ...blankTask, publicId: publicId ?? '', uniqueValue, version: version ?? 0 };
}
