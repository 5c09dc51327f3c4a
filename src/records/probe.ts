import { type EntityManager } from 'typeorm';
import { sql, statementOf } from '../database/sql.js';
import { type Workflow } from '../workflows/workspace.js';
import { type AccessPath } from './access-path.js';
import { Bindings } from './bindings.js';
import { orderOf, type Stretch, stretchOf, type StretchRows } from './stretch.js';
import { allOf, valueOf } from './task-query.js';
import { type ListedRow, ofWorkflow, type ReadRow, selectListed, tasksOf } from './task-row.js';

const mostProbed = 10_000;

/** Where an index would find a few already of so many next tasks, it would find too many in all. */
const sample = { size: 200, few: 3 };

/** Asks an index for the tasks; undefined where none leads to them, or where a walk is the better way. */
export async function probe(
  db: EntityManager,
  workflow: Workflow,
  stretch: Stretch,
  { probed, probe }: AccessPath,
): Promise<StretchRows | undefined> {
  if (!probe) return undefined;
  const { conditions, limit } = stretch;
  const bindings = new Bindings(workflow.workspaceId, workflow.id);
  const order = orderOf(stretch, bindings);
  const others = conditions.filter((condition) => !probed.includes(condition));
  // Found by values, a workflow's own index must not tempt the planner into a walk of unknown length.
  const own = probe === 'values' ? 't.workspace_id = $1 AND t.workflow_id + 0 = $2' : ofWorkflow;
  const text = `
    WITH sample AS MATERIALIZED (
      SELECT FROM (
        SELECT t.* FROM tasks t WHERE ${ofWorkflow}${order.behind}
        ORDER BY t.id${order.direction} LIMIT ${sample.size}
      ) t
      WHERE ${allOf(probed, bindings)} LIMIT ${sample.few}
    ), candidates AS MATERIALIZED (
      SELECT t.id, (${allOf(others, bindings)}) AS fits FROM tasks t
      WHERE (SELECT count(*) < ${sample.few} FROM sample)
        AND ${own} AND ${allOf(probed, bindings)}
      ${probe === 'updated' ? `ORDER BY ${valueOf({ of: 'updated' }, bindings)}` : ''}
      LIMIT ${mostProbed + 1}
    )
    ${selectListed(
      `SELECT t.*, ${order.place} AS place FROM tasks t
       WHERE ${ofWorkflow} AND t.id = ANY(ARRAY(
         SELECT t.id FROM candidates t WHERE t.fits${order.behind}
         ORDER BY t.id${order.direction} LIMIT ${bindings.bind(limit + 1)}
       ))`,
      stretch,
      [
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
  return read[0]?.isComplete === true ? stretchOf(rows, limit, false) : undefined;
}
