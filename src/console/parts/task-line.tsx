import { type ComponentChildren, type VNode } from 'preact';
import { type TaskView } from '../../workflows/fields/task-view.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { titleOf } from '../../workflows/fields/task-title.js';
import { StageBadge } from './badge.js';
import { OverdueMark } from './due.js';

/** A task on one line: Unique ID, title, `children`, a badge if the task is overdue, and the stage. */
export function TaskInLine({ workflow, task, saysDue = false, children }: TaskInLineProps): VNode {
  const stage = workflow.schema.stages.all.find(({ id }) => id === task.stageId);
  const title = titleOf(workflow, task);
  return (
    <>
      <span class="row-id">{task.uniqueValue !== title && task.uniqueValue}</span>
      <span class="row-title">{title}</span>
      {children}
      {!saysDue && stage?.isEnd !== true && <OverdueMark task={task} />}
      <StageBadge of={workflow} id={task.stageId} />
    </>
  );
}

interface TaskInLineProps {
  readonly workflow: Workflow;
  readonly task: TaskView;
  /** Whether the line already shows the deadline. */
  readonly saysDue?: boolean;
  readonly children?: ComponentChildren;
}
