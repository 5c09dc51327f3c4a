import { assertVersion } from '../workflows/stale-definition.js';
import { type Workflow } from '../workflows/workspace.js';
import { type TaskView } from '../schema/task-view.js';

/** A task as the statements of this folder return it. */
export interface TaskRow extends TaskView {
  /** Counts up in the order of creation; a bigint, as text. */
  readonly id: string;
}

/** The columns of a `TaskRow`, of the table called `t`; its values may be another expression. */
export const selectTask = (fieldValues: string): string => `
  t.id, t.public_id AS "publicId", t.unique_value AS "uniqueValue", t.stage_id AS "stageId",
  t.assignee_id AS "assigneeId", ${fieldValues} AS "fieldValues", t.version`;

export const taskColumns = selectTask('t.field_values');

/** A row of a read, which tells the definition in force even where there is no task. */
export type ReadRow<Task = TaskRow> = { readonly definition: number } & (Task | { readonly id: null });

/** The tasks of a read; throws when another definition is in force than the one they would be shown by. */
export function tasksOf<Task extends { readonly id: string }>(
  workflow: Workflow,
  rows: readonly ReadRow<Task>[],
): Task[] {
  assertVersion(rows[0]?.definition ?? 0, workflow.version);
  return rows.filter((row): row is ReadRow<Task> & Task => row.id !== null);
}
