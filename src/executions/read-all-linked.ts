import { type EntityManager } from 'typeorm';
import { linkedPages } from '../records/linked-tasks.js';
import { type TaskRow } from '../records/task-row.js';
import { type LinkedTask } from '../schema/task-view.js';
import { type Workflow } from '../workflows/workspace.js';

/** The task with all tasks that are linked to it, where they were too many to be read along with it. */
export async function withAllLinked(db: EntityManager, workflow: Workflow, task: TaskRow): Promise<TaskRow> {
  if (task.linked !== null) return task;
  const linked: LinkedTask[] = [];
  for (const side of workflow.schema.links.keys())
    for await (const rows of linkedPages(db, workflow, task.id, side))
      linked.push(...rows.map((row) => ({ ...row, side })));
  return { ...task, linked };
}
