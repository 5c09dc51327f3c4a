import { type EntityManager } from 'typeorm';
import { InvalidFields } from '../../lib/field-errors.js';
import { Refusal } from '../../lib/errors.js';
import { noPrecondition } from '../../task-store/task-row.js';
import { assertDefinition } from '../../task-store/assert-definition.js';
import { recordOf, upsertRows, type RowChange } from '../../task-store/bulk-upsert.js';
import { rowChange } from '../write-together.js';
import { type JsonObject } from '../../../packages/exact-json/json.js';
import { validateCreation } from '../../schema/validate-task.js';
import { type ParsedTask, parseTask } from '../../schema/parse-task.js';
import { type Pause, pauses, turn } from '../../../packages/fair/turn.js';
import { type Written } from '../../task-store/upsert-task.js';
import { type ParsedWrite, writeLocked, writeTask } from '../write-task.js';
import { deleteNamedTask } from '../delete-tasks.js';
import { type BatchRow, type RowOutcome, Unread } from './batch-row.js';
import { isDeletion, parseRowDeletion } from './delete-row.js';
import { newFilesOf } from '../../schema/file-changes.js';
import { type Asker } from '../../schema/guards.js';
import { Invalid } from '../../schema/invalid.js';
import { type TaskSchema } from '../../schema/task-schema.js';
import { type Scope } from '../../workspace/scope.js';

/** Does work by the definition in force, and again from the start if that changes meanwhile. */
export type ByDefinition = <T>(work: (db: EntityManager, scope: Scope) => Promise<T>) => Promise<T>;

/** Applies rows in their order, each as a POST of its own would be; many at once where none needs to see another. */
export async function applyRows(by: ByDefinition, rows: readonly BatchRow[]): Promise<RowOutcome[]> {
  const outcomes: RowOutcome[] = [];
  while (outcomes.length < rows.length) {
    const { written, left } = await writeSegment(by, rows, outcomes.length);
    for (const row of left) written.push(await applyAlone(by, row));
    // Rows whose payload alone is refused need no statement.
    await turn();
    outcomes.push(...written.sort((one, other) => one.row - other.row));
  }
  return outcomes;
}

/** Writes the next segment as `writeTogether` does; all its rows are left where one of them makes its task too large. */
async function writeSegment(by: ByDefinition, rows: readonly BatchRow[], from: number): Promise<Segmented> {
  try {
    return await by((db, scope) => writeTogether(db, scope, rows, from));
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    return { written: [], left: rows.slice(from, from + MAX_ROWS) };
  }
}

interface Segmented {
  readonly written: RowOutcome[];
  readonly left: readonly BatchRow[];
}

/** Writes what can be written of the next segment in one statement, and says which of its rows are left. */
async function writeTogether(
  db: EntityManager,
  scope: Scope,
  rows: readonly BatchRow[],
  from: number,
): Promise<Segmented> {
  const { together, alone, refused } = await planSegment(scope, rows, from);
  const records = together.map((row) => recordOf(scope.workflow, row));
  const statuses = records.length > 0 ? await upsertRows(db, scope, records) : [];
  // Checked once for all rows: fails where an old definition was used.
  if (together.length === 0 && refused.length > 0) await assertDefinition(db, scope.workflow);
  const written: RowOutcome[] = [...refused];
  const left = [...alone];
  for (const [at, { row, change }] of together.entries()) {
    const status = statuses[at];
    if (status) written.push({ row: row.row, status, uniqueId: change.uniqueValue ?? null });
    else left.push(row);
  }
  return { written, left: left.sort((one, other) => one.row - other.row) };
}

/** Applies one row under the lock of its task. */
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
      const { task, isCreated, isChanged } = await writeAlone(db, scope, { content, of }, parsed);
      const status = isCreated ? 'created' : isChanged ? 'updated' : 'unchanged';
      return { row, uniqueId: task.uniqueValue, status };
    });
  } catch (error) {
    const errors = faultsIn(error);
    if (!errors) throw error;
    return { row, uniqueId, status: 'error', errors };
  }
}

/** What is wrong with a row, which keeps no other from being written: its values, what a role does not allow, or that its task has changed. */
function faultsIn(error: unknown): InvalidFields['fields'] | undefined {
  if (error instanceof InvalidFields) return error.fields;
  const isOfRow = error instanceof Refusal && ['forbidden', 'precondition-failed'].includes(error.kind);
  return isOfRow ? [['base', [error.said]]] : undefined;
}

