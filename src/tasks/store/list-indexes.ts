import { type EntityManager } from 'typeorm';
import { sql, statementOf } from '../../common/database/sql.js';
import {
  type Comparison,
  type Condition,
  isComparison,
  type Membership,
  type WordSearch,
} from '../../workflows/fields/condition.js';
import { type FieldIndex } from '../../workflows/fields/field-type.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { ofWorkflow } from './task-row.js';
import { allOf, Bindings, isOfColumn, isWordSearch, queryOfWords } from './where.sql.js';

// The indexes of a definition are rows of `task_sort_keys` and `task_words`, which a trigger maintains.
// PostgreSQL's statistics cover these tables as a whole, not each of these indexes. A list therefore first
// asks which indexes find few tasks.

export interface ListIndexes {
  /** Maps the id of an indexed field to the id of the index; the index of words has the key `''`. */
  readonly ids: ReadonlyMap<string, number>;
  /**
   * A text for each condition whose index finds few tasks: the ids of these tasks as an SQL array. For the
   * index of a column, the text is empty.
   */
  readonly few: readonly string[];
}

/** If an index finds more tasks than this, it is faster to check tasks in the order of the list. */
const MAX_FEW = 5_000;

/**
 * Finds the complete indexes for the conditions and for the sort field. If an index finds few tasks, also
 * returns the ids of these tasks. Counts by the indexes of columns, such as the stage, only if the list is
 * sorted by a field.
 */
export async function findIndexes(
  db: EntityManager,
  { workspaceId, id }: Workflow,
  conditions: readonly Condition[],
  sorted?: FieldIndex,
): Promise<ListIndexes> {
  const indexed = conditions.filter((one) => fieldOf(one) !== undefined || (sorted && isOfColumn(one)));
  const fields = [...indexed.map(fieldOf), sorted?.fieldId].filter((field) => field !== undefined);
  if (fields.length === 0) return { ids: new Map(), few: [] };
  const bindings = new Bindings(workspaceId, id, fields);
  const text = `
    SELECT i.field_id AS "fieldId", i.id,
      json_build_array(${indexed.map((condition) => `(${fewTasks(condition, bindings)})`).join(', ')}) AS few
    FROM field_indexes i
    WHERE i.workspace_id = $1 AND i.workflow_id = $2 AND i.is_filled AND i.field_id = ANY($3::text[])`;
  const rows = await sql<FoundIndex>(db, statementOf(text), bindings.values);
  return {
    ids: new Map(rows.map((row) => [row.fieldId, row.id])),
    few: rows.flatMap(({ few }) => few.filter((tasks) => tasks !== null)),
  };
}

interface FoundIndex {
  readonly fieldId: string;
  readonly id: number;
  /**
   * For each condition, the tasks that its index finds; null if there are many. If a condition uses a field's
   * index or the index of words, only the row of that index contains the tasks.
   */
  readonly few: readonly (string | null)[];
}

/** SQL: the tasks that an index finds. NULL if there are many, or if the condition cannot use index `i`. */
function fewTasks(condition: Condition, bindings: Bindings): string {
  if (isOfColumn(condition))
    return fewOf(`SELECT FROM tasks t WHERE ${ofWorkflow} AND ${allOf([condition], bindings)}`, "''");
  const isOwn = `i.field_id = ${bindings.bind(fieldOf(condition))}`;
  if (!isWordSearch(condition))
    return `CASE WHEN ${isOwn} THEN (${fewOf(tasksWithin(condition, bindings))}) END`;
  const isRare = isRareWord(condition, bindings);
  return `CASE WHEN ${isOwn} AND ${isRare} THEN (${fewOf(tasksWithWords(condition, bindings))}) END`;
}

const array = "'{' || COALESCE(string_agg(found.task_id::text, ','), '') || '}'";

const fewOf = (found: string, tasks = array): string =>
  `SELECT CASE WHEN count(*) <= ${MAX_FEW} THEN ${tasks} END FROM (${found} LIMIT ${MAX_FEW + 1}) found`;

const tasksWithin = (condition: Condition, bindings: Bindings): string => `
  SELECT k.task_id FROM task_sort_keys k
  WHERE k.workspace_id = $1 AND k.index_id = i.id AND ${isWithin(condition, bindings)}`;

const tasksWithWords = (search: WordSearch, bindings: Bindings): string =>
  `SELECT f.task_id FROM tasks_with_words($1, ${queryOfWords(search, bindings)}, ${MAX_FEW + 1}) f (task_id)`;

// An index of words reads all entries of a word before returning the first, so it suits only rare words.
function isRareWord(search: WordSearch, bindings: Bindings): string {
  return `(SELECT count(*) < 3 FROM (
      SELECT w.words FROM task_words w WHERE w.workspace_id = $1 AND w.index_id = i.id
      ORDER BY w.task_id DESC LIMIT 200
    ) w WHERE w.words @@ ${queryOfWords(search, bindings)})`;
}

/** Returns the field whose index a condition can use; '' for the index of words, undefined for none. */
function fieldOf(condition: Condition): string | undefined {
  if (isWordSearch(condition)) return '';
  return isByKey(condition) ? condition.index.fieldId : undefined;
}

type KeyCondition = (Membership | Comparison) & { readonly index: FieldIndex };

/** Whether the keys of an index show which tasks may meet the condition. */
function isByKey(condition: Condition): condition is KeyCondition {
  if (condition.is === 'any-of')
    return condition.index !== undefined && !condition.isNegated && condition.values.length <= MAX_KEYS;
  return isComparison(condition) && condition.index !== undefined && condition.bounds.length === 1;
}

const MAX_KEYS = 8;

/** SQL: whether an entry `k` may meet the condition. Keys are shortened, so the task is checked as well. */
function isWithin(condition: Condition, bindings: Bindings): string {
  if (!isByKey(condition)) return 'true';
  const keyOf = (value: unknown): string => keyOfValue(value, condition.index, bindings);
  if (condition.is === 'any-of')
    return `k.sort_key = ANY(ARRAY[${condition.values.map(keyOf).join(', ')}]::text[])`;
  const sign = condition.is.startsWith('gt') ? '>=' : '<=';
  return `k.sort_key > '' AND k.sort_key ${sign} ${keyOf(condition.bounds[0])}`;
}

export function keyOfValue(value: unknown, { kind }: FieldIndex, bindings: Bindings): string {
  return `sort_key_of(${bindings.bind(value)}::text, '${kind}')`;
}

/** SQL: the entries `k` of a field's index that may meet all conditions. */
export function entriesWithin(
  conditions: readonly Condition[],
  { fieldId }: FieldIndex,
  bindings: Bindings,
): string {
  const own = conditions.filter((condition) => fieldOf(condition) === fieldId);
  return own.map((condition) => isWithin(condition, bindings)).join(' AND ') || 'true';
}
