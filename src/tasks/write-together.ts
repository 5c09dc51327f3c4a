import { isOfStatement } from '../database/pool.js';
import { sharedBy } from '../database/shared-data-source.js';
import { Together } from '../database/together.js';
import { unchangedFiles } from '../schema/file-changes.js';
import { type ParsedTask } from '../schema/parse-task.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { canCreate } from '../schema/validate-task.js';
import { recordOf, type RowChange, upsertShownRows } from '../task-store/bulk-upsert.js';
import { type Precondition } from '../task-store/task-row.js';
import { type Written } from '../task-store/upsert-task.js';
import { Scope } from '../workspace/scope.js';
import { type UnitOfWork } from '../workspace/unit-of-work.js';

/** The change for a statement that writes many tasks; undefined if its task has to be read first. */
export function rowChange(
  schema: TaskSchema,
  { change, refused }: ParsedTask,
  { states, mustExist }: Precondition,
): RowChange | undefined {
  const holds = unchangedFiles(change);
  const { staysIn } = change;
  // `refused` contains a stage that only actions enter; it is allowed if the task is in it already.
  const others = refused.length - (staysIn === undefined ? 0 : 1);
  if (others > 0 || !holds) return undefined;
  const hasFiles = [...change.files.values()].some((files) => files.length > 0);
  // Numbered creations take their numbers one after the other.
  const isNumbering = schema.uniqueId?.autoincrement === true;
  const beginsThere = staysIn === undefined || staysIn === schema.stages.initial.id;
  const mayCreate = !mustExist && !isNumbering && !hasFiles && beginsThere && canCreate(schema, change);
  return { change, demands: { states, holds }, mayCreate };
}

/** Writes a task together with concurrent writes, or by `alone` if that does not succeed. */
export function writeTogether(
  work: UnitOfWork,
  scope: Scope,
  row: RowChange,
  alone: () => Promise<Written>,
): Promise<Written> {
  const { workflow, workspaceId, keyId, origin } = scope;
  const line = sharedBy(work.db(scope)).line(
    `write ${workspaceId}/${workflow.id}/${workflow.version}`,
    () =>
      new Together<WaitingWrite, Written>({
        askFor: (waiting) => writeAll(work, waiting),
        nameOf: ({ name }) => name,
        lengthOf: ({ record }) => record.length,
      }),
  );
  const wait = (): WaitingWrite => {
    const event = origin && { id: origin.announce().id, text: origin.text };
    return {
      scope,
      name: row.change.uniqueValue ?? null,
      record: recordOf(workflow, { ...row, event }),
      event: event?.id,
    };
  };
  return line.ask(wait, keyId, alone);
}

/** A write that waits for the shared statement. */
interface WaitingWrite {
  readonly scope: Scope;
  readonly name: string | null;
  readonly record: string;
  /** The id of its event. */
  readonly event: string | undefined;
}

/** Writes all in one statement, with the first one's deadline; returns nothing if it is refused. */
async function writeAll(
  work: UnitOfWork,
  waiting: readonly WaitingWrite[],
): Promise<readonly (Written | undefined)[]> {
  const first = waiting[0]?.scope;
  if (!first) return [];
  const scope = new Scope(first.workflow, undefined, first.deadline);
  const records = waiting.map(({ record }) => record);
  try {
    const written = await work.unitOf(scope).write((db) => upsertShownRows(db, scope, records));
    for (const [at, { scope, event }] of waiting.entries())
      if (scope.origin && written[at]?.isChanged) scope.origin.lastEvent = event;
    return written;
  } catch (error) {
    // After any other error, the statement may have been committed, so it must not be repeated.
    if (isOfStatement(error)) return [];
    throw error;
  }
}
