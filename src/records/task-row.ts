import { type TaskView } from '../schema/task-view.js';

/** A task as the statements of this folder return it. */
export interface TaskRow extends TaskView {
  /** Counts up in the order of creation; a bigint, as text. */
  readonly id: string;
}

/** The columns of a `TaskRow`, of the table called `t`. */
export const taskColumns = `
  t.id, t.public_id AS "publicId", t.unique_value AS "uniqueValue", t.stage_id AS "stageId",
  t.assignee_id AS "assigneeId", t.field_values AS "fieldValues", t.version`;
