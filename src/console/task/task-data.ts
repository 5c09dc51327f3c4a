import { Injectable } from '@nestjs/common';
import { ActionsService, type ExplainedAction } from '../../actions/actions.service.js';
import { type ChecklistItem } from '../../checklists/checklist-item.js';
import { ChecklistsService } from '../../checklists/checklists.service.js';
import { type Comment } from '../../comments/comment.dto.js';
import { CommentsService } from '../../comments/comments.service.js';
import { HistoryService } from '../../events/history.service.js';
import { type ShownExecution } from '../../executions/execution.dto.js';
import { ExecutionsService } from '../../executions/executions.service.js';
import { type RequestAddress } from '../../http/paged-list.js';
import { type TaskList } from '../../http/replies.js';
import { type TaskRow } from '../../task-store/task-row.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { type Workflow } from '../../workspace/workspace.js';
import { type HistoryEvent } from './history-event.js';

/** Everything that the page of a task shows, as the API would answer it to who looks. */
export interface TaskData {
  readonly workflow: Workflow;
  readonly task: TaskRow;
  readonly actions: readonly ExplainedAction[];
  readonly items: readonly ChecklistItem[];
  /** Oldest first. */
  readonly comments: readonly Comment[];
  /** Newest first. */
  readonly history: readonly HistoryEvent[];
  readonly executions: readonly ShownExecution[];
}

/** Reads what the page of a task shows, by the services of the API. */
@Injectable()
export class TaskReader {
  constructor(
    private readonly tasks: TasksService,
    private readonly actions: ActionsService,
    private readonly checklists: ChecklistsService,
    private readonly comments: CommentsService,
    private readonly history: HistoryService,
    private readonly executions: ExecutionsService,
  ) {}

  /** All about the task that a Task URL names; 404 where the viewer of the workflow sees none such. */
  async read(workflow: Workflow, publicId: string): Promise<TaskData> {
    const task = await this.find(workflow, publicId);
    const { uniqueValue } = task;
    // What the API cannot name has nothing about it.
    if (uniqueValue === null) return { workflow, task, ...nothing };
    const [actions, items, comments, history, executions] = await Promise.all([
      this.actions.explain(workflow, uniqueValue),
      this.checklists.list(workflow, uniqueValue, undefined),
      this.comments.list(workflow, uniqueValue, { _limit: '200' }, nowhere).then(whole<Comment>),
      this.history.list(workflow, uniqueValue, { _limit: '50' }, nowhere).then(whole<HistoryEvent>),
      this.executions
        .list(workflow, { task_id: uniqueValue, _limit: '5', _verbose: 'true' }, nowhere)
        .then(whole<ShownExecution>),
    ]);
    return { workflow, task, actions, items, comments, history, executions };
  }

  /** The task alone. */
  async find(workflow: Workflow, publicId: string): Promise<TaskRow> {
    return this.tasks.find(workflow, publicId);
  }
}

const nothing = { actions: [], items: [], comments: [], history: [], executions: [] };

/** A page of a list has an address; nobody asks for the one behind these. */
const nowhere: RequestAddress = { origin: '', path: '', query: new URLSearchParams() };

/** A list of the API as the values that it tells. */
async function whole<T>({ texts }: TaskList): Promise<readonly T[]> {
  let text = '';
  for await (const piece of texts) text += piece;
  return JSON.parse(`[${text}]`) as readonly T[];
}
