import { type EntityManager } from 'typeorm';
import { type Follower } from '../events/follower.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { readTasksAhead } from '../events/task-at-event.js';
import { findWorkflow, type Workflow, type Workspace } from '../workspace/workspace.js';
import { clocksIn } from './compiled-clocks.js';
import { concernsClocks, foldIntoClocks } from './fold-task.js';
import { type ClockedTask, lockTasks } from './clocks.repository.js';
import { deriveInAdvance, isUnderived } from './derive-clocks.js';
import { rebuildClocks } from './rebuild-clocks.js';
import { skipLeftRungs } from './fire-clock.js';
import { HeldClocks } from './held-clocks.js';

/** Updates the clocks of tasks. */
export const clocksFollower: Follower = {
  name: 'clocks',
  wants: ({ workflows }) => workflows.some(({ clocks }) => clocks.length > 0),
  types: ['task.created', 'task.updated'],
  rebuild: rebuildClocks,
  async prepare({ tx, workspace }, events) {
    await lockTasks(tx, tasksOf(workspace, events));
    for (const workflow of workspace.workflows.values()) {
      const some = events.filter(
        (event) => event.workflowId === workflow.id && concernsClocks(event, workflow),
      );
      if (some.length === 0 || workflow.clocks.length === 0) continue;
      const fieldIds = clocksIn(workflow).flatMap((clock) => clock.fieldIds);
      await readTasksAhead(tx, workspace.id, some, [...new Set(fieldIds)]);
      await heldBy(tx, workflow).lock(some.flatMap(({ taskId }) => taskId ?? []));
    }
  },
  async follow({ tx, workspace }, event) {
    const workflow = findWorkflow(workspace, event.workflowId);
    const { taskId } = event;
    if (!workflow || taskId === null || workflow.clocks.length === 0 || !concernsClocks(event, workflow))
      return;
    const held = heldBy(tx, workflow);
    if (await isUnderived(tx, workflow)) {
      await held.write();
      if (await deriveInAdvance(tx, workflow, taskId)) held.change(taskId, []);
      await held.lock([taskId]);
    }
    const folded = await foldIntoClocks(tx, workflow, await held.of(taskId), [event]);
    if (folded.length === 0) return;
    const skipped = await skipLeftRungs(tx, workflow, event, folded);
    held.change(
      taskId,
      skipped.map(({ stored }) => stored),
    );
  },
  async finish({ tx }) {
    for (const clocks of held.get(tx)?.values() ?? []) await clocks.write();
  },
};

/** The clocks of a workflow that a turn has locked. */
function heldBy(tx: EntityManager, workflow: Workflow): HeldClocks {
  const known = held.get(tx) ?? new Map<number, HeldClocks>();
  held.set(tx, known);
  const clocks = known.get(workflow.id) ?? new HeldClocks(tx, workflow);
  known.set(workflow.id, clocks);
  return clocks;
}

const held = new WeakMap<EntityManager, Map<number, HeldClocks>>();

/** The tasks whose clocks the events may change. */
function tasksOf(workspace: Workspace, events: readonly RecordedEvent[]): ClockedTask[] {
  return events.flatMap((event) => {
    const workflow = findWorkflow(workspace, event.workflowId);
    const { taskId } = event;
    if (!workflow || taskId === null || workflow.clocks.length === 0) return [];
    const task = { workspaceId: workspace.id, workflowId: workflow.id, taskId };
    return concernsClocks(event, workflow) ? [task] : [];
  });
}
