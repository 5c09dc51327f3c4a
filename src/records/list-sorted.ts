import { type EntityManager } from 'typeorm';
import { sql, statementOf } from '../database/sql.js';
import { type Condition } from '../schema/condition.js';
import { type SortKey } from '../schema/list-query.js';
import { assertVersion } from '../workflows/stale-definition.js';
import { type Workflow } from '../workflows/workspace.js';
import { Bindings } from './bindings.js';
import { behind, orderBy, type Position, sortTerms } from './sort-terms.js';
import { allOf } from './task-query.js';
import { type ListedRow, ofWorkflow, type ReadRow, selectListed, type Shown, tasksOf } from './task-row.js';

export interface SortedList extends Shown {
  readonly conditions: readonly Condition[];
  readonly sort: readonly SortKey[];
}

/** A task of a sorted list, with its position in it. */
export type SortedRow = ListedRow & { readonly position: Position };

/** The next `limit` tasks of a sorted list behind a position, and where they end if there are more. */
export async function listSorted(
  db: EntityManager,
  workflow: Workflow,
  { conditions, sort, ...shown }: SortedList,
  after: Position | undefined,
  limit: number,
): Promise<{ rows: readonly SortedRow[]; next: Position | undefined }> {
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const terms = sortTerms(sort, bindings);
  const text = selectListed(
    `SELECT t.*, row_number() OVER () AS place FROM (
       SELECT t.*, ARRAY[${terms.map((term) => `${term.text}::text`).join(', ')}] AS position FROM tasks t
       WHERE ${ofWorkflow} AND ${allOf(conditions, bindings)}${after ? ` AND ${behind(terms, after, bindings)}` : ''}
       ORDER BY ${orderBy(terms)} LIMIT ${bindings.bind(limit + 1)}
     ) t`,
    shown,
    ['t.position'],
  );
  const rows = tasksOf<SortedRow>(
    workflow,
    await sql<ReadRow<SortedRow>>(db, statementOf(text), bindings.values),
  );
  const kept = rows.slice(0, limit);
  return { rows: kept, next: rows.length > limit ? kept.at(-1)?.position : undefined };
}

/** The ids of a whole sorted list with commas between them: a few bytes a task, where rows would be many. */
export async function sortedIds(
  db: EntityManager,
  workflow: Workflow,
  { conditions, sort }: SortedList,
): Promise<string> {
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const ids = `string_agg(t.id::text, ',' ORDER BY ${orderBy(sortTerms(sort, bindings))})`;
  return (await aggregate<string>(db, workflow, ids, conditions, bindings)) ?? '';
}

/** How many tasks meet the conditions. */
export async function countTasks(
  db: EntityManager,
  workflow: Workflow,
  conditions: readonly Condition[],
): Promise<number> {
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  return Number(await aggregate<string>(db, workflow, 'count(*)', conditions, bindings));
}

async function aggregate<T>(
  db: EntityManager,
  workflow: Workflow,
  aggregated: string,
  conditions: readonly Condition[],
  bindings: Bindings,
): Promise<T | null> {
  const text = `
    SELECT w.version AS definition, (
      SELECT ${aggregated} FROM tasks t WHERE ${ofWorkflow} AND ${allOf(conditions, bindings)}
    ) AS result
    FROM workspaces w WHERE w.id = $1`;
  const [row] = await sql<{ definition: number; result: T | null }>(db, statementOf(text), bindings.values);
  assertVersion(row?.definition ?? 0, workflow.version);
  return row?.result ?? null;
}
