import { assertVersion } from '../../workflows/model/workspaces.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { isSeen, seenLinkedTasks, type SightTexts } from './seen.js';
import { type TaskEntity } from './task.entity.js';
import { type LinkedTask, type TaskVersion, type TaskView } from '../../workflows/fields/task-view.js';
import { type Stored } from '../../workflows/fields/field-type.js';

export type TaskRow = ListedTask & TaskVersion;

/** A task of a list. If the list does not show versions, the version may be absent. */
export type ListedTask = TaskView & Readonly<Pick<TaskEntity, 'id'>>;

/** A task without its values, which may be large. */
export type BareTask = Omit<TaskRow, 'fieldValues'>;

/** SQL: whether the row of `t` belongs to the workspace $1 and the workflow $2. */
export const ofWorkflow = 't.workspace_id = $1 AND t.workflow_id = $2';

/** SQL: the workspace $1, joined with the task $3 of its workflow $2 if the viewer sees that task. */
export const namedTask = (sight: SightTexts, isNamed = 't.unique_value = $3'): string => `
  FROM workspaces w
  LEFT JOIN tasks t ON t.workspace_id = w.id AND t.workflow_id = $2 AND ${isNamed} AND ${isSeen('t', sight)}`;

/**
 * SQL: the version that clients see. The offset is random, so that no version of an earlier task with the
 * same Unique ID is repeated. Both numbers are below 2^52, so JavaScript represents the sum exactly.
 */
const versionOfTask = '(t.version_offset + t.version)';

/** SQL: when the task was last changed, in milliseconds. */
const changedAt = "round(date_part('epoch', t.updated_at) * 1000)";

/**
 * Returns the state of a task: its version and the time of its last change. A restored database may assign
 * the same version to another change, but hardly in the same millisecond.
 */
export function stateOfTask({ version, changedAt }: TaskVersion): string {
  return `${version}@${changedAt}`;
}

/** SQL: whether the task is in one of these states. */
export const isInState = (states: string): string =>
  `${versionOfTask} || '@' || ${changedAt} = ANY(${states})`;

/** SQL: gives the task `t` a new version and time of change. */
export const nextVersion = 'version = t.version + 1, updated_at = service_now()';

const listedColumns = `
  t.id, t.public_id AS "publicId", t.unique_value AS "uniqueValue", t.stage_id AS "stageId", t.assignee_id AS "assigneeId"`;

/** The columns of a `TaskRow`, without its values. */
export const plainColumns = `${listedColumns}, ${versionOfTask}::float8 AS version, ${changedAt} AS "changedAt"`;

/** SQL: the columns of a `TaskRow`, from the table `t`. */
export const taskColumns = `${plainColumns}, t.field_values AS "fieldValues"`;

/**
 * SQL: the columns of a `TaskRow`, and its linked tasks. `linked_now` reads the linked tasks in a new
 * snapshot, because the statement may have waited for the lock of the task.
 */
export const linkedColumns = `${taskColumns}, linked_now(t.workspace_id, t.id) AS linked`;

export function hasLinks({ schema }: Workflow): boolean {
  return schema.links.size > 0;
}

/** Which optional columns the rows of a list have. */
export interface ShownShape {
  readonly showsLinks: boolean;
  readonly showsInstants?: boolean;
  readonly showsVersion?: boolean;
}

/** A task whose values are null if they were not read, for example because they were too large. */
export type PartlyRead<Task extends TaskView> = Omit<Task, 'fieldValues'> & {
  readonly fieldValues: Task['fieldValues'] | null;
};

export type ListedRow = PartlyRead<ListedTask>;

export function hasValues<Row extends Pick<ListedRow, 'fieldValues'>>(
  row: Row,
): row is Row & Pick<TaskView, 'fieldValues'> {
  return row.fieldValues !== null;
}

export function hasVersion<Row extends ListedTask>(row: Row): row is Row & TaskVersion {
  return row.version !== undefined;
}

/** SQL: reads the tasks of the query `rows`, in the query's order. Leaves out all values after about 2 MB. */
export function selectListed(rows: string, shown: ShownShape, sight: SightTexts): string {
  // Values are stored uncompressed, so their size is known without reading them.
  const listed = `
    SELECT t.*, row_number() OVER so_far AS place,
      sum(pg_column_size(t.field_values)) OVER so_far - pg_column_size(t.field_values) AS preceding
    FROM (${rows}) t WINDOW so_far AS (ROWS UNBOUNDED PRECEDING)`;
  const isKept = `t.preceding < ${MAX_CHUNK_BYTES}`;
  const from = shown.showsLinks ? linkedTo(listed, isKept, sight) : listed;
  return `${select(from, isKept, { ...shown, showsVersion: true })} ORDER BY t.place`;
}