async function writeAlone(
  db: EntityManager,
  scope: Scope,
  { content: payload, of }: { readonly content: JsonObject; readonly of: BatchRow['of'] },
  parsed: ParsedTask,
): Promise<Written> {
  const write: ParsedWrite = {
    verb: of ? 'update' : 'upsert',
    task: of?.task,
    payload,
    parsed,
    precondition: of ? { ...noPrecondition, mustExist: true, states: of.states } : noPrecondition,
    uploaded: new Map(),
  };
  if (parsed.change.uniqueValue != null) return writeLocked(db, scope, write);
  return writeTask(db, scope, write);
}

/** Reads a row's payload as that of a POST, but refuses files that bring bytes: a batch uploads nothing. */
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

const bringsBytes = new Invalid('takes files by blobId only in a batch');

/** Rows of which none needs to see what another does. */
interface Segment {
  /** What is written in one statement. */
  readonly together: readonly TogetherRow[];
  /** What is written after that, one by one: it may change tasks, but creates none. */
  readonly alone: readonly BatchRow[];
  /** What the payload alone refuses. */
  readonly refused: readonly RowOutcome[];
  /** How many rows these are in all. */
  readonly length: number;
}

/** A row with its change. */
export interface TogetherRow extends RowChange {
  readonly row: BatchRow;
}

/**
 * Takes the next rows that can be written at once. A row that repeats a Unique ID waits for those before it, and a row
 * that changes links stands alone: it may refer to what the rows before it have made. Others have their turn meanwhile.
 */
async function planSegment(scope: Scope, rows: readonly BatchRow[], from: number): Promise<Segment> {
  const planned: Planned = { together: [], alone: [], refused: [] };
  const seen = new Set<string>();
  let at = from;
  let keys = 0;
  const { schema } = scope.workflow;
  const pause = pauses(scope);
  for (; at < rows.length && at - from < MAX_ROWS; at += 1) {
    const row = rows[at];
    if (!row) break;
    if (row.content instanceof Unread || row.of) {
      planned.alone.push(row);
      continue;
    }
    keys += row.content.size;
    if (keys > MAX_LOCKED_KEYS && at > from) break;
    const parsed = isDeletion(row.content) ? undefined : await parseRow(schema, row.content, pause, row.from);
    const uniqueValue = parsed ? parsed.change.uniqueValue : parseRowDeletion(schema, row.content).uniqueId;
    if (parsed && parsed.change.links.size > 0) {
      if (at > from) break;
      return { ...planned, alone: [row], length: 1 };
    }
    if (uniqueValue != null && seen.has(uniqueValue)) break;
    if (uniqueValue != null) seen.add(uniqueValue);
    if (parsed) planRow(scope, row, parsed, planned);
    else planned.alone.push(row);
  }
  return { ...planned, length: at - from };
}

/** What is planned of a segment so far. */
interface Planned {
  readonly together: TogetherRow[];
  readonly alone: BatchRow[];
  readonly refused: RowOutcome[];
}

function planRow(scope: Scope, row: BatchRow, parsed: ParsedTask, planned: Planned): void {
  const { together, alone, refused } = planned;
  const change = rowChange(scope.workflow.schema, parsed, noPrecondition);
  const errors = faultsOfPayload(scope.workflow.schema, parsed);
  if (scope.bound) alone.push(row);
  else if (errors.length > 0) refused.push({ row: row.row, uniqueId: null, status: 'error', errors });
  else if (change) together.push({ ...change, row });
  else alone.push(row);
}

/** All errors of a row that names no task and brings neither links nor files; other rows need their task for that. */
function faultsOfPayload(schema: TaskSchema, parsed: ParsedTask): InvalidFields['fields'] {
  const { uniqueValue, links, files } = parsed.change;
  if (uniqueValue != null || links.size + files.size > 0) return [];
  return validateCreation(schema, parsed).fields;
}

/** How many rows one statement writes at most: it holds the locks of all. */
const MAX_ROWS = 500;
/** How many keys the rows of a statement may have together: all are read at once. */
const MAX_LOCKED_KEYS = 20_000;
