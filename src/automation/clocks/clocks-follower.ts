import { clocks } from './clocks.kind.js';
import { type Follower } from '../../events/follower.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { readTasksAhead } from '../../events/task-at-event.js';
import { findWorkflow, type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { clockFieldsOf } from './compiled-clocks.js';
import { type ChangedTask, pendingChanges } from './clock-changes.repository.js';
import {
  type ClockedTask,
  type ClockToStore,
  lockTasks,
  noteDue,
  readClocks,
  writeClocks,
} from './clocks.repository.js';
import { foldClocks } from './update-clocks.js';

export const clocksFollower: Follower = {
  name: 'clocks',
  wants: ({ workflows }) => workflows.some((workflow) => clocks.in(workflow).length > 0),
  types: ['task.created', 'task.updated'],
  /** Locks the tasks whose clocks may change. Locks in the order of ids, so that writers cannot deadlock. */
  async begin({ tx, workspace }, events) {
    const tasks = new Map<RecordedEvent, ClockedTask>();
    for (const event of events) {
      const task = taskOf(workspace, event);
      if (task) tasks.set(event, task);
    }
    await lockTasks(tx, [...tasks.values()]);
    const stored = await readClocks(tx, [...tasks.values()]);
    const pending = new Map<string, ChangedTask>();
    for (const workflow of workspace.workflows.values()) {
      const own = [...tasks].filter(([, { workflowId }]) => workflowId === workflow.id);
      if (own.length === 0) continue;
      const [concerned, fieldIds] = [own.map(([event]) => event), clockFieldsOf(workflow)];
      await readTasksAhead(tx, workspace.id, concerned, fieldIds);
      const ofTasks = own.map(([, task]) => task);
      for (const [id, task] of await pendingChanges(tx, ofTasks, fieldIds)) pending.set(id, task);
    }
    const changed = new Map<string, ClockToStore>();
    const followed: ClockedTask[] = [];
    return {
      async follow(event) {
        const workflow = findWorkflow(workspace, event.workflowId);
        const task = tasks.get(event);
        if (!workflow || !task) return;
        const clocks = await foldClocks({ tx, workflow, task }, stored, pending.get(task.taskId), [event]);
        followed.push(task);
        for (const clock of clocks) changed.set(`${task.taskId}/${clock.clockId}`, clock);
      },
      async end() {
        await writeClocks(tx, [...changed.values()]);
        await noteDue(tx, followed);
      },
    };
  },
};

/** Returns the task of an event, or undefined if the event cannot change a clock. */
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
