import { type EntityManager } from 'typeorm';
import { sql } from '../common/database/sql.js';
import { type Stored } from '../workflows/fields/field-type.js';
import { blankTask, type TaskView } from '../workflows/fields/task-view.js';
import { findTasksOfIds } from '../tasks/store/task.repository.js';
import { type RecordedEvent } from './events.repository.js';

/** A task after an event, and before it. `before` is undefined if the event created the task. */
export interface TaskAtEvent {
  readonly after: TaskView;
  readonly before: TaskView | undefined;
}

/**
 * Reconstructs these fields of a task after and before an event, by undoing later events. A deleted task has
 * its last values. Undefined if the event concerns no task.
 */
export function taskAtEvent(
  db: EntityManager,
  workspaceId: number,
  event: RecordedEvent,
  fieldIds: readonly string[],
): TaskAtEvent | undefined | Promise<TaskAtEvent | undefined> {
  const kept = ahead.get(event);
  if (kept && fieldIds.every((id) => kept.fieldIds.has(id))) return kept.task;
  return tasksAtEvents(db, workspaceId, [event], fieldIds).then((tasks) => tasks.get(event));
}

/** Reads the tasks of many events at once, so that later calls of `taskAtEvent` need not wait. */
export async function readTasksAhead(
  db: EntityManager,
  workspaceId: number,
  events: readonly RecordedEvent[],
  fieldIds: readonly string[],
): Promise<void> {
  const tasks = await tasksAtEvents(db, workspaceId, events, fieldIds);
  const wanted = new Set(fieldIds);
  for (const event of events) ahead.set(event, { fieldIds: wanted, task: tasks.get(event) });
}

// A cache: the state of a task at an event never changes.
const ahead = new WeakMap<
  RecordedEvent,
  { readonly fieldIds: ReadonlySet<string>; readonly task: TaskAtEvent | undefined }
>();

/** All events must belong to one workflow. */
async function tasksAtEvents(
  db: EntityManager,
  workspaceId: number,
  events: readonly RecordedEvent[],
  fieldIds: readonly string[],
): Promise<Map<RecordedEvent, TaskAtEvent>> {
  const ofTasks = events.filter(({ workflowId, taskId }) => workflowId !== null && taskId !== null);
  const workflowId = ofTasks[0]?.workflowId ?? null;
  if (workflowId === null) return new Map();
  const ids = ofTasks.flatMap(({ taskId }) => taskId ?? []);
  const found = await findTasksOfIds(db, { workspaceId, workflowId }, [...new Set(ids)], fieldIds);
  const byId = new Map(found.map((task) => [task.id, task]));
  const places = ofTasks.map(({ place }) => place);
  const changes = await sql<Change & { of: string }>(db, readLater, [workspaceId, ids, places, fieldIds]);
  const later = new Map(changes.map((change) => [change.of, change]));
  return new Map(
    ofTasks.map((event) => [
      event,
      atEvent(event, byId.get(event.taskId ?? '') ?? eventTask(event), later.get(event.place)),
    ]),
  );
}

function atEvent(event: RecordedEvent, now: TaskView, later: Change | undefined): TaskAtEvent {
  const { type, uniqueValue } = event;
  const after = { ...(later ? withoutChange(now, later) : now), uniqueValue };
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

// Reads only the first later change of each field, because all changes together may take gigabytes.
const readLater = {
  name: 'read-later-changes',
  text: `
    SELECT g.place AS of, l.* FROM unnest($2::bigint[], $3::bigint[]) g (task_id, place)
    CROSS JOIN LATERAL (
      WITH later AS (
        SELECT place, stage_from, assignee_from, assignee_to, values_from, values_to FROM events
        WHERE workspace_id = $1 AND task_id = g.task_id AND place > g.place AND type IN ('task.updated', 'task.deleted')
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
      ) a ON true
      WHERE EXISTS (SELECT FROM later)
    ) l`,
};

/** A deleted task, of which the event tells only the ids and the version. */
function eventTask({ publicId, uniqueValue, version }: RecordedEvent): TaskView {
  return { ...blankTask, publicId: publicId ?? '', uniqueValue, version: version ?? 0 };
}
