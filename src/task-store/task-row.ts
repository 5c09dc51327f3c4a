import { assertVersion } from '../workspace/workspaces.js';
import { type Workflow } from '../workspace/workspace.js';
import { type Sighted } from './seen.js';
import { type TaskEntity } from '../entities/task.entity.js';
import { type TaskView, type LinkedTask } from '../schema/task-view.js';
import { type Stored } from '../schema/field-type.js';
import { type Message } from '../lib/message.js';

/** A task as the statements of this folder return it. */
export type TaskRow = TaskView & Readonly<Pick<TaskEntity, 'id'>>;

/** A task without its values, which may be large. */
export type BareTask = Omit<TaskRow, 'fieldValues'>;

/** That a row of the table called `t` is one of the workflow, by the first two values of its statement. */
export const ofWorkflow = 't.workspace_id = $1 AND t.workflow_id = $2';

/** SQL: the workspace $1 with the task that $3 names, by its Unique ID unless it is said, if one is seen, in its workflow $2. */
export const namedTask = ({ andSeen }: Sighted, isNamed = 't.unique_value = $3'): string => `
  FROM workspaces w
  LEFT JOIN tasks t ON t.workspace_id = w.id AND t.workflow_id = $2 AND ${isNamed}${andSeen('t')}`;

/**
 * The version that a task shows. It begins anywhere, by chance, and counts up from there: so a task never comes to a
 * version that another of its Unique ID once had. A number, as JavaScript has it: both parts are below 2^52.
 */
export const versionOfTask = '(t.version_offset + t.version)';

/** SQL: when the task was last changed, in milliseconds. */
const changedAt = "round(date_part('epoch', t.updated_at) * 1000)";

/**
 * A state of a task: its version, and when it came to that. After a restore two databases count the same versions for
 * different changes; they do not make them in the same millisecond.
 */
export function stateOfTask({ version, changedAt }: Pick<TaskView, 'version' | 'changedAt'>): string {
  return `${version}@${changedAt}`;
}

/** SQL: that the task is in one of these states, or of a version that stands without its time. */
export const isInState = (states: string): string =>
  `(${versionOfTask}::text = ANY(${states}) OR ${versionOfTask} || '@' || ${changedAt} = ANY(${states}))`;

/** SQL: sets what tells that the task called `t` was changed. */
export const nextVersion = 'version = t.version + 1, updated_at = service_now()';

/** The columns of a `TaskRow` but for its values. */
export const plainColumns = `
  t.id, t.public_id AS "publicId", t.unique_value AS "uniqueValue", t.stage_id AS "stageId",
  t.assignee_id AS "assigneeId", ${versionOfTask}::float8 AS version, ${changedAt} AS "changedAt"`;

/** The columns of a `TaskRow`, of the table called `t`. */
export const taskColumns = `${plainColumns}, t.field_values AS "fieldValues"`;

/** The columns of a `TaskRow` with the tasks that are linked to it at the moment the row is written. */
export const linkedColumns = `${taskColumns}, linked_now(t.workspace_id, t.id) AS linked`;

/** Whether tasks of the workflow can have links. */
export function hasLinks({ schema }: Workflow): boolean {
  return schema.links.size > 0;
}

/** What else is asked of listed tasks. */
export interface ShownShape {
  readonly showsInstants: boolean;
  readonly showsLinks: boolean;
}

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
export function selectListed(
  rows: string,
  shown: ShownShape,
  { linkedTasks }: Pick<Sighted, 'linkedTasks'>,
  further: readonly string[] = [],
): string {
  const columns = [
    'w.version AS definition',
    plainColumns,
    ...(shown.showsInstants ? instantColumns : []),
    ...(shown.showsLinks ? ['t.linked'] : []),
    ...further,
  ];
  // Values are stored uncompressed, so their size is known without reading them.
  const listed = `
    SELECT t.*, sum(pg_column_size(t.field_values)) OVER (ORDER BY t.place ROWS UNBOUNDED PRECEDING)
      - pg_column_size(t.field_values) AS preceding
    FROM (${rows}) t`;
  return `
    SELECT ${columns.join(', ')}, CASE WHEN t.preceding < ${MAX_CHUNK_BYTES} THEN t.field_values END AS "fieldValues"
    FROM workspaces w
    LEFT JOIN (${shown.showsLinks ? linkedTo(listed, linkedTasks) : listed}) t ON true
    WHERE w.id = $1
    ORDER BY t.place`;
}

const linkedTo = (listed: string, linkedTasks: Sighted['linkedTasks']): string => `
  WITH listed AS MATERIALIZED (${listed})
  SELECT t.*, l.linked FROM listed t
  LEFT JOIN ${linkedTasks(
    '$1',
    `ARRAY(
    SELECT t.id FROM listed t WHERE t.preceding < ${MAX_CHUNK_BYTES} ORDER BY t.place
  )`,
  )} l ON l.task = t.id`;

// What only `_created` and `_updated` show.
const instantColumns = ['t.created_at AS "createdAt"', 't.updated_at AS "updatedAt"', 't.due_at AS "dueAt"'];

const MAX_CHUNK_BYTES = 2_000_000;

/** A row of a read, which tells the definition in force even where there is no task. */
export type ReadRow<Task = TaskRow> = { readonly definition: number } & (Task | { readonly id: null });

/** The tasks of a read; throws when another definition is in force than the one they would be shown by. */
export function tasksOf<Task extends Pick<TaskRow, 'id' | 'linked'>>(
  workflow: Workflow,
  rows: readonly ReadRow<Task>[],
): Task[] {
  assertVersion(rows[0]?.definition ?? 0, workflow.version);
  const tasks = rows.filter((row): row is ReadRow<Task> & Task => row.id !== null);
  return tasks[0]?.linked === undefined ? tasks : tasks.map(withLinked);
}

/** A linked task as `linked_tasks` returns it. */
type LinkedRow = readonly [
  side: string,
  publicId: string,
  uniqueValue: string | null,
  stageId: number,
  assigneeId: string | null,
  version: number,
  fieldValues: TaskView['fieldValues'],
  changedAt: number,
];

/** The row with its linked tasks read, if it has any. */
export function withLinked<Row extends Pick<TaskView, 'linked'>>(row: Row): Row {
  const linked = row.linked as unknown as readonly LinkedRow[] | null | undefined;
  return linked ? { ...row, linked: linked.map(linkedTask) } : row;
}

function linkedTask(row: LinkedRow): LinkedTask {
  const [side, publicId, uniqueValue, stageId, assigneeId, version, fieldValues, changedAt] = row;
  return { side, publicId, uniqueValue, stageId, assigneeId, version, fieldValues, changedAt };
}

/** What a write demands of the task as it is. */
export interface Precondition {
  readonly mustExist: boolean;
  readonly mustNotExist: boolean;
  /** The states that it may change, or versions alone; absent where any will do. */
  readonly states: readonly string[] | undefined;
  /** The entity tags that it must not have, as `If-None-Match` lists them. */
  readonly excluded: string | undefined;
  /** Why no task can be as demanded. */
  readonly impossible: Message | undefined;
  /** Values by field id that it must hold already; those of fields that the change blanks are blank. */
  readonly holds: ReadonlyMap<string, Stored>;
}

/** Demands nothing. */
export const noPrecondition: Precondition = {
  mustExist: false,
  mustNotExist: false,
  states: undefined,
  excluded: undefined,
  impossible: undefined,
  holds: new Map(),
};
