import { type EntityManager } from 'typeorm';
import { Refusal } from '../../common/errors.js';
import { InvalidFields, invalidField } from '../../common/field-errors.js';
import { type Message, say } from '../../common/message.js';
import { type Condition } from '../../workflows/fields/condition.js';
import { parseChosen, parseExpected } from '../../workflows/fields/deletion-query.js';
import { Invalid } from '../../workflows/fields/invalid.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { countTasks, idsOfTasks } from '../store/whole-list.repository.js';
import { requireDeletes } from '../../workflows/model/allowed.js';
import { type Scope } from '../../workflows/model/scope.js';
import { deleteMatching, otherNumber } from '../delete-tasks.js';
import { seenOf } from '../list/task-list.js';
import { errorsMember, type RowOutcome } from './batch-row.js';

export interface SyncRequest {
  readonly filter: string;
  /** The expected number of deletions; absent in a dry run that is to find it. */
  readonly expected: number | undefined;
}

/** Reads `_sync` and `_expect`; throws if they could never delete a task. */
export function parseSync(
  scope: Scope,
  { _sync, _expect, _dry_run }: { readonly [Name in '_sync' | '_expect' | '_dry_run']?: string | undefined },
): SyncRequest | undefined {
  if (_sync === undefined && _expect !== undefined) throw invalidField('_expect', 'needs _sync');
  if (_sync === undefined) return undefined;
  requireDeletes(scope);
  const { schema } = scope.workflow;
  if (!schema.uniqueId) throw invalidField('_sync', 'needs a workflow with a Unique ID field');
  conditionsOf(schema, _sync);
  const isUnsaid = _expect === undefined && _dry_run === 'true';
  const expected = isUnsaid ? undefined : parseExpected(_expect, MAX_DELETED);
  if (expected instanceof Invalid) throw invalidField('_expect', expected.said);
  return { filter: _sync, expected };
}

const MAX_DELETED = 10_000;

function conditionsOf(schema: TaskSchema, filter: string): Condition[] {
  const conditions = parseChosen(schema, filter);
  if (conditions instanceof Invalid) throw invalidField('_sync', conditions.said);
  return conditions;
}

/** The tasks that rows name, whether or not the rows succeed. */
export class NamedTasks {
  private readonly names = new Set<string>();
  /** Why the tasks without a row cannot be determined. */
  private fault: Message | undefined;

  add(outcomes: readonly RowOutcome[]): void {
    for (const { row, uniqueId } of outcomes) {
      if (uniqueId !== null && this.names.size < MAX_NAMES) this.names.add(uniqueId);
      else if (uniqueId === null) this.fault ??= say`deletes nothing because row ${row} has no Unique ID`;
      else this.fault ??= say`deletes nothing because there are more than ${MAX_NAMES} rows`;
    }
  }

  get others(): Condition {
    if (this.fault !== undefined) throw invalidField('_sync', this.fault);
    return { is: 'any-of', subject: { of: 'unique-value' }, values: [...this.names], isNegated: true };
  }
}

/** The most names of one sync: one statement sends them all. */
const MAX_NAMES = 200_000;

export interface SyncOutcome {
  readonly deleted: number;
  readonly found: number;
  /** In a dry run only: some of the Unique IDs of the tasks that would be deleted. */
  readonly wouldDelete?: readonly string[];
}

/** Enough for a person to judge the filter. */
const MAX_TOLD = 100;

/** Deletes, or only counts, the filter's tasks that no row names; throws if their number is unexpected. */
export async function deleteOthers(
  db: EntityManager,
  scope: Scope,
  { filter, expected }: SyncRequest,
  named: NamedTasks,
  isRehearsal = false,
): Promise<SyncOutcome> {
  const conditions = seenOf(scope, [...conditionsOf(scope.workflow.schema, filter), named.others]);
  if (expected === undefined || isRehearsal) {
    const found = await countTasks(db, scope.workflow, conditions);
    if (expected !== undefined && found !== expected) throw otherNumber(found, expected);
    const wouldDelete = await idsOfTasks(db, scope.workflow, conditions, MAX_TOLD, 'unique_value');
    return { deleted: 0, found, wouldDelete: wouldDelete.toSorted() };
  }
  const deleted = await deleteMatching(db, scope, conditions, expected);
  return { deleted, found: deleted };
}

export const lineOfSync = ({ deleted, found, wouldDelete }: SyncOutcome): string =>
  `${JSON.stringify({ deleted, found, would_delete: wouldDelete })}\n`;

/** The last line if nothing was deleted but other lines have been sent. */
export function lineOfRefusedSync(error: unknown): string {
  if (error instanceof InvalidFields) return `{"deleted":0${errorsMember(error.fields)}}\n`;
  const isTold = error instanceof Refusal && ['precondition-failed', 'forbidden'].includes(error.kind);
  if (!isTold) throw error;
  const { found } = error.further;
  const isNumber = found !== undefined;
  return `{"deleted":0${isNumber ? `,"found":${found}` : ''}${errorsMember([[isNumber ? '_expect' : 'base', [error.said]]])}}\n`;
}
