import { assertVersion } from '../workflows/stale-definition.js';
import { type Workflow } from '../workflows/workspace.js';
import { type TaskView } from '../schema/task-view.js';

/** A task as the statements of this folder return it. */
export interface TaskRow extends TaskView {
  /** Counts up in the order of creation; a bigint, as text. */
  readonly id: string;
}

/** That a row of the table called `t` is one of the workflow, by the first two values of its statement. */
export const ofWorkflow = 't.workspace_id = $1 AND t.workflow_id = $2';

const plainColumns = `
  t.id, t.public_id AS "publicId", t.unique_value AS "uniqueValue", t.stage_id AS "stageId",
  t.assignee_id AS "assigneeId", t.version`;

/** The columns of a `TaskRow`, of the table called `t`. */
export const taskColumns = `${plainColumns}, t.field_values AS "fieldValues"`;

/** A task of a list: its values may be left out, to be read by `loadTasks`. */
export type ListedRow = Omit<TaskRow, 'fieldValues'> & {
  readonly fieldValues: TaskRow['fieldValues'] | null;
};

/** Whether the row holds the task's values. */
export function hasValues(row: ListedRow): row is TaskRow {
  return row.fieldValues !== null;
}

/**
 * A statement that reads the tasks that `rows` selects from the table called `t`, in the order of their column
 * `place`, with values of about 2 MB at most and always those of the first. `further` are columns besides.
 */
export function selectListed(rows: string, showsInstants: boolean, further: readonly string[] = []): string {
  const instants = showsInstants ? instantColumns : [];
  return `
    SELECT ${['w.version AS definition', plainColumns, ...instants, ...further].join(', ')},
      CASE WHEN t.preceding < ${mostBytes} THEN t.field_values END AS "fieldValues"
    FROM workspaces w
    LEFT JOIN (
      -- Values are stored uncompressed, so their size is known without reading them.
      SELECT t.*, sum(pg_column_size(t.field_values)) OVER (ORDER BY t.place ROWS UNBOUNDED PRECEDING)
        - pg_column_size(t.field_values) AS preceding
      FROM (${rows}) t
    ) t ON true
    WHERE w.id = $1
    ORDER BY t.place`;
}

// What only `_created` and `_updated` show.
const instantColumns = ['t.created_at AS "createdAt"', 't.updated_at AS "updatedAt"'];

const mostBytes = 2_000_000;

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
