import { clocks } from './clocks.kind.js';
import { type Follower } from '../../events/follower.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { readTasksAhead } from '../../events/task-at-event.js';
import { findWorkflow, type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { clockFieldsOf } from './compiled-clocks.js';
import { type ClockedTask, lockClocks, lockTasks } from './clocks.repository.js';
import { updateClocks } from './update-clocks.js';

export const clocksFollower: Follower = {
  name: 'clocks',
  wants: ({ workflows }) => workflows.some((workflow) => clocks.in(workflow).length > 0),
  types: ['task.created', 'task.updated'],
  /** Reads and locks what all events need: locking the tasks together keeps their order. */
  async prepare({ tx, workspace }, events) {
    const concerned = events.filter((event) => taskOf(workspace, event));
    await lockTasks(
      tx,
      concerned.flatMap((event) => taskOf(workspace, event) ?? []),
    );
    for (const workflow of workspace.workflows.values()) {
      const some = concerned.filter(({ workflowId }) => workflowId === workflow.id);
      if (some.length > 0) await readTasksAhead(tx, workspace.id, some, clockFieldsOf(workflow));
    }
  },
  async follow({ tx, workspace }, event) {
    const workflow = findWorkflow(workspace, event.workflowId);
    const task = taskOf(workspace, event);
    if (workflow && task) await updateClocks({ tx, workflow, task }, await lockClocks(tx, task), [event]);
  },
};

/** The task of an event; undefined if the event changes none of its clocks. */
function taskOf(workspace: Workspace, event: RecordedEvent): ClockedTask | undefined {
  const workflow = findWorkflow(workspace, event.workflowId);
  const { taskId, publicId, uniqueValue, version } = event;
  if (!workflow || taskId === null || publicId === null || !concernsClocks(event, workflow)) return undefined;
  return { workspaceId: workspace.id, workflowId: workflow.id, taskId, publicId, uniqueValue, version };
}

function concernsClocks(event: RecordedEvent, workflow: Workflow): boolean {
  if (clocks.in(workflow).length === 0) return false;
  if (event.type === 'task.created' || event.stageFrom !== event.stageTo) return true;
  const changed = { ...event.valuesFrom, ...event.valuesTo };
  return clockFieldsOf(workflow).some((id) => Object.hasOwn(changed, id));
}
