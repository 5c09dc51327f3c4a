import { type EntityManager } from 'typeorm';
import { sql, statementOf } from '../database/sql.js';
import { type Condition } from '../schema/condition.js';
import { type Workflow } from '../workspace/workspace.js';
import { assertVersion } from '../workspace/workspaces.js';
import { type SortedList } from './sorted-rows.js';
import { ofWorkflow } from './task-row.js';
import { allOf, Bindings, createdWithin, orderBy, sortTerms } from './where.sql.js';
import { amongWords, isWordSearch } from './word-search.js';

/** The ids of a whole sorted list, separated by commas: a few bytes per task, much less than rows. */
export async function sortedIds(
  db: EntityManager,
  workflow: Workflow,
  { conditions, sort }: SortedList,
): Promise<string> {
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const ids = `string_agg(t.id::text, ',' ORDER BY ${orderBy(sortTerms(sort, bindings))})`;
  const query = `SELECT ${ids} FROM ${matching(conditions, bindings)}`;
  return (await resultOf<string>(db, workflow, query, bindings)) ?? '';
}

/** The ids of tasks that meet the conditions, at most `most`, under the definition in force. */
export async function idsOfTasks(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
  most: number,
): Promise<string[]> {
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const found = `SELECT t.id FROM ${matching(conditions, bindings)} LIMIT ${bindings.bind(most)}::integer`;
  return (await resultOf<string[]>(db, workflow, `ARRAY(${found})::text[]`, bindings)) ?? [];
}

/** The Unique IDs of tasks that meet the conditions, in order, at most `most`, under the definition in force. */
export async function uniqueIdsOfTasks(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
  most: number,
): Promise<string[]> {
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const found = `SELECT t.unique_value FROM ${matching(conditions, bindings)} AND t.unique_value IS NOT NULL
    ORDER BY t.unique_value LIMIT ${bindings.bind(most)}::integer`;
  return (await resultOf<string[]>(db, workflow, `ARRAY(${found})`, bindings)) ?? [];
}

/** The number of tasks that meet the conditions, counted up to `most` if it is given. */
export async function countTasks(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
  most?: number,
): Promise<number> {
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const found = matching(conditions, bindings);
  const query =
    most === undefined
      ? `SELECT count(*) FROM ${found}`
      : `SELECT count(*) FROM (SELECT FROM ${found} LIMIT ${bindings.bind(most)}::integer) found`;
  return Number(await resultOf<string>(db, workflow, query, bindings));
}

/** The number of tasks in each stage. */
export interface StageCounts {
  /** By the id of the stage; empty stages are absent. */
  readonly counts: ReadonlyMap<number, number>;
  /** A stage with more than this may have any number. */
  readonly most: number;
}

/** The number of matching tasks in each stage: exact, unless very many tasks match. */
export async function countByStage(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
): Promise<StageCounts> {
  const counts = await countInOnePass(db, workflow, conditions);
  if (counts) return { counts, most: Infinity };
  return { counts: await countStageByStage(db, workflow, conditions), most: MOST_OF_STAGE };
}

/** Undefined if cut off. Without conditions, it reads nothing but the index of stages. */
async function countInOnePass(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
): Promise<StageCounts['counts'] | undefined> {
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const query = `
    SELECT json_object_agg(counted.stage_id, counted.tasks) FROM (
      SELECT found.stage_id, count(*) AS tasks
      FROM (SELECT t.stage_id FROM ${matching(conditions, bindings)} LIMIT ${MAX_COUNT + 1}) found
      GROUP BY found.stage_id
    ) counted`;
  const counts = countsOf(await resultOf(db, workflow, query, bindings));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return total <= MAX_COUNT ? counts : undefined;
}

/** The limit of counts on pages: takes PostgreSQL some 20 ms by an index, 50 ms if it checks each task. */
export const MAX_COUNT = 100_000;

/** Counted per stage in a workflow with more tasks than that, so that not every task has to be read. */
const MOST_OF_STAGE = 10_000;

async function countStageByStage(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
): Promise<StageCounts['counts']> {
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const stages = bindings.bind(workflow.schema.stages.all.map(({ id }) => id));
  const query = `
    SELECT json_object_agg(s.id, counted.tasks) FROM unnest(${stages}::integer[]) s (id) CROSS JOIN LATERAL (
      SELECT count(*) AS tasks FROM (
        SELECT FROM ${matching(conditions, bindings)} AND t.stage_id = s.id LIMIT ${MOST_OF_STAGE + 1}
      ) found
    ) counted WHERE counted.tasks > 0`;
  return countsOf(await resultOf(db, workflow, query, bindings));
}

function countsOf(result: Readonly<Record<string, number>> | null): StageCounts['counts'] {
  return new Map(Object.entries(result ?? {}).map(([id, count]) => [Number(id), count]));
}

/** SQL: the tasks of the workflow that meet the conditions. */
function matching(conditions: readonly Condition[], bindings: Bindings): string {
  const others = conditions.filter((condition) => !isWordSearch(condition));
  return `tasks t WHERE ${ofWorkflow}${createdWithin(conditions, bindings)}${amongWords(conditions, bindings)}
    AND ${allOf(others, bindings)}`;
}

/** The single value of a query, under the definition that it was made for. */
async function resultOf<T>(
  db: EntityManager,
  workflow: Workflow,
  query: string,
  { values }: Bindings,
): Promise<T | null> {
  const text = `SELECT w.version AS definition, (${query}) AS result FROM workspaces w WHERE w.id = $1`;
  const [row] = await sql<{ definition: number; result: T | null }>(db, statementOf(text), values);
  assertVersion(row?.definition ?? 0, workflow.version);
  return row?.result ?? null;
}
