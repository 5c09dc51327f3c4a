import { type DataSource } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Follower } from '../events/follower.js';
import { type Workspaces } from '../workspace/workspaces.js';

/** A follower whose rows depend on events alone. */
export type Projection = Follower & Required<Pick<Follower, 'rebuild'>>;

/**
 * Rebuilds the rows of a follower in a workspace, some tasks at a time, each time in its own transaction, and clears
 * the marks of events that it had set aside. Starts and sends nothing. Returns the number of tasks.
 */
export async function rebuildProjection(
  dataSource: DataSource,
  workspaces: Workspaces,
  follower: Projection,
  workspaceId: number,
): Promise<number> {
  let count = 0;
  const { workflows } = await workspaces.inForce(workspaceId);
  for (const slug of workflows.keys())
    for (let after: string | undefined = '0'; after !== undefined;) {
      const workflow = (await workspaces.inForce(workspaceId)).workflows.get(slug);
      if (!workflow) break;
      const from = after;
      const ids: readonly string[] = await dataSource.transaction(async (tx) => {
        const rebuilt = await follower.rebuild(tx, workflow, from);
        await sql(tx, takeUp, [workspaceId, follower.name, rebuilt]);
        return rebuilt;
      });
      count += ids.length;
      after = ids.at(-1);
    }
  await sql(dataSource.manager, forgetGone, [workspaceId, follower.name]);
  return count;
}

const takeUp = {
  name: 'take-up-events',
  text: 'DELETE FROM events_set_aside WHERE workspace_id = $1 AND follower = $2 AND task_id = ANY ($3::bigint[])',
};

// Tasks that no longer exist have nothing to rebuild.
const forgetGone = {
  name: 'forget-events-of-gone-tasks',
  text: `
    DELETE FROM events_set_aside e WHERE e.workspace_id = $1 AND e.follower = $2 AND NOT EXISTS (
      SELECT FROM tasks t WHERE t.workspace_id = $1 AND t.id = e.task_id
    )`,
};
