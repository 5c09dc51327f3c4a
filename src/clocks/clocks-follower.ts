import { type Follower } from '../events/follower.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { readTasksAhead } from '../events/task-at-event.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { clocksIn } from './compiled-clocks.js';
import { concernsClocks, foldIntoClocks } from './fold-task.js';
import { type ClockedTask, lockClocks, lockTasks, noteDue } from './clocks.repository.js';
import { deriveInAdvance } from './derive-clocks.js';
import { rebuildClocks } from './rebuild-clocks.js';
import { skipLeftRungs } from './fire-clock.js';

/** Keeps the clocks of tasks. */
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
      const fieldIds = clocksIn(workflow).flatMap((clock) => clock.fieldIds);
      if (some.length > 0 && workflow.clocks.length > 0)
        await readTasksAhead(tx, workspace.id, some, [...new Set(fieldIds)]);
    }
  },
  async follow({ tx, workspace }, event) {
    const workflow = workflowOf(workspace, event.workflowId);
    const { taskId } = event;
    if (!workflow || taskId === null || workflow.clocks.length === 0 || !concernsClocks(event, workflow))
      return;
    const task = { workspaceId: workspace.id, workflowId: workflow.id, taskId };
    const isDerived = await deriveInAdvance(tx, workflow, taskId);
    const folded = await foldIntoClocks(tx, workflow, task, await lockClocks(tx, task), [event]);
    if (folded.length === 0 && !isDerived) return;
    await skipLeftRungs(tx, workflow, event, folded);
    await noteDue(tx, workspace.id, workflow.id, [taskId]);
  },
};

/** The tasks whose clocks events may change. */
function tasksOf(workspace: Workspace, events: readonly RecordedEvent[]): ClockedTask[] {
  return events.flatMap((event) => {
    const workflow = workflowOf(workspace, event.workflowId);
    const { taskId } = event;
    if (!workflow || taskId === null || workflow.clocks.length === 0) return [];
    const task = { workspaceId: workspace.id, workflowId: workflow.id, taskId };
    return concernsClocks(event, workflow) ? [task] : [];
  });
}

function workflowOf({ workflows }: Workspace, id: number | null): Workflow | undefined {
  return [...workflows.values()].find((workflow) => workflow.id === id);
}
