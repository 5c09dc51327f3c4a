import { type EntityManager } from 'typeorm';
import { sql, statementOf } from '../database/sql.js';
import { type Workflow } from '../workflows/workspace.js';
import { type AccessPath } from './access-path.js';
import { Bindings } from './bindings.js';
import { orderOf, type Stretch, stretchOf, type StretchRows } from './stretch.js';
import { allOf, valueOf } from './task-query.js';
import { type ListedRow, ofWorkflow, type ReadRow, selectListed, tasksOf } from './task-row.js';

// Enough where one task in ten meets the conditions. Of two lengths, for each makes a statement of its own.
const lengthFor = (limit: number): number => (limit > 500 ? 10_000 : 5_000);

// Each of these takes a while to be looked at, where it is a text of a million characters.
const mostBytes = 32_000_000;

/** Looks at the tasks in order, not at all of them, and says where it stopped. */
export async function walk(
  db: EntityManager,
  workflow: Workflow,
  stretch: Stretch,
  { walked, checked }: AccessPath,
): Promise<StretchRows> {
  const { limit } = stretch;
  const length = lengthFor(limit);
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const order = orderOf(stretch, bindings);
  // One index holds what leads the walk and, behind it, the order; that of active tasks holds the order alone.
  const isLed = walked?.is === 'any-of' && walked.values.length === 1 && walked.subject.of !== 'active';
  const lead = isLed ? `${valueOf(walked.subject, bindings)}${order.direction}, ` : '';
  const by = `${lead}t.id${order.direction}`;
  const leading = walked ? ` AND ${allOf([walked], bindings)}` : '';
  const among = `${ofWorkflow}${order.behind}${leading}`;
  const text = selectListed(
    checked.length === 0
      ? `SELECT t.*, ${order.place} AS place, true AS fits, false AS is_last FROM (
           SELECT t.* FROM tasks t WHERE ${among}
           ORDER BY ${by} LIMIT ${bindings.bind(limit + 1)}
         ) t`
      : `SELECT t.*, ${order.place} AS place, (${allOf(checked, bindings)}) AS fits FROM (
           SELECT t.*, t.bytes - pg_column_size(t.field_values) < ${mostBytes} AS is_looked_at,
             t.step = ${length} OR t.bytes >= ${mostBytes} AS is_last
           FROM (
             SELECT t.*, row_number() OVER looked_at AS step,
               sum(pg_column_size(t.field_values)) OVER looked_at AS bytes
             FROM tasks t WHERE ${among}
             WINDOW looked_at AS (ORDER BY ${by} ROWS UNBOUNDED PRECEDING)
             ORDER BY ${by} LIMIT ${length}
           ) t
         ) t
         WHERE CASE WHEN t.is_looked_at THEN t.is_last OR (${allOf(checked, bindings)}) END
         ORDER BY t.id${order.direction} LIMIT ${bindings.bind(limit + 1)}`,
    stretch,
    ['t.fits', 't.is_last AS "isLast"'],
  );
  const read = await sql<ReadRow<WalkedRow>>(db, statementOf(text), bindings.values);
  const rows = tasksOf<WalkedRow>(workflow, read);
  const last = rows.at(-1);
  const found = stretchOf(
    rows.filter(({ fits }) => fits),
    limit,
    true,
  );
  return found.next === undefined && last?.isLast === true ? { ...found, next: last.id } : found;
}

type WalkedRow = ListedRow & { readonly fits: boolean | null; readonly isLast: boolean };
