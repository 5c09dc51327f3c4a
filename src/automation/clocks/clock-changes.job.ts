import { DataSource, type EntityManager } from 'typeorm';
import { isPassing } from '../../common/database-error.js';
import { doEach } from '../../common/each.js';
import { Health } from '../../common/ops/health.js';
import { type Sweep } from '../../common/ops/job-kind.js';
import { findWorkflow, type Workspace } from '../../workflows/model/workspace.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { ClockChangeEntity } from './clock.entity.js';
import { lockNextTasks } from './clock-changes.repository.js';
import { noteDue, noteFailedClocks, readClocks, removeOtherClocks } from './clocks.repository.js';
import { clocksIn } from './compiled-clocks.js';
import { updateClocks } from './update-clocks.js';

/** Recalculates the clocks that a new definition changed, starts added clocks and deletes removed ones. */
export const clockSweep: Sweep = {
  name: 'clock-sweep',
  next: '(SELECT service_now() FROM clock_changes LIMIT 1)',
  async sweep(parts) {
    const isStopped = (): boolean => parts.provider(Health).isStopping;
    await recalculateClocks(parts.provider(DataSource), parts.provider(Workspaces), isStopped);
  },
};

const BATCH = 200;

export async function recalculateClocks(
  dataSource: DataSource,
  workspaces: Workspaces,
  isStopped: () => boolean,
): Promise<void> {
  await doEach(await dataSource.manager.find(ClockChangeEntity), async (change) => {
    const workspace = await workspaces.inForce(change.workspaceId);
    for (let isMore = true; isMore && !isStopped();)
      isMore = await dataSource.transaction((tx) => recalculateSome(tx, workspace, change));
  });
}

/** Recalculates the clocks of the next tasks. Returns false if no task is left, or if the sweep must wait. */
async function recalculateSome(
  tx: EntityManager,
  workspace: Workspace,
  { workspaceId, workflowId }: ClockChangeEntity,
): Promise<boolean> {
  const where = { workspaceId, workflowId };
  const lock = { mode: 'pessimistic_write', onLocked: 'skip_locked' } as const;
  const change = await tx.findOne(ClockChangeEntity, { where, lock });
  const workflow = findWorkflow(workspace, workflowId);
  // This process may have loaded the workspace before the change. The next sweep reads the workspace
  // and the change again.
  if (!change || !workflow || change.version > workflow.version) return false;
  const kept = clocksIn(workflow).map(({ clock }) => clock.id);
  const tasks = await lockNextTasks(tx, change, kept.length > 0, BATCH);
  for (const task of tasks)
    // A clock that fails must not stop the recalculation of other tasks.
    await tx
      .transaction(async (inner) =>
        updateClocks({ tx: inner, workflow, task }, await readClocks(inner, [task]), []),
      )
      .catch(async (error: unknown) => {
        if (isPassing(error)) throw error;
        await noteFailedClocks(tx, task, error);
      });
  await removeOtherClocks(tx, where, tasks, kept);
  await noteDue(tx, tasks);
  const afterTaskId = tasks.at(-1)?.taskId;
  if (afterTaskId === undefined) await tx.delete(ClockChangeEntity, where);
  else await tx.update(ClockChangeEntity, where, { afterTaskId });
  return afterTaskId !== undefined;
}
