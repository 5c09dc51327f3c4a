import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Condition } from '../schema/condition.js';
import { type Workflow } from '../workspace/workspace.js';
import { assertVersion } from '../workspace/workspaces.js';
import { findIndexes } from './list-indexes.js';
import { matching, type SortedTasks } from './list.repository.js';
import { orderBy, sortTerms } from './order.sql.js';
import { Bindings } from './where.sql.js';

/** The ids of a whole sorted list, separated by commas: a few bytes per task, much less than rows. */
export async function sortedIds(
  db: EntityManager,
  workflow: Workflow,
  { conditions, sort }: SortedTasks,
): Promise<string> {
  const ids = await resultOf<string>(
    db,
    workflow,
    conditions,
    (found, bindings) =>
      `SELECT string_agg(t.id::text, ',' ORDER BY ${orderBy(sortTerms(sort, bindings))}) FROM ${found}`,
  );
  return ids ?? '';
}

/** The ids of tasks that meet the conditions, at most `most`, under the definition in force. */
export async function idsOfTasks(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
  most: number,
): Promise<string[]> {
  const ids = await resultOf<string[]>(
    db,
    workflow,
    conditions,
    (found) => `ARRAY(SELECT t.id FROM ${found} LIMIT ${most})::text[]`,
  );
  return ids ?? [];
}

/** The Unique IDs of tasks that meet the conditions, in order, at most `most`, under the definition in force. */
export async function uniqueIdsOfTasks(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
  most: number,
): Promise<string[]> {
  const uniqueIds = await resultOf<string[]>(
    db,
    workflow,
    conditions,
    (found) => `ARRAY(
      SELECT t.unique_value FROM ${found} AND t.unique_value IS NOT NULL ORDER BY t.unique_value LIMIT ${most})`,
  );
  return uniqueIds ?? [];
}

/** The number of tasks that meet the conditions, counted up to `most` if it is given. */
export async function countTasks(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
  most?: number,
): Promise<number> {
  const limit = most === undefined ? '' : `LIMIT ${most}`;
  const count = await resultOf<string>(
    db,
    workflow,
    conditions,
    (found) => `SELECT count(*) FROM (SELECT FROM ${found} ${limit}) found`,
  );
  return Number(count);
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
  const query = (found: string): string => `
    SELECT json_object_agg(counted.stage_id, counted.tasks) FROM (
      SELECT found.stage_id, count(*) AS tasks
      FROM (SELECT t.stage_id FROM ${found} LIMIT ${MAX_COUNT + 1}) found
      GROUP BY found.stage_id
    ) counted`;
  const counts = countsOf(await resultOf(db, workflow, conditions, query));
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
  const stages = workflow.schema.stages.all.map(({ id }) => id);
  const query = (found: string, bindings: Bindings): string => `
    SELECT json_object_agg(s.id, counted.tasks)
    FROM unnest(${bindings.bind(stages)}::integer[]) s (id) CROSS JOIN LATERAL (
      SELECT count(*) AS tasks FROM (
        SELECT FROM ${found} AND t.stage_id = s.id LIMIT ${MOST_OF_STAGE + 1}
      ) found
    ) counted WHERE counted.tasks > 0`;
  return countsOf(await resultOf(db, workflow, conditions, query));
}

function countsOf(result: Readonly<Record<string, number>> | null): StageCounts['counts'] {
  return new Map(Object.entries(result ?? {}).map(([id, count]) => [Number(id), count]));
}

/** The single value of a query of the tasks `t` that meet the conditions, under the definition in force. */
async function resultOf<T>(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
  queryOf: (found: string, bindings: Bindings) => string,
): Promise<T | null> {
  const indexes = await findIndexes(db, workflow, conditions);
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const query = queryOf(`tasks t WHERE ${matching(conditions, indexes, bindings)}`, bindings);
  const text = `SELECT w.version AS definition, (${query}) AS result FROM workspaces w WHERE w.id = $1`;
  const [row] = await sql<{ definition: number; result: T | null }>(db, { text }, bindings.values);
  assertVersion(row?.definition ?? 0, workflow.version);
  return row?.result ?? null;
}
