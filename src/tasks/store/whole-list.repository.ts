import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type Condition } from '../../workflows/fields/condition.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { assertVersion } from '../../workflows/model/workspaces.js';
import { findIndexes } from './list-indexes.js';
import { matching, type SortedTasks } from './list.repository.js';
import { orderBy, sortTerms } from './order.sql.js';
import { Bindings } from './where.sql.js';

/** Returns the ids of a whole sorted list as a text with commas, which needs far less memory than rows. */
export async function sortedIds(
  db: EntityManager,
  workflow: Workflow,
  { conditions, sort }: SortedTasks,
): Promise<string> {
  const query = (found: string, bindings: Bindings): string =>
    `SELECT string_agg(t.id::text, ',' ORDER BY ${orderBy(sortTerms(sort, bindings))}) FROM ${found}`;
  return (await resultOf<string>(db, workflow, conditions, query)) ?? '';
}

/** Counts the tasks that meet the conditions, up to `most` if given. */
export async function countTasks(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
  most?: number,
): Promise<number> {
  const limit = most === undefined ? '' : `LIMIT ${most}`;
  const query = (found: string): string => `SELECT count(*) FROM (SELECT FROM ${found} ${limit}) found`;
  return Number(await resultOf<string>(db, workflow, conditions, query));
}

/** Counting for a page stops at this number: after about 20 ms with an index, and 50 ms without. */
export const MAX_COUNT = 100_000;

export const MAX_IN_STAGE = 10_000;

/** Counts the matching tasks by stage id, up to `MAX_IN_STAGE` + 1 each; empty stages are absent. */
export async function countByStage(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
): Promise<ReadonlyMap<number, number>> {
  const stages = workflow.schema.stages.all.map(({ id }) => id);
  const query = (found: string, bindings: Bindings): string => `
    SELECT json_object_agg(s.id, counted.tasks)
    FROM unnest(${bindings.bind(stages)}::integer[]) s (id) CROSS JOIN LATERAL (
      SELECT count(*) AS tasks FROM (
        SELECT FROM ${found} AND t.stage_id = s.id LIMIT ${MAX_IN_STAGE + 1}
      ) found
    ) counted WHERE counted.tasks > 0`;
  const counts = await resultOf<Readonly<Record<string, number>>>(db, workflow, conditions, query);
  return new Map(Object.entries(counts ?? {}).map(([id, count]) => [Number(id), count]));
}

/**
 * Runs a query on the tasks `t` that meet the conditions, under the definition in force; returns the result.
 */
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
