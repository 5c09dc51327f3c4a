import { type Statement } from '../../common/database/sql.js';
import { assertedAtOnce } from './assert-definition.js';
import { isInState, linkedColumns, ofWorkflow, taskColumns } from './task-row.js';

// SQL: whether the statement changed the row. `assignments` stores the answer in a setting.
const isChanged = `current_setting('wts.changed', true) = '1' AS "isChanged"`;

const newStage = 'COALESCE($5::integer, t.stage_id)';
const newAssignee = 'CASE WHEN $7::boolean THEN $8::text ELSE t.assignee_id END';
const newValues = '(t.field_values - $10::text[]) || $9::jsonb';
const isNew = `(t.stage_id, t.assignee_id, t.field_values) IS DISTINCT FROM (${newStage}, ${newAssignee}, ${newValues})`;

const assignments = (isNew: string): string => `
  stage_id = ${newStage},
  is_active = COALESCE($6::boolean, t.is_active),
  assignee_id = ${newAssignee},
  field_values = ${newValues},
  version = t.version + set_config('wts.changed', (${isNew})::integer::text, true)::integer,
  updated_at = CASE WHEN ${isNew} THEN service_now() ELSE t.updated_at END`;

// SQL: whether the task allows the write. Its fields $11 must be blank, and it must have the values $12. Its
// state must be one of $13, if given, and its stage none of $14.
const allowsWrite = `($13::text[] IS NULL OR ${isInState('$13')}) AND (
  ($11::text[] = '{}' AND $12::jsonb = '{}') OR (t.field_values - $11::text[]) || $12::jsonb = t.field_values
) AND ($14::integer[] IS NULL OR t.stage_id <> ALL ($14))`;

// SQL: identifies a task by its Unique ID, which another task may get later, or by its permanent id.
const isNamed = 't.unique_value = $4';
const isThis = 't.id = $4::bigint';

const isMeant = (isTask: string, isInForce: string): string => `
  ${ofWorkflow} AND ${isTask} AND ${allowsWrite} AND ${isInForce}`;

const updateText = (isTask: string, isNew: string, isInForce: string, columns: string): string => `
  UPDATE tasks t SET ${assignments(isNew)}
  WHERE ${isMeant(isTask, isInForce)}
  RETURNING ${columns}, ${isChanged}`;

const inForce = 'assert_definition($1, $2, $3)';
// A statement outside of a transaction sets its origin itself.
const inForceWith = (origin: string): string => `assert_definition($1, $2, $3, ${origin})`;

/**
 * Returns a statement that updates a task by its id and writes to another table, or does neither. `other` is
 * the SQL for that table, with parameters from $16 on. In this SQL, `meant` has the task's id, or no row if
 * the task must not be updated; `other` must then do nothing. The statement returns the row of `other`. If
 * another transaction has locked the task or the definition, the statement does nothing.
 */
export function updateTogether(name: string, other: string): Statement {
  const text = `
  WITH meant AS (
    SELECT t.id FROM tasks t WHERE ${isMeant(isThis, assertedAtOnce('$3', '$15'))} FOR NO KEY UPDATE SKIP LOCKED
  ), other AS (${other})
  UPDATE tasks t SET ${assignments(isNew)}
  FROM other
  WHERE ${ofWorkflow} AND t.id = (SELECT id FROM meant)
  RETURNING other.*`;
  return { name, text };
}

export const update = {
  name: 'update-task',
  text: updateText(isNamed, isNew, inForceWith('$15'), taskColumns),
};
export const updateLinked = {
  name: 'update-linked-task',
  text: updateText(isNamed, isNew, inForceWith('$15'), linkedColumns),
};

const updatingThis = (name: string, columns: string): Statement => ({
  name,
  text: updateText(isThis, `${isNew} OR $15::boolean`, inForce, columns),
});
export const updateThis = updatingThis('update-this-task', taskColumns);
export const updateThisLinked = updatingThis('update-this-linked-task', linkedColumns);
/** Like `updateThis`, but returns only the task's id and whether the task was changed. */
export const changeThis = updatingThis('change-this-task', 't.id');

/** Returns the insertion, depending on whether the workflow has links and has a checklist template. */
type Insertion = (hasLinks: boolean, hasChecklist: boolean) => Statement;

/** Creates the statements that insert a task and its checklist. `publicId` is a parameter such as `$5`. */
function insertion(name: string, publicId: string, counter: string, inserting: string): Insertion {
  const plain = (columns: string): string =>
    `${counter && `WITH ${counter}`} ${inserting} RETURNING ${columns}, ${isChanged}`;
  const listed = (columns: string): string => `
    WITH ${counter && `${counter},`} written AS (${inserting} RETURNING t.*), items AS (
      INSERT INTO checklist_items (workspace_id, workflow_id, task_id, title, stage_id, is_editable)
      SELECT t.workspace_id, t.workflow_id, t.id, i.title, i.stage_id, false
      FROM written t JOIN checklist_template_items i ON i.workspace_id = $1 AND i.workflow_id = $2
      WHERE t.public_id = ${publicId} ORDER BY i.position
    )
    SELECT ${columns}, ${isChanged} FROM written t`;
  const statements = {
    plain: { name, text: plain(taskColumns) },
    linked: { name: `${name}-linked`, text: plain(linkedColumns) },
    listed: { name: `${name}-listed`, text: listed(taskColumns) },
    both: { name: `${name}-linked-listed`, text: listed(linkedColumns) },
  };
  return (hasLinks, hasChecklist) => {
    if (hasChecklist) return hasLinks ? statements.both : statements.listed;
    return hasLinks ? statements.linked : statements.plain;
  };
}

const target = `tasks AS t
  (workspace_id, workflow_id, unique_value, assignee_id, public_id, stage_id, is_active, field_values, due_at)`;

const upserting = (from: string): string => `
  INSERT INTO ${target}
  SELECT $1::integer, $2::integer, $4::text, $8::text, $15::text, $16::integer, $17::boolean, $18::jsonb,
    $19::timestamptz ${from}
  ON CONFLICT (workspace_id, workflow_id, unique_value) DO UPDATE SET ${assignments(isNew)}
  WHERE ${allowsWrite}`;

/** SQL: creates the workflow's counter, or sets it to `next`. Other new tasks wait for the row lock. */
const counted = (first: string, next: string, origin: string): string => `
  counter AS (
    INSERT INTO unique_id_counters AS c (workspace_id, workflow_id, last)
    SELECT $1::integer, $2::integer, ${first} WHERE ${inForceWith(origin)}
    ON CONFLICT (workspace_id, workflow_id) DO UPDATE SET last = ${next}
    RETURNING last
  )`;

export const upserts = insertion('upsert-task', '$15', '', upserting(`WHERE ${inForceWith('$20')}`));
export const upsertsOfNumber = insertion(
  'upsert-task-of-number',
  '$15',
  counted('$4::numeric', 'GREATEST(c.last, $4::numeric)', '$20'),
  upserting('FROM counter'),
);
export const numberedInserts = insertion(
  'insert-numbered-task',
  '$5',
  counted('1', 'c.last + 1', '$10'),
  `INSERT INTO ${target}
   SELECT $1::integer, $2::integer, last::text, $4::text, $5::text, $6::integer, $7::boolean, $8::jsonb,
     $9::timestamptz FROM counter
   ON CONFLICT DO NOTHING`,
);

/** The statement for workflows without links and without a checklist template. */
export const upsert = upserts(false, false);
