import { type ComponentChildren, type VNode } from 'preact';
import { type TaskRow } from '../../task-store/task-row.js';
import { type Workflow } from '../../workspace/workspace.js';
import { taskPath } from '../task-shown.js';
import { titleOf } from '../../task-store/task-title.js';
import { StageBadge } from './badge.js';
import { Excerpt, Marked } from './marked.js';

/** A task in one line, which leads to its page. */
export function TaskLine({ workflow, task, found }: TaskInLineProps): VNode {
  return (
    <li id={`task-${task.publicId}`}>
      <a class="row" href={taskPath(workflow, task)}>
        <TaskInLine workflow={workflow} task={task} found={found} />
      </a>
    </li>
  );
}

/** What a line says of a task: its Unique ID, title and stage, and what is given beside them. */
export function TaskInLine({ workflow, task, found, children }: TaskInLineProps): VNode {
  const { stages } = workflow.schema;
  const stage = stages.get(task.stageId);
  const title = titleOf(workflow, task);
  const [place, count] = [stages.all.indexOf(stage), stages.all.length];
  return (
    <>
      <span class="row-id">
        {task.uniqueValue !== title && task.uniqueValue !== null && (
          <Marked text={task.uniqueValue} found={found} />
        )}
      </span>
      <span class="row-title">
        <Marked text={title} found={found} />
      </span>
      {children}
      <StageBadge stage={stage} place={place} count={count} />
      {found && <Excerpt workflow={workflow} task={task} found={found} />}
    </>
  );
}

interface TaskInLineProps {
  readonly workflow: Workflow;
  readonly task: TaskRow;
  readonly found?: RegExp | undefined;
  readonly children?: ComponentChildren;
}