/**
 * SQL: reads the tasks of the query `rows`, in the query's order. The query must find at most `most` tasks.
 * If the values of a task exceed an equal share of 2 MB, leaves them out. `further` are additional SQL
 * columns, which may use `t.place`, the position of a task among the others.
 */
export function selectPage(
  rows: string,
  most: number,
  shown: ShownShape,
  sight: SightTexts,
  further: readonly string[] = [],
): string {
  const isKept = `pg_column_size(t.field_values) < ${Math.floor(MAX_CHUNK_BYTES / most)}`;
  const placed = `SELECT t.*, row_number() OVER () AS place FROM (${rows}) t`;
  if (shown.showsLinks)
    return `${select(linkedTo(placed, isKept, sight), isKept, shown, further)} ORDER BY t.place`;
  // ORDER BY is not needed here: joining a single row with the tasks keeps their order.
  return select(further.length > 0 ? placed : rows, isKept, shown, further);
}

function select(from: string, isKept: string, shown: ShownShape, further: readonly string[] = []): string {
  const columns = [
    'w.version AS definition',
    shown.showsVersion ? plainColumns : listedColumns,
    ...(shown.showsInstants ? instantColumns : []),
    ...(shown.showsLinks ? ['t.linked'] : []),
    ...further,
  ];
  return `
    SELECT ${columns.join(', ')}, CASE WHEN ${isKept} THEN t.field_values END AS "fieldValues"
    FROM workspaces w
    LEFT JOIN (${from}) t ON true
    WHERE w.id = $1`;
}

const linkedTo = (listed: string, isKept: string, sight: SightTexts): string => `
  WITH listed AS MATERIALIZED (${listed})
  SELECT t.*, l.linked FROM listed t
  LEFT JOIN ${seenLinkedTasks('$1', `ARRAY(SELECT t.id FROM listed t WHERE ${isKept} ORDER BY t.place)`, sight)} l ON l.task = t.id`;

// Only `_created`, `_updated` and `_due` need these columns.
const instantColumns = ['t.created_at AS "createdAt"', 't.updated_at AS "updatedAt"', 't.due_at AS "dueAt"'];

const MAX_CHUNK_BYTES = 2_000_000;

/** A row of a read. It contains the version of the definition in force even if there is no task. */
export type ReadRow<Task = TaskRow> = { readonly definition: number } & (Task | { readonly id: null });

/** Returns the tasks of a read; throws if the workflow's definition is not the one in force. */
export function tasksOf<Task extends Pick<TaskRow, 'id' | 'linked'>>(
  workflow: Workflow,
  rows: readonly ReadRow<Task>[],
): Task[] {
  assertVersion(rows[0]?.definition ?? 0, workflow.version);
  const tasks = rows.filter((row): row is ReadRow<Task> & Task => row.id !== null);
  return tasks[0]?.linked === undefined ? tasks : tasks.map(withLinked);
}

/** A linked task as `seen_linked_tasks` returns it. */
type LinkedRow = readonly [
  side: string,
  publicId: string,
  uniqueValue: string | null,
  stageId: number,
  assigneeId: string | null,
  version: number,
  fieldValues: TaskView['fieldValues'],
  changedAt: number,
  dueAt: string | null,
];

/** Returns the row with its linked tasks parsed, if it has any. */
export function withLinked<Row extends Pick<TaskView, 'linked'>>(row: Row): Row {
  const linked = row.linked as unknown as readonly LinkedRow[] | null | undefined;
  return linked ? { ...row, linked: linked.map(linkedTask) } : row;
}

function linkedTask(row: LinkedRow): LinkedTask {
  const [side, publicId, uniqueValue, stageId, assigneeId, version, fieldValues, changedAt, due] = row;
  const dueAt = due === null ? null : new Date(due);
  return { side, publicId, uniqueValue, stageId, assigneeId, version, fieldValues, changedAt, dueAt };
}

/** What a write requires of the stored task. */
export interface Precondition {
  readonly mustExist: boolean;
  readonly mustNotExist: boolean;
  /** The states in which the task may be changed; undefined allows any state. */
  readonly states: readonly string[] | undefined;
  /**
   * Maps field ids to the values that the task must already have. If the change blanks one of these fields,
   * the field must instead be blank already.
   */
  readonly holds: ReadonlyMap<string, Stored>;
}

export const noPrecondition: Precondition = {
  mustExist: false,
  mustNotExist: false,
  states: undefined,
  holds: new Map(),
};
