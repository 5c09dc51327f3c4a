import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Stored } from '../schema/field-type.js';
import { blankTask, type TaskView } from '../schema/task-view.js';
import { findTaskOfId } from '../task-store/task.repository.js';
import { type RecordedEvent } from './events.repository.js';

/** A task as an event left it, and as it found it; before its creation there was none. */
export interface TaskAtEvent {
  readonly after: TaskView;
  readonly before: TaskView | undefined;
}

/**
 * The task of an event as it was then, with the values of these fields: what it holds now, with what later events have
 * changed taken back. One that was deleted is shown as it was last.
 */
export async function taskAtEvent(
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
