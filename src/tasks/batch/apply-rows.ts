import { type EntityManager } from 'typeorm';
import { InvalidFields } from '../../common/field-errors.js';
import { Refusal } from '../../common/errors.js';
import { noPrecondition } from '../store/task-row.js';
import { recordOf, upsertRows } from '../store/bulk-upsert.js';
import { rowChange, sharedChange } from '../write-by-statement.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { type ParsedTask, parseTask } from '../../workflows/fields/parse-task.js';
import { type Pause, pauses, turn } from '../../../packages/fair/turn.js';
import { type ParsedWrite } from '../write.js';
import { writeTask } from '../write-task.js';
import { writeUnderLock } from '../write-under-lock.js';
import { deleteNamedTask } from '../delete-tasks.js';
import { type BatchRow, type RowOutcome, Unread, isDeletion, parseRowDeletion } from './batch-row.js';
import { newFilesOf } from '../../workflows/fields/task-change.js';
import { type Asker } from '../../workflows/fields/protection.js';
import { Invalid } from '../../workflows/fields/invalid.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { type Scope } from '../../workflows/model/scope.js';

/** Runs work under the definition in force. Repeats the work if the definition or a task changes. */
export type ByDefinition = <T>(work: (db: EntityManager, scope: Scope) => Promise<T>) => Promise<T>;

/**
 * Applies the rows in their order, as if each were a request of its own. Independent rows share a statement.
 * Adds results to `outcomes` after each write, so that `outcomes` is correct even after an error.
 */
export async function applyRows(
  by: ByDefinition,
  rows: readonly BatchRow[],
  outcomes: RowOutcome[] = [],
): Promise<RowOutcome[]> {
  while (outcomes.length < rows.length) {
    const from = outcomes.length;
    const { written, left } = await by((db, scope) => writeTogether(db, scope, rows, from)).catch(
      (error: unknown) => {
        if (!(error instanceof InvalidFields)) throw error;
        // If one row makes its task too large, the statement writes nothing. In this case, the next
        // `MAX_ROWS` rows are written one by one.
        return { written: [], left: rows.slice(from, from + MAX_ROWS) };
      },
    );
    outcomes.push(...written);
    for (const row of left) outcomes.push(await applyAlone(by, row));
    outcomes.sort((one, other) => one.row - other.row);
    // If none of the rows could be parsed, no statement runs, and only `turn` lets other work continue.
    await turn();
  }
  return outcomes;
}

/** Writes the next `Segment` in one statement. */
async function writeTogether(
  db: EntityManager,
  scope: Scope,
  rows: readonly BatchRow[],
  from: number,
): Promise<Segment> {
  const { together, left } = await planSegment(scope, rows, from);
  const written: RowOutcome[] = [];
  const records = together.map(({ record }) => record);
  const statuses = records.length > 0 ? await upsertRows(db, scope, records) : [];
  for (const [at, { row, uniqueId }] of together.entries()) {
    const status = statuses[at];
    if (status) written.push({ row: row.row, status, uniqueId });
    else left.push(row);
  }
  return { written, left: left.toSorted((one, other) => one.row - other.row) };
}

async function applyAlone(by: ByDefinition, { row, content, from, of }: BatchRow): Promise<RowOutcome> {
  if (content instanceof Unread)
    return { row, uniqueId: null, status: 'error', errors: [['base', [content.reason]]] };
  let uniqueId: string | null = null;
  try {
    return await by(async (db, scope): Promise<RowOutcome> => {
      if (isDeletion(content)) {
        const deletion = parseRowDeletion(scope.workflow.schema, content);
        uniqueId = deletion.uniqueId;
        deletion.errors.throwIfAny();
        const isDeleted = await deleteNamedTask(db, scope, uniqueId ?? '', noPrecondition);
        return { row, uniqueId, status: isDeleted ? 'deleted' : 'unchanged' };
      }
      const parsed = await parseRow(scope.workflow.schema, content, pauses(scope), from);
      uniqueId = parsed.change.uniqueValue ?? null;
      const write = writeOf({ content, of }, parsed);
      const { task, isCreated, isChanged } = await (uniqueId === null
        ? writeTask(db, scope, write)
        : writeUnderLock(db, scope, write));
      const status = isCreated ? 'created' : isChanged ? 'updated' : 'unchanged';
      return { row, uniqueId: task.uniqueValue, version: task.version, status };
    });
  } catch (error) {
    const errors = faultsIn(error);
    if (!errors) throw error;
    return { row, uniqueId, status: 'error', errors };
  }
}

