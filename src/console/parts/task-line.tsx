import { type ComponentChildren, type VNode } from 'preact';
import { type TaskRow } from '../../task-store/task-row.js';
import { type Workflow } from '../../workspace/workspace.js';
import { type SignedIn } from '../reader.js';
import { taskPath } from '../task-shown.js';
import { titleOf } from '../../task-store/task-title.js';
import { StageBadge } from './badge.js';
import { DueBadge } from './due.js';
import { Excerpt, Marked } from './marked.js';
import { DueTime } from './time.js';

/** A task in one line, which leads to its page. */
export function TaskLine({ to, workflow, task, due, dueAt, found }: TaskLineProps): VNode {
  const { isEnd } = workflow.schema.stages.get(task.stageId);
  return (
    <li id={`task-${task.publicId}`}>
      <a class="row" href={taskPath(workflow, task)}>
        <TaskInLine workflow={workflow} task={task} found={found}>
          {due !== undefined && (
            <DueTime day={due} to={to} isEnd={isEnd}>
              {dueAt && <DueBadge at={dueAt} to={to} />}
            </DueTime>
          )}
        </TaskInLine>
      </a>
    </li>
  );
}

interface TaskLineProps {
  readonly to: SignedIn;
  readonly workflow: Workflow;
  readonly task: TaskRow;
  /** YYYY-MM-DD, where it is to be shown. */
  readonly due?: string | undefined;
  /** When the first of its clocks ends. */
  readonly dueAt?: Date | undefined;
  /** What it was found by. */
  readonly found?: RegExp | undefined;
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
