import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { findIndexes } from '../../tasks/store/list-indexes.js';
import { matching } from '../../tasks/store/list.repository.js';
import { Bindings, columns } from '../../tasks/store/where.sql.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { assertVersion } from '../../workflows/model/workspaces.js';
import { type FigureQuery, type FigureStage, firstInstantOf } from './figure-query.js';
import { type FigureRow } from './figure-series.js';

/** Runs the SQL that `textOf` writes. Throws if the definition has changed since `query` was parsed. */
export async function readFigureRows(
  db: EntityManager,
  query: FigureQuery,
  textOf: (parts: FigureSql) => string,
): Promise<FigureRow[]> {
  const { workflow } = query.scope;
  const parts = await partsOf(db, query);
  const text = `SELECT w.version AS definition, (SELECT json_agg(r) FROM (${textOf(parts)}) r) AS rows FROM workspaces w WHERE w.id = $1`; // prettier-ignore
  const read = (from: EntityManager): Promise<{ definition: number; rows: FigureRow[] | null }[]> =>
    sql(from, { text }, parts.bindings.values);
  const [row] = await (query.group && query.conditions.length === 0
    ? db.transaction(async (tx) => {
        await sql(tx, planForMany, [workflow.workspaceId]);
        return read(tx);
      })
    : read(db));
  assertVersion(row?.definition ?? 0, workflow.version);
  return row?.rows ?? [];
}

// PostgreSQL assumes that an array of unknown length has ten elements. These settings make it join and group
// by hashing, which is much faster for 100,000 tasks.
const planForMany = {
  name: 'plan-for-many',
  text: `
    SELECT set_config(name, value, true)
    FROM (VALUES ('work_mem', '64MB'), ('enable_nestloop', 'off'), ('enable_sort', 'off')) s (name, value)
    WHERE $1::integer > 0`,
};

export type FigureSql = Awaited<ReturnType<typeof partsOf>>;

async function partsOf(db: EntityManager, query: FigureQuery) {
  const { conditions, group, hasImports, buckets } = query;
  const { workflow } = query.scope;
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const indexes = await findIndexes(db, workflow, conditions);
  const where = matching(conditions, indexes, bindings);
  const tasks = (more = ''): string =>
    `SELECT t.id, ${groupOf(group, bindings)} AS g${more} FROM tasks t WHERE ${where}`;
  const imports = hasImports ? '' : ' AND NOT is_imported';
  const isWhole = conditions.length === 0 && !group;
  const ids = (stages: readonly FigureStage[]): string =>
    `${bindings.bind(stages.map(({ id }) => id))}::integer[]`;
  return {
    ...query,
    bindings,
    ids,
    /** Whether the figure counts all tasks, without groups. */
    isWhole,
    /** SQL: the `id`, the group `g` and the columns `more` of each task that meets the conditions. */
    tasks,
    /**
     * SQL: the visits `v` in one of the `ranges`. Each range is a condition on the columns of the index
     * `stage_visits_stage`, and only columns of that index are read. If the query has conditions or a group,
     * joins the tasks `t` that meet the query's conditions. If `hasImports` is false, omits imported tasks.
     */
    visits: (...ranges: readonly string[]): string => {
      const found = ranges.map(
        (condition) => `
          SELECT task_id, n, stage_id, stage_to, entered_at, left_at, began_at FROM stage_visits v
          WHERE v.workspace_id = $1 AND v.workflow_id = $2${imports} AND ${condition}`,
      );
      const visits = `(${found.join(' UNION ALL ')}) v`;
      if (isWhole) return visits;
      // `few` makes PostgreSQL look up each task only once, and keep only the task's id and group.
      const few = ` AND t.id = ANY(ARRAY(SELECT DISTINCT task_id FROM ${visits})) OFFSET 0`;
      return `${visits} JOIN (${tasks()}${conditions.length > 0 ? '' : few}) t ON t.id = v.task_id`;
    },
    g: isWhole ? 'NULL::jsonb' : 't.g',
    imports,
    instantOf: (day: string): string => `${bindings.bind(firstInstantOf(query, day))}::timestamptz`,
    /** SQL: the number of the bucket that contains an instant: 1 for the first, 0 for instants before it. */
    bucketOf: (instant: string): string =>
      `width_bucket(${instant}, ${bindings.bind(buckets.map((day) => firstInstantOf(query, day)))}::timestamptz[])`,
    /** SQL: the first day of the bucket with this number; '' for the number 0. */
    dayOf: (bucket: string): string => `COALESCE((${bindings.bind(buckets)}::text[])[${bucket}], '')`,
    /** SQL: rows `s` with the id and the name of each of these stages. */
    named: (stages: readonly FigureStage[]): string =>
      `unnest(${ids(stages)}, ${bindings.bind(stages.map(({ name }) => name))}::text[]) s (id, name)`,
  };
}

function groupOf(group: ListedProperty | undefined, bindings: Bindings): string {
  const subject = group?.filter?.subject;
  if (!subject) return 'NULL::jsonb';
  if (subject.of === 'field') return `t.field_values -> ${bindings.bind(subject.id)}`;
  return `to_jsonb(${columns[subject.of]})`;
}
