import { type ComponentChildren, type VNode } from 'preact';
import { type TaskView } from '../../workflows/fields/task-view.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { titleOf } from '../../workflows/fields/serialize-task.js';
import { StageBadge } from './badge.js';
import { OverdueMark } from './due.js';
import { Excerpt, Marked } from './marked.js';

/** What a line says of a task: its Unique ID, title and stage, what is given beside them, and that it is overdue. */
export function TaskInLine({ workflow, task, found, saysDue = false, children }: TaskInLineProps): VNode {
  const stage = workflow.schema.stages.all.find(({ id }) => id === task.stageId);
  const title = titleOf(workflow, task);
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
      {!saysDue && stage?.isEnd !== true && <OverdueMark task={task} />}
      <StageBadge of={workflow} id={task.stageId} />
      {found && <Excerpt workflow={workflow} task={task} found={found} />}
    </>
  );
}

interface TaskInLineProps {
  readonly workflow: Workflow;
  readonly task: TaskView;
  readonly found?: RegExp | undefined;
  /** Whether the line tells elsewhere when the task is due. */
  readonly saysDue?: boolean;
  readonly children?: ComponentChildren;
}
