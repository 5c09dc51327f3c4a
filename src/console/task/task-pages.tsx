import { Injectable, type PipeTransform } from '@nestjs/common';
import { type ShownExecution } from '../../executions/execution.dto.js';
import { type Reply } from '../../common/reply.js';
import { pauses } from '../../../packages/fair/turn.js';
import { Inboxes } from '../../messages/inbox/inboxes.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { nameOf, type TaskName } from '../../workflows/model/task-name.js';
import { Entered, type WorkflowRequest } from '../console-controller.js';
import { pageReply } from '../page.js';
import { format } from '../parts/markdown.js';
import { addressesOfNobody, MOST_MENTIONED } from '../../comments/mentions.js';
import { say } from '../../common/message.js';
import { type Notice } from '../parts/notices.js';
import { namesOfMentions } from '../parts/mention.js';
import { type SignedIn } from '../reader.js';
import { mayEdit } from '../../workflows/model/allowed.js';
import { taskPath } from '../task-shown.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { type TaskData, TaskReader } from './task-data.js';
import { WhyFailed } from './actions-part.js';
import { TaskPage } from './task-page.js';
import { shownValueOf, type ShownForm } from './task-view.js';

/** A request about a task that the reader sees. */
export interface TaskRequest extends WorkflowRequest {
  readonly task: TaskRow;
  readonly name: TaskName;
  readonly path: string;
}

@Injectable()
class TaskPipe implements PipeTransform<WorkflowRequest, Promise<TaskRequest>> {
  constructor(private readonly tasks: TasksService) {}

  async transform(request: WorkflowRequest): Promise<TaskRequest> {
    const task = await this.tasks.find(request.scope, request.said('task'));
    return { ...request, task, name: nameOf(task), path: taskPath(request.scope.workflow, task) };
  }
}

/** Injects the request with the task that the path names. Throws 404 if the reader may not see the task. */
export const AboutTask = (): ParameterDecorator => Entered(TaskPipe);

@Injectable()
export class TaskPages {
  constructor(
    private readonly reader: TaskReader,
    private readonly inboxes: Inboxes,
  ) {}

  /**
   * Shows the task's page. In the URL, `edit` names the property to edit. `execution` is the id of an
   * execution that the reader has just started.
   */
  async show(request: WorkflowRequest, { status = 200, ...shown }: ShownForm = {}): Promise<Reply> {
    const { query } = request;
    const data = await this.reader.read({ ...request, reader: await this.open(request) });
    const { scope, task, executions, comments, reader } = data;
    const execution =
      executions.find(({ id }) => id === query.get('execution')) ??
      executions.find(({ status }) => status === 'Pending');
    const names = namesOfMentions(reader, comments.mentions);
    const view = {
      ...data,
      path: taskPath(scope.workflow, task),
      isEditable: mayEdit(scope, task),
      formatted: await format(longTextsOf(data), pauses(scope), names),
      edit: query.get('edit') ?? undefined,
      execution: execution?.id,
      notice: noticeOfMissed(query.get('missed') ?? '') ?? (execution && noticeOf(execution)),
      ...shown,
    };
    return pageReply(<TaskPage view={view} />, { status });
  }

  /** Marks the task's notifications as read, unless the browser only prefetches the page. */
  private async open({ reader, request, scope, said }: WorkflowRequest): Promise<SignedIn> {
    if (request.headers['sec-purpose'] !== undefined) return reader;
    const owner = { workspace: reader.workspace, userId: reader.user.id };
    const task = { workflowId: scope.workflow.id, publicId: said('task') };
    if (!(await this.inboxes.readTask(owner, task))) return reader;
    request.reader = { ...reader, inbox: await this.inboxes.state(owner) };
    return request.reader;
  }
}

/** The long texts of a task's page: those of the task, then its comments, newest first. */
function longTextsOf({ scope, task, comments }: TaskData): string[] {
  const fields = scope.workflow.schema.properties.filter(({ view }) => view?.show.as === 'lines');
  const texts = fields.map((property) => shownValueOf(property, { task }));
  return [...texts.filter((text) => typeof text === 'string'), ...comments.comments.map(({ body }) => body)];
}

/** The notice with the addresses in `?missed`. These addresses in a new comment mention nobody. */
function noticeOfMissed(text: string): Notice | undefined {
  const missed = addressesOfNobody(text, null).join(', ');
  const reason = `they do not see this task or the comment names more than ${MOST_MENTIONED} people`;
  return missed === '' ? undefined : { tone: 'bad', lines: [say`Not told, because ${reason}: ${missed}`] };
}

function noticeOf({ id, status, action, errors = [] }: ShownExecution): Notice {
  const name = action?.name ?? '';
  if (status === 'Pending') return { tone: 'waiting', lines: [`${name} is under way`] };
  if (status === 'Success') return { tone: 'good', lines: [`${name}: done`] };
  return { tone: 'bad', lines: [`${name} failed`, ...errors], more: <WhyFailed execution={id} /> };
}
