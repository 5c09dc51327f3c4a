import { firstInstantOf } from './figure-query.js';
import { type FigureQuery } from './figure.js';
import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { findIndexes } from '../../tasks/store/list-indexes.js';
import { matching } from '../../tasks/store/list.repository.js';
import { Bindings, columns } from '../../tasks/store/where.sql.js';
import { blankTask } from '../../workflows/fields/task-view.js';
import { type Comparable } from '../../workflows/fields/condition.js';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { assertVersion } from '../../workflows/model/workspaces.js';

export interface FigureSql {
  readonly bindings: Bindings;
  /** A query for the `id` of each counted task, with its group `g`; `more` are further columns. */
  readonly tasks: (more?: string) => string;
  /**
   * The visits `v` of the tasks that count, joined to these as `t` unless all do; imported ones only if asked for. Each
   * condition is a range of the index, and the columns are those of the index.
   */
  readonly visits: (...conditions: readonly string[]) => string;
  readonly g: string;
  readonly imports: string;
  readonly instantOf: (day: string) => string;
  /** The number of the bucket of an instant, from 1; 0 before the first. */
  readonly bucketOf: (instant: string) => string;
}

/** The rows of a figure, read under the definition in force; days and groups are in the form of JSON. */
export async function readFigureRows<Row>(
  db: EntityManager,
  query: FigureQuery,
  textOf: (parts: FigureSql) => string,
): Promise<Row[]> {
  const { workflow } = query.scope;
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const text = textOf(await partsOf(db, query, bindings));
  const statement = { text: `SELECT w.version AS definition, (SELECT json_agg(r) FROM (${text}) r) AS rows FROM workspaces w WHERE w.id = $1` }; // prettier-ignore
  const read = (from: EntityManager): Promise<{ definition: number; rows: Row[] | null }[]> =>
    sql(from, statement, bindings.values);
  const [row] =
    query.conditions.length === 0 && query.group
      ? await db.transaction(async (tx) => {
          await sql(tx, planForMany, [workflow.workspaceId]);
          return read(tx);
        })
      : await read(db);
  assertVersion(row?.definition ?? 0, workflow.version);
  return row?.rows ?? [];
}

/** Whether all tasks count, without groups. */
export const isWhole = ({ conditions, group }: FigureQuery): boolean => conditions.length === 0 && !group;

// PostgreSQL assumes ten tasks in an array whose length it does not know. For 100,000, hashing is much faster.
const planForMany = {
  name: 'plan-for-many',
  text: `
    SELECT set_config(name, value, true)
    FROM (VALUES ('work_mem', '64MB'), ('enable_nestloop', 'off'), ('enable_sort', 'off')) s (name, value)
    WHERE $1::integer > 0`,
};

async function partsOf(db: EntityManager, query: FigureQuery, bindings: Bindings): Promise<FigureSql> {
  const { scope, conditions, group, hasImports } = query;
  const { workflow } = scope;
  const indexes = await findIndexes(db, workflow, conditions);
  const where = matching(conditions, indexes, bindings);
  const tasks = (more = ''): string =>
    `SELECT t.id, ${groupOf(group, bindings)} AS g${more} FROM tasks t WHERE ${where}`;
  const imports = hasImports ? '' : ' AND NOT is_imported';
  const found = (condition: string): string => `
    SELECT task_id, n, stage_id, stage_to, entered_at, left_at, began_at FROM stage_visits v
    WHERE v.workspace_id = $1 AND v.workflow_id = $2${imports} AND ${condition}`;
  return {
    bindings,
    tasks,
    visits: (...ranges) => {
      const visits = `(${ranges.map(found).join(' UNION ALL ')}) v`;
      if (isWhole(query)) return visits;
      // Looks each task up once, and keeps only its group.
      const few = ` AND t.id = ANY(ARRAY(SELECT DISTINCT task_id FROM ${visits})) OFFSET 0`;
      return `${visits} JOIN (${tasks()}${conditions.length > 0 ? '' : few}) t ON t.id = v.task_id`;
    },
    g: isWhole(query) ? 'NULL::jsonb' : 't.g',
    imports,
    instantOf: (day) => `${bindings.bind(firstInstantOf(query, day))}::timestamptz`,
    bucketOf: (instant) =>
      `width_bucket(${instant}, ${bindings.bind(query.buckets.map((day) => firstInstantOf(query, day)))}::timestamptz[])`,
  };
}

function groupOf(group: ListedProperty | undefined, bindings: Bindings): string {
  const subject = group?.filter?.subject;
  if (!subject) return 'NULL::jsonb';
  if (subject.of === 'field') return `t.field_values -> ${bindings.bind(subject.id)}`;
  return subject.of in columns ? `to_jsonb(${columns[subject.of]})` : 'NULL::jsonb';
}

/** The name of a group, as its tasks show the value that they have; undefined without groups. */
function groupName({ group }: FigureQuery, value: Comparable): string | undefined {
  if (!group) return undefined;
  const none = group.filter?.subject.of === 'assignee' ? 'Nobody' : '(empty)';
  if (value === null && group.fieldId === undefined) return none;
  const held = value === null || typeof value === 'number' ? {} : { [group.fieldId ?? '']: value };
  const task = {
    ...blankTask,
    stageId: Number(value),
    assigneeId: typeof value === 'string' ? value : '',
    fieldValues: held,
  };
  const shown = group.serialize(task) ?? none;
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
}

/** A row of the tasks with the same value `g` of the field by which a figure is grouped. */
export interface Grouped {
  readonly g: Comparable;
}

interface Group<Row> {
  /** Undefined without groups. */
  readonly name: string | undefined;
  readonly rows: readonly Row[];
}

/** Rows by their group, in the order of the names of the groups; without rows, one empty group. */
export function byGroup<Row extends Grouped>(query: FigureQuery, rows: readonly Row[]): Group<Row>[] {
  const groups = new Map<string, Row[]>(rows.length > 0 ? [] : [['null', []]]);
  for (const row of rows) {
    const value = JSON.stringify(row.g);
    const group = groups.get(value);
    if (group) group.push(row);
    else groups.set(value, [row]);
  }
  return [...groups]
    .map(([value, found]) => ({ name: groupName(query, JSON.parse(value) as Comparable), rows: found }))
    .toSorted((one, other) => (one.name ?? '').localeCompare(other.name ?? ''));
}
