import { type EntityManager } from 'typeorm';
import { sql, statementOf } from '../database/sql.js';
import { type Condition } from '../schema/condition.js';
import { type Workflow } from '../workflows/workspace.js';
import { type AccessPath, accessPath } from './access-path.js';
import { Bindings } from './bindings.js';
import { allOf, valueOf } from './task-query.js';
import { instantColumns, type ListedRow, type ReadRow, selectListed, tasksOf } from './task-row.js';

/** A part of a list in the order of creation. */
export interface Stretch {
  readonly conditions: readonly Condition[];
  readonly showsInstants: boolean;
  readonly isNewestFirst: boolean;
  /** The task behind which it begins; absent at the list's own beginning. */
  readonly after: string | undefined;
  /** How many tasks at most. */
  readonly limit: number;
  /** Whether the stretch before was walked, so that a probe would be in vain again. */
  readonly isWalked: boolean;
}

export interface StretchRows {
  readonly rows: readonly ListedRow[];
  /** The task behind which there may be more. */
  readonly next: string | undefined;
  readonly isWalked: boolean;
}

/**
 * Finds the next tasks. Where an index can tell which tasks meet the conditions, and they are few, it does; else the
 * tasks are walked in order. A walk ends after 10,000 tasks, so that no filter makes anybody wait for a walk through
 * all: the stretch may then be shorter than its limit, and yet have a next one.
 */
export async function listByCreation(
  db: EntityManager,
  workflow: Workflow,
  stretch: Stretch,
): Promise<StretchRows> {
  const path = accessPath(stretch.conditions);
  const probed = stretch.isWalked ? undefined : await probe(db, workflow, stretch, path);
  return probed ?? walk(db, workflow, stretch, path);
}

const mostWalked = 10_000;
const mostProbed = 10_000;

/** Where an index would find a few already of so many next tasks, it would find too many in all. */
const sample = { size: 200, few: 3 };

/** Undefined where no index leads to the tasks, or where a walk is the better way. */
async function probe(
  db: EntityManager,
  workflow: Workflow,
  { conditions, showsInstants, isNewestFirst, after, limit }: Stretch,
  { probed, probe }: AccessPath,
): Promise<StretchRows | undefined> {
  if (!probe) return undefined;
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const order = orderOf(isNewestFirst, after, bindings);
  const others = conditions.filter((condition) => !probed.includes(condition));
  // Found by values, a workflow's own index must not tempt the planner into a walk of unknown length.
  const own = probe === 'values' ? 't.workflow_id + 0 = $2' : 't.workflow_id = $2';
  const text = `
    WITH sample AS MATERIALIZED (
      SELECT FROM (${ofWorkflow}${order.behind} ORDER BY t.id${order.direction} LIMIT ${sample.size}) t
      WHERE ${allOf(probed, bindings)} LIMIT ${sample.few}
    ), candidates AS MATERIALIZED (
      SELECT t.id, (${allOf(others, bindings)}) AS fits FROM tasks t
      WHERE (SELECT count(*) < ${sample.few} FROM sample)
        AND t.workspace_id = $1 AND ${own} AND ${allOf(probed, bindings)}
      ${probe === 'updated' ? `ORDER BY ${valueOf({ of: 'updated' }, bindings)}` : ''}
      LIMIT ${mostProbed + 1}
    )
    ${selectListed(
      `SELECT t.*, ${order.place} AS place FROM tasks t
       WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = ANY(ARRAY(
         SELECT t.id FROM candidates t WHERE t.fits${order.behind}
         ORDER BY t.id${order.direction} LIMIT ${bindings.bind(limit + 1)}
       ))`,
      [
        ...(showsInstants ? instantColumns : []),
        `(SELECT count(*) < ${sample.few} FROM sample)
           AND (SELECT count(*) <= ${mostProbed} FROM candidates) AS "isComplete"`,
      ],
    )}`;
  const read = await sql<ReadRow<ListedRow> & { isComplete: boolean }>(
    db,
    statementOf(text),
    bindings.values,
  );
  const rows = tasksOf<ListedRow>(workflow, read);
  return read[0]?.isComplete === true ? cut(rows, limit, false) : undefined;
}

async function walk(
  db: EntityManager,
  workflow: Workflow,
  { showsInstants, isNewestFirst, after, limit }: Stretch,
  { walked, checked }: AccessPath,
): Promise<StretchRows> {
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const order = orderOf(isNewestFirst, after, bindings);
  // One index holds what leads the walk and, behind it, the order; that of active tasks holds the order alone.
  const isLed = walked?.is === 'any-of' && walked.values.length === 1 && walked.subject.of !== 'active';
  const lead = isLed ? `${valueOf(walked.subject, bindings)}, ` : '';
  const by = `${lead}t.id${order.direction}`;
  const leading = walked ? ` AND ${allOf([walked], bindings)}` : '';
  const text = selectListed(
    checked.length === 0
      ? `SELECT t.*, ${order.place} AS place, true AS fits, 0 AS step FROM (
           ${ofWorkflow}${order.behind}${leading} ORDER BY ${by} LIMIT ${bindings.bind(limit + 1)}
         ) t`
      : `SELECT t.*, ${order.place} AS place, (${allOf(checked, bindings)}) AS fits FROM (
           SELECT t.*, row_number() OVER (ORDER BY ${by}) AS step FROM tasks t
           WHERE t.workspace_id = $1 AND t.workflow_id = $2${order.behind}${leading}
           ORDER BY ${by} LIMIT ${mostWalked}
         ) t
         WHERE t.step = ${mostWalked} OR (${allOf(checked, bindings)})
         ORDER BY t.id${order.direction} LIMIT ${bindings.bind(limit + 1)}`,
    [...(showsInstants ? instantColumns : []), 't.fits', 't.step'],
  );
  const read = await sql<ReadRow<WalkedRow>>(db, statementOf(text), bindings.values);
  const rows = tasksOf<WalkedRow>(workflow, read);
  const last = rows.at(-1);
  const found = cut(
    rows.filter(({ fits }) => fits),
    limit,
    true,
  );
  return found.next === undefined && Number(last?.step) === mostWalked ? { ...found, next: last?.id } : found;
}

type WalkedRow = ListedRow & { readonly fits: boolean | null; readonly step: string };

function cut(rows: readonly ListedRow[], limit: number, isWalked: boolean): StretchRows {
  const kept = rows.slice(0, limit);
  return { rows: kept, next: rows.length > limit ? kept.at(-1)?.id : undefined, isWalked };
}

const ofWorkflow = 'SELECT t.* FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $2';

function orderOf(
  isNewestFirst: boolean,
  after: string | undefined,
  bindings: Bindings,
): { direction: string; behind: string; place: string } {
  const sign = isNewestFirst ? '<' : '>';
  return {
    direction: isNewestFirst ? ' DESC' : '',
    behind: after === undefined ? '' : ` AND t.id ${sign} ${bindings.bind(after)}::bigint`,
    place: isNewestFirst ? '-t.id' : 't.id',
  };
}
