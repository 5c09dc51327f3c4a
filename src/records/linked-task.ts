import { type LinkedTask, type TaskView } from '../schema/task-view.js';

/** A linked task as `linked_tasks` returns it. */
type LinkedRow = readonly [
  side: string,
  publicId: string,
  uniqueValue: string | null,
  stageId: number,
  assigneeId: string | null,
  version: number,
  fieldValues: TaskView['fieldValues'],
];

/** The row with its linked tasks read, if it has any. */
export function withLinked<Row extends Pick<TaskView, 'linked'>>(row: Row): Row {
  const linked = row.linked as unknown as readonly LinkedRow[] | null | undefined;
  return linked ? { ...row, linked: linked.map(linkedTask) } : row;
}

function linkedTask(row: LinkedRow): LinkedTask {
  const [side, publicId, uniqueValue, stageId, assigneeId, version, fieldValues] = row;
  return { side, publicId, uniqueValue, stageId, assigneeId, version, fieldValues };
}
