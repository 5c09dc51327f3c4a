import { type EntityManager } from 'typeorm';
import { sql } from '../../database/sql.js';
import { type Stored, type Users } from '../../schema/field-type.js';
import { Invalid } from '../../schema/invalid.js';
import { isSameValue } from '../same-value.js';
import { type ChangedField, isRetyped } from './changed-fields.js';
import { type OnProgress } from './draft.js';
import { heldValue, type Judge, judgeOf, judgeValue } from './judge-value.js';
import { readValues, type TaskValues } from './read-values.js';
import { releaseFiles } from './release-files.js';
import { countTasks, inStretches, type TaskPlace } from './task-place.js';

/** Turns the values of fields that change their type into values of the new one; what does not fit becomes blank. */
export async function convertValues(
  db: EntityManager,
  place: TaskPlace,
  fields: readonly ChangedField[],
  users: Users,
  onProgress?: OnProgress,
): Promise<void> {
  const retyped = fields.filter(isRetyped);
  if (retyped.length === 0) return;
  const judge = await judgeOf(db, place, retyped, users);
  const run = { task: 'converting values', onProgress };
  // The Unique ID has a column of its own: on the way, its values stand with the others.
  for (const { field } of retyped) {
    if (field.type === 'file') await releaseFiles(db, place, field.id);
    if (field.type === 'uniqueId') await inStretches(db, place, fromColumn, [field.id], run);
  }
  await rewrite(db, place, retyped, judge, onProgress);
  for (const { field, wanted } of retyped)
    if (wanted.type === 'uniqueId') await inStretches(db, place, toColumn, [field.id], run);
}

interface Rewritten {
  readonly id: string;
  readonly removed: readonly string[];
  readonly added: Readonly<Record<string, Stored>>;
}

async function rewrite(
  db: EntityManager,
  place: TaskPlace,
  fields: readonly ChangedField[],
  judge: Judge,
  onProgress?: OnProgress,
): Promise<void> {
  const total = onProgress ? await countTasks(db, place) : 0;
  let done = 0;
  const ids = fields.map(({ field }) => field.id);
  for await (const tasks of readValues(db, place, ids)) {
    const rewritten = tasks.flatMap((task) => rewriteTask(task, fields, judge));
    if (rewritten.length > 0)
      await sql(db, write, [place.workspaceId, place.workflowId, JSON.stringify(rewritten)]);
    done += tasks.length;
    onProgress?.({ task: 'converting values', done, total });
  }
}

function rewriteTask(task: TaskValues, fields: readonly ChangedField[], judge: Judge): Rewritten[] {
  const removed: string[] = [];
  const added = new Map<string, Stored>();
  for (const change of fields) {
    const stored = heldValue(change, task);
    const value = stored === undefined ? undefined : judgeValue(change, task, stored, judge);
    if (stored === undefined || isSameValue(stored, value)) continue;
    if (value === undefined || value instanceof Invalid) removed.push(change.field.id);
    else added.set(change.field.id, value);
  }
  const isChanged = removed.length + added.size > 0;
  return isChanged ? [{ id: task.id, removed, added: Object.fromEntries(added) }] : [];
}

const isTouched = 'version = t.version + 1, updated_at = clock_timestamp()';

const write = {
  text: `
    UPDATE tasks t SET field_values = (t.field_values - n.removed) || n.added, ${isTouched}
    FROM json_to_recordset($3::json) AS n (id bigint, removed text[], added jsonb)
    WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = n.id`,
};

const inStretch = 't.workspace_id = $1 AND t.workflow_id = $2 AND t.id > $3 AND t.id <= $4';

const fromColumn = `
  UPDATE tasks t SET field_values = t.field_values || jsonb_build_object($5::text, t.unique_value), unique_value = NULL,
    ${isTouched}
  WHERE ${inStretch} AND t.unique_value IS NOT NULL`;

const toColumn = `
  UPDATE tasks t SET unique_value = t.field_values ->> $5::text, field_values = t.field_values - $5::text, ${isTouched}
  WHERE ${inStretch} AND t.field_values ? $5::text`;