/** Returns the errors if they concern only this row; undefined for errors that end the whole batch. */
function faultsIn(error: unknown): InvalidFields['fields'] | undefined {
  if (error instanceof InvalidFields) return error.fields;
  const isOfRow = error instanceof Refusal && ['forbidden', 'precondition-failed'].includes(error.kind);
  return isOfRow ? [['base', [error.said]]] : undefined;
}

const writeOf = (
  { content: payload, of }: { readonly content: JsonObject; readonly of: BatchRow['of'] },
  parsed: ParsedTask,
): ParsedWrite => ({
  verb: of ? 'update' : 'upsert',
  task: of?.task,
  payload,
  parsed,
  precondition: of ? { ...noPrecondition, mustExist: true, states: of.states } : noPrecondition,
  uploaded: new Map(),
});

/** Parses a row like the payload of a POST. Refuses files with new bytes, because a batch uploads nothing. */
async function parseRow(
  schema: TaskSchema,
  payload: JsonObject,
  pause: Pause,
  from?: Asker,
): Promise<ParsedTask> {
  const { change, refused } = await parseTask(schema, payload, pause, from);
  const fields = new Set(newFilesOf(change).map(({ field }) => field));
  for (const field of fields) change.files.delete(field);
  const names = [...fields].map((field) => schema.files.get(field)?.name ?? '');
  const further = names.map((name) => ({
    name,
    input: payload.get(name) ?? null,
    reason: bringsBytes,
    property: undefined,
  }));
  return { change, refused: [...refused, ...further] };
}

const bringsBytes = new Invalid('accepts files only by blobId in a batch');

/** The result of a segment: consecutive rows that do not depend on each other. */
interface Segment {
  readonly written: RowOutcome[];
  /**
   * The rows that the statement did not write. They are written one by one after the statement. Usually, the
   * statement creates all new tasks or none of them, so the new tasks have the order of the batch.
   */
  readonly left: BatchRow[];
}

type PlannedSegment = Pick<Segment, 'left'> & { readonly together: PlannedRow[] };

interface PlannedRow {
  readonly row: BatchRow;
  readonly uniqueId: string | null;
  /** The row's change, serialized by `recordOf`. */
  readonly record: string;
}

/**
 * Plans the next rows for one statement. A repeated Unique ID begins a new segment. A row that changes links
 * is a segment of its own, because it may refer to tasks of earlier rows. Yields to other work between rows.
 */
async function planSegment(scope: Scope, rows: readonly BatchRow[], from: number): Promise<PlannedSegment> {
  const planned: PlannedSegment = { together: [], left: [] };
  const seen = new Set<string>();
  let keys = 0;
  const { schema } = scope.workflow;
  const pause = pauses(scope);
  for (const [at, row] of rows.slice(from, from + MAX_ROWS).entries()) {
    if (row.content instanceof Unread || row.of) {
      planned.left.push(row);
      continue;
    }
    keys += row.content.size;
    if (keys > MAX_LOCKED_KEYS && at > 0) break;
    const parsed = isDeletion(row.content) ? undefined : await parseRow(schema, row.content, pause, row.from);
    const uniqueValue = parsed ? parsed.change.uniqueValue : parseRowDeletion(schema, row.content).uniqueId;
    if (parsed && parsed.change.links.size > 0) {
      if (at === 0) planned.left.push(row);
      break;
    }
    if (uniqueValue != null && seen.has(uniqueValue)) break;
    if (uniqueValue != null) seen.add(uniqueValue);
    if (parsed) planRow(scope, row, parsed, planned);
    else planned.left.push(row);
  }
  return planned;
}

function planRow(
  { workflow, bound }: Scope,
  row: BatchRow,
  parsed: ParsedTask,
  { together, left }: PlannedSegment,
): void {
  const plain = rowChange(workflow.schema, parsed, noPrecondition);
  const change = plain && sharedChange(workflow.schema, plain);
  if (!change || bound) {
    left.push(row);
    return;
  }
  // `recordOf` finds when the task is due. This can take as long as parsing, so `recordOf` runs here, for
  // one row at a time.
  const uniqueId = change.change.uniqueValue ?? null;
  together.push({ row, uniqueId, record: recordOf(workflow, change) });
}

/** Limits the rows in one statement, because the statement locks all their tasks. */
const MAX_ROWS = 500;
/** If a segment has several rows, limits their keys in total, because the rows are in memory together. */
const MAX_LOCKED_KEYS = 20_000;
