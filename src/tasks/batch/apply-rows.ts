import { type EntityManager } from 'typeorm';
import { InvalidFields } from '../../errors/field-errors.js';
import { noPrecondition } from '../../records/precondition.js';
import { upsertRows } from '../../records/upsert-rows.js';
import { type JsonObject } from '../../schema/json.js';
import { judgeCreation } from '../../schema/judge-task.js';
import { type ParsedTask } from '../../schema/parse-task.js';
import { turn } from '../../turn.js';
import { type Workflow } from '../../workflows/workspace.js';
import { type ReadyWrite, writeLocked, type WrittenLocked, writeTask } from '../write-task.js';
import { type BatchRow, type RowOutcome, Unread } from './batch-row.js';
import { parseRow } from './parse-row.js';
import { planSegment, type Segment } from './plan-segment.js';

/** Does a piece of work by the definition in force; again from the start if that changes meanwhile. */
export type ByDefinition = <T>(work: (db: EntityManager, workflow: Workflow) => Promise<T>) => Promise<T>;

/** Applies rows in their order, each as a POST of its own would be; many at once where none needs to see another. */
export async function applyRows(by: ByDefinition, rows: readonly BatchRow[]): Promise<RowOutcome[]> {
  const outcomes: RowOutcome[] = [];
  while (outcomes.length < rows.length) {
    const { written, left } = await by((db, workflow) => writeTogether(db, workflow, rows, outcomes.length));
    for (const row of left) written.push(await applyAlone(by, row));
    // Rows that are refused by themselves wait for nothing.
    await turn();
    outcomes.push(...written.sort((one, other) => one.row - other.row));
  }
  return outcomes;
}

/** Writes what can be written of the next segment in one statement, and says which of its rows are left. */
async function writeTogether(
  db: EntityManager,
  workflow: Workflow,
  rows: readonly BatchRow[],
  from: number,
): Promise<{ written: RowOutcome[]; left: BatchRow[] }> {
  const { together, alone }: Segment = planSegment(workflow.schema, rows, from);
  const statuses = together.length > 0 ? await upsertRows(db, workflow, together) : [];
  const written: RowOutcome[] = [];
  const left = [...alone];
  for (const [at, { row, change }] of together.entries()) {
    const status = statuses[at];
    if (status) written.push({ row: row.row, status, uniqueId: change.uniqueValue ?? null });
    else left.push(row);
  }
  return { written, left: left.sort((one, other) => one.row - other.row) };
}

/** Applies one row under the lock of its task. */
async function applyAlone(by: ByDefinition, { row, content }: BatchRow): Promise<RowOutcome> {
  if (content instanceof Unread)
    return { row, uniqueId: null, status: 'error', errors: [['base', [content.reason]]] };
  let uniqueId: string | null = null;
  try {
    const { task, isCreated, isChanged } = await by((db, workflow) => {
      const parsed = parseRow(workflow.schema, content);
      uniqueId = parsed.change.uniqueValue ?? null;
      return writeAlone(db, workflow, content, parsed);
    });
    const status = isCreated ? 'created' : isChanged ? 'updated' : 'unchanged';
    return { row, uniqueId: task.uniqueValue, status };
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    return { row, uniqueId, status: 'error', errors: error.fields };
  }
}

async function writeAlone(
  db: EntityManager,
  workflow: Workflow,
  payload: JsonObject,
  parsed: ParsedTask,
): Promise<WrittenLocked> {
  const write: ReadyWrite = {
    verb: 'upsert',
    payload,
    parsed,
    precondition: noPrecondition,
    uploaded: new Map(),
  };
  const { uniqueValue, links, files } = parsed.change;
  if (uniqueValue != null) return writeLocked(db, workflow, write);
  // Without links and files the payload alone tells all its faults.
  if (links.size + files.size === 0) judgeCreation(workflow.schema, parsed).throwIfAny();
  return { ...(await writeTask(db, workflow, write)), isChanged: true };
}
