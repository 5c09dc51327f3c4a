import { type DataSource, type EntityManager } from 'typeorm';
import { type ClockedTask, lockClocksOf, writeClocks } from '../../../src/clocks/clocks.repository.js';
import { clocksIn } from '../../../src/clocks/compiled-clocks.js';
import { foldIntoClocks } from '../../../src/clocks/fold-task.js';
import { readChanges } from '../../../src/events/events.repository.js';
import { Workspaces } from '../../../src/workspace/workspaces.js';

/** How many tasks have clocks, and which clocks differ from what the events of their tasks say. */
export interface Refolded {
  readonly tasks: number;
  readonly differing: readonly unknown[];
}

/** Removes all clocks, folds all events of their tasks anew, compares, and takes it back. What has fired is no projection. */
export async function clocksAgainstEvents(dataSource: DataSource): Promise<Refolded> {
  const { workflows } = await new Workspaces(dataSource, '').get(1);
  const db = dataSource.createQueryRunner();
  await db.startTransaction();
  try {
    const tx = db.manager;
    await tx.query('CREATE TEMPORARY TABLE kept_clocks ON COMMIT DROP AS SELECT * FROM clocks');
    const tasks = await tx.query<ClockedTask[]>(clocked);
    await tx.query('DELETE FROM clocks');
    for (const task of tasks) {
      const workflow = [...workflows.values()].find(({ id }) => id === task.workflowId);
      if (workflow) await refold(tx, task, workflow);
    }
    return { tasks: tasks.length, differing: await tx.query(differences) };
  } finally {
    await db.rollbackTransaction();
    await db.release();
  }
}

async function refold(
  tx: EntityManager,
  task: ClockedTask,
  workflow: Parameters<typeof foldIntoClocks>[1],
): Promise<void> {
  const fieldIds = clocksIn(workflow).flatMap((each) => each.fieldIds);
  // One by one, as the follower does.
  for (const event of await readChanges(tx, task, '0', fieldIds, 1000)) {
    const folded = await foldIntoClocks(
      tx,
      workflow,
      await lockClocksOf(tx, task.workspaceId, [task.taskId]),
      [event],
    );
    await writeClocks(
      tx,
      task,
      folded.map(({ stored }) => stored),
    );
  }
}

const clocked = `
  SELECT DISTINCT workspace_id AS "workspaceId", workflow_id AS "workflowId", task_id AS "taskId" FROM clocks
  ORDER BY task_id LIMIT 3000`;

const told = (
  name: string,
): string => `SELECT task_id, clock_id, state, event_place, due_at, (row::jsonb - 'done')::text FROM ${name}
    WHERE task_id IN (SELECT task_id FROM clocks)`;

const differences = `
  SELECT 'kept' AS side, k.* FROM (${told('kept_clocks')} EXCEPT ${told('clocks')}) k
  UNION ALL SELECT 'folded', f.* FROM (${told('clocks')} EXCEPT ${told('kept_clocks')}) f
  ORDER BY 2, 3 LIMIT 6`;
