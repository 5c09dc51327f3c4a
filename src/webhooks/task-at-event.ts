import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { type Stored } from '../schema/field-type.js';
import { type TaskView } from '../schema/task-view.js';
import { findTaskOfId } from '../task-store/task.repository.js';

/** A task as an event left it, and as it found it; before its creation there was none. */
export interface TaskAtEvent {
  readonly after: TaskView;
  readonly before: TaskView | undefined;
}

/**
 * The task of an event as it was then: what it holds now, with what later events have changed taken back. One that was
 * deleted is shown as it was last.
 */
export async function taskAtEvent(
  db: EntityManager,
  workspaceId: number,
  event: RecordedEvent,
): Promise<TaskAtEvent | undefined> {
  const { workflowId, taskId, type } = event;
  if (workflowId === null || taskId === null) return undefined;
  const now: TaskView = (await findTaskOfId(db, { workspaceId, workflowId, taskId })) ?? blankTask(event);
  const later = await sql<Change>(db, readLater, [workspaceId, taskId, event.place]);
  const known = later.reduceRight((task, change) => withoutChange(task, change), now);
  const after = { ...known, uniqueValue: event.uniqueValue };
  if (type === 'task.created') return { after, before: undefined };
  const found = type.startsWith('task.') ? withoutChange(after, event) : after;
  return type === 'task.deleted' ? { after: found, before: found } : { after, before: found };
}

type Change = Pick<
  RecordedEvent,
  'stageFrom' | 'stageTo' | 'assigneeFrom' | 'assigneeTo' | 'valuesFrom' | 'valuesTo'
>;

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

function blankTask({ publicId, uniqueValue, version }: RecordedEvent): TaskView {
  return {
    publicId: publicId ?? '',
    uniqueValue,
    stageId: 0,
    assigneeId: null,
    version: version ?? 0,
    fieldValues: {},
  };
}

const readLater = {
  name: 'read-later-changes',
  text: `
    SELECT stage_from AS "stageFrom", stage_to AS "stageTo", assignee_from AS "assigneeFrom",
      assignee_to AS "assigneeTo", values_from AS "valuesFrom", values_to AS "valuesTo"
    FROM events
    WHERE workspace_id = $1 AND task_id = $2 AND place > $3 AND type IN ('task.updated', 'task.deleted')
    ORDER BY place`,
};
