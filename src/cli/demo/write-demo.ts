import { type EntityManager } from 'typeorm';
import { pauses } from '../../../packages/fair/turn.js';
import { Origin } from '../../common/origin.js';
import { unchangedFiles } from '../../workflows/fields/file-changes.js';
import { parseTask } from '../../workflows/fields/parse-task.js';
import { recordOf, upsertRows } from '../../tasks/store/bulk-upsert.js';
import { Scope } from '../../workflows/model/scope.js';
import { type Workspace } from '../../workflows/model/workspace.js';
import { demoTasks, invoicesOf, late } from './demo-tasks.js';

type DemoTask = (typeof demoTasks)['vendors'][number];

/** Writes the tasks of the demo with few statements, because every first start waits for it. */
export async function writeDemo(db: EntityManager, demo: Workspace): Promise<void> {
  for (const [slug, tasks] of Object.entries(demoTasks)) {
    const arrived = tasks.map(({ Stage: _, ...values }) => values);
    await write(db, scopeOf(demo, slug, 'mina@demo.test'), arrived);
    // Who moves a task on is another person than who has entered it, as its history shows.
    const moved = tasks.filter((task) => 'Stage' in task);
    await write(db, scopeOf(demo, slug, 'theo@demo.test'), moved);
  }
  await link(db, demo);
  await delay(db, demo);
}

/** The scope of a demo workflow, with a user at work. */
function scopeOf({ workflows, users }: Workspace, slug: string, email: string): Scope {
  const workflow = workflows.get(slug);
  if (!workflow) throw new Error(`the demo has no ${slug}`);
  const origin = new Origin({ user: users.find(email)?.id ?? '' });
  return new Scope(workflow, undefined, undefined, origin);
}

async function write(db: EntityManager, scope: Scope, tasks: readonly DemoTask[]): Promise<void> {
  const rows = [];
  for (const task of tasks) {
    // Some tasks are in stages that only actions can enter.
    const payload = new Map(Object.entries(task));
    const { change, refused } = await parseTask(scope.workflow.schema, payload, pauses(), 'action');
    if (refused.length > 0) throw new Error(`the demo cannot have ${JSON.stringify(task)}`);
    const demands = { states: undefined, holds: unchangedFiles(change) ?? new Map() };
    rows.push(recordOf(scope.workflow, { change, mayCreate: true, demands }));
  }
  await upsertRows(db, scope, rows);
}

async function link(db: EntityManager, demo: Workspace): Promise<void> {
  const pairs = Object.entries(invoicesOf).flatMap(([vendor, invoices]) => invoices.map((invoice) => ({ vendor, invoice }))); // prettier-ignore
  await db.query(
    `INSERT INTO links (workspace_id, relationship_id, kind, from_workflow_id, from_id, to_workflow_id, to_id)
    SELECT $1, r.id, r.kind, v.workflow_id, v.id, i.workflow_id, i.id
    FROM json_to_recordset($2) p (vendor text, invoice text)
    JOIN relationships r ON r.workspace_id = $1 AND r.id = 'invoices'
    JOIN tasks v ON v.workspace_id = $1 AND v.workflow_id = r.from_workflow_id AND v.unique_value = p.vendor
    JOIN tasks i ON i.workspace_id = $1 AND i.workflow_id = r.to_workflow_id AND i.unique_value = p.invoice`,
    [demo.id, JSON.stringify(pairs)],
  );
}

/** Lets one task, with its events, be a week older. */
async function delay(db: EntityManager, demo: Workspace): Promise<void> {
  await db.query(
    `WITH delayed AS (
      UPDATE tasks SET created_at = created_at - age, updated_at = updated_at - age, stage_at = stage_at - age
      FROM (VALUES (interval '7 days')) v (age) WHERE workspace_id = $1 AND unique_value = $2
      RETURNING workflow_id, id, age
    )
    UPDATE events e SET happened_at = happened_at - age FROM delayed d
    WHERE e.workspace_id = $1 AND e.workflow_id = d.workflow_id AND e.task_id = d.id`,
    [demo.id, late],
  );
}
