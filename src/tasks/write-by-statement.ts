import { type EntityManager } from 'typeorm';
import { isOfStatement } from '../common/database/data-source.js';
import { sharedBy } from '../common/database/shared-data-source.js';
import { Together } from '../common/database/together.js';
import { unchangedFiles } from '../workflows/fields/task-change.js';
import { type ParsedTask } from '../workflows/fields/parse-task.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { canCreate } from '../workflows/fields/validate-task.js';
import { recordOf, type RowChange, upsertShownRows } from './store/bulk-upsert.js';
import { noPrecondition, type Precondition } from './store/task-row.js';
import { insertTask, updateTask, upsertTask, type Written } from './store/upsert-task.js';
import { Scope } from '../workflows/model/scope.js';
import { type UnitOfWork } from '../workflows/model/unit-of-work.js';
import { type ParsedWrite } from './write.js';

/** Returns the change if one statement can make it; undefined if the task must be read or locked first. */
export function statementChange(scope: Scope, write: ParsedWrite): RowChange | undefined {
  const { verb, task, parsed, precondition } = write;
  const { change } = parsed;
  if (scope.bound || task || change.links.size > 0) return undefined;
  const row = rowChange(scope.workflow.schema, parsed, precondition);
  const mayCreate = row?.mayCreate === true && verb === 'upsert';
  return row && (mayCreate || change.uniqueValue != null) ? { ...row, mayCreate } : undefined;
}

/** Returns a parsed task's change if one statement can make it; undefined if the task must be read first. */
export function rowChange(
  schema: TaskSchema,
  { change, refused }: ParsedTask,
  { states, mustExist }: Precondition,
): RowChange | undefined {
  const holds = unchangedFiles(change);
  const { staysIn } = change;
  // If `staysIn` is set, one of `refused` is about that stage. This refusal does not count here, because a
  // task that is already in the stage may stay there.
  const others = refused.length - (staysIn === undefined ? 0 : 1);
  if (others > 0 || !holds) return undefined;
  const hasFiles = [...change.files.values()].some((files) => files.length > 0);
  const beginsThere = staysIn === undefined || staysIn === schema.stages.initial.id;
  const mayCreate = !mustExist && !hasFiles && beginsThere && canCreate(schema, change);
  return { change, demands: { states, holds }, mayCreate };
}

/**
 * Returns the row for a statement that writes many tasks. Such a statement cannot number new tasks. If the
 * workflow numbers its tasks, the returned row only updates. If that row has no Unique ID, returns undefined.
 */
export function sharedChange(schema: TaskSchema, row: RowChange): RowChange | undefined {
  if (schema.uniqueId?.autoincrement !== true) return row;
  return row.change.uniqueValue == null ? undefined : { ...row, mayCreate: false };
}

/** Writes a task without locking it first; returns undefined if this is not possible. */
export async function writeByStatement(
  db: EntityManager,
  scope: Scope,
  { change, mayCreate, demands }: RowChange,
): Promise<Written | undefined> {
  if (change.staysIn !== undefined) return undefined;
  const precondition = { ...noPrecondition, ...demands };
  if (change.uniqueValue == null) return insertTask(db, scope, change, precondition);
  // An upsert locks the counter if the workflow numbers its tasks. Most writes only update, so an update is
  // tried first.
  const isNumbered = scope.workflow.schema.uniqueId?.autoincrement === true;
  const updated = isNumbered || !mayCreate ? await updateTask(db, scope, change, precondition) : undefined;
  return updated ?? (mayCreate ? upsertTask(db, scope, change, precondition) : undefined);
}

/**
 * Writes a task by a statement that simultaneous writes share. Calls `runSingle` if there are no other
 * writes, or if the statement skips the task.
 */
export function writeTogether(
  work: UnitOfWork,
  scope: Scope,
  row: RowChange,
  runSingle: () => Promise<Written>,
): Promise<Written> {
  const { workflow, workspaceId } = scope;
  const line = sharedBy(work.db(scope)).line(
    `write ${workspaceId}/${workflow.id}/${workflow.version}`,
    () =>
      new Together<PendingWrite, Written>({
        askFor: (pending) => writeAll(work, pending),
        nameOf: ({ name }) => name,
        lengthOf: ({ record }) => record.length,
      }),
  );
  return line.ask(() => pendingWrite(scope, row), runSingle);
}

interface PendingWrite {
  readonly scope: Scope;
  readonly name: string | null;
  readonly record: string;
}

function pendingWrite(scope: Scope, row: RowChange): PendingWrite {
  const record = recordOf(scope.workflow, { origin: scope.origin?.text, ...row });
  return { scope, name: row.change.uniqueValue ?? null, record };
}

/**
 * Writes all tasks within the first request's deadline. Returns an empty list if the statement is refused.
 */
async function writeAll(
  work: UnitOfWork,
  pending: readonly PendingWrite[],
): Promise<readonly (Written | undefined)[]> {
  const first = pending[0]?.scope;
  if (!first) return [];
  const scope = new Scope(first.workflow, undefined, first.deadline);
  const records = pending.map(({ record }) => record);
  try {
    return await work.unitOf(scope).write((db) => upsertShownRows(db, scope, records));
  } catch (error) {
    // A refused statement has written nothing. After any other error, the statement may have been committed,
    // so it must not be repeated.
    if (isOfStatement(error)) return [];
    throw error;
  }
}
