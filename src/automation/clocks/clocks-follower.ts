import { clocks } from './clocks.kind.js';
import { type Follower } from '../../events/follower.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { readTasksAhead } from '../../events/task-at-event.js';
import { findWorkflow, type Workspace } from '../../workflows/model/workspace.js';
import { clocksIn } from './compiled-clocks.js';
import { concernsClocks, foldIntoClocks } from './fold-task.js';
import { type ClockedTask, lockClocks, lockTasks, noteDue, writeClocks } from './clocks.repository.js';
import { deriveInAdvance } from './derive-clocks.js';
import { skipLeftRungs } from './fire-clock.js';

export const clocksFollower: Follower = {
  name: 'clocks',
  wants: ({ workflows }) => workflows.some((workflow) => clocks.in(workflow).length > 0),
  types: ['task.created', 'task.updated'],
  /** Reads and locks what all events need: locking the tasks together keeps their order. */
  async prepare({ tx, workspace }, events) {
    await lockTasks(tx, tasksOf(workspace, events));
    for (const workflow of workspace.workflows.values()) {
      const some = events.filter(
        (event) => event.workflowId === workflow.id && concernsClocks(event, workflow),
      );
      const fieldIds = clocksIn(workflow).flatMap((clock) => clock.fieldIds);
      if (some.length > 0) await readTasksAhead(tx, workspace.id, some, [...new Set(fieldIds)]);
    }
  },
  async follow({ tx, workspace }, event) {
    const workflow = findWorkflow(workspace, event.workflowId);
    const [key] = tasksOf(workspace, [event]);
    if (!workflow || !key) return;
    await deriveInAdvance(tx, workflow, key.taskId);
    const known = await lockClocks(tx, key);
    const folded = await foldIntoClocks(tx, workflow, known, [event]);
    if (folded.length === 0) return;
    const skipped = await skipLeftRungs(tx, workflow, event, folded);
    const clocks = skipped.map(({ stored }) => stored);
    await writeClocks(tx, key, clocks);
    await noteDue(tx, key.workspaceId, key.workflowId, [key.taskId]);
  },
};

function tasksOf(workspace: Workspace, events: readonly RecordedEvent[]): ClockedTask[] {
  return events.flatMap((event) => {
    const workflow = findWorkflow(workspace, event.workflowId);
    const { taskId } = event;
    if (!workflow || taskId === null || clocks.in(workflow).length === 0) return [];
    const task = { workspaceId: workspace.id, workflowId: workflow.id, taskId };
    return concernsClocks(event, workflow) ? [task] : [];
  });
}
