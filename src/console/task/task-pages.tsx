import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { type ShownExecution } from '../../executions/execution.dto.js';
import { type Reply } from '../../common/reply.js';
import { pauses } from '../../../packages/fair/turn.js';
import { Inboxes } from '../../messages/inbox/inboxes.js';
import { Preferences } from '../../messages/inbox/preferences.js';
import { type TaskKey } from '../../tasks/store/task-keys.js';
import { type Scope } from '../../workflows/model/scope.js';
import { nameOf } from '../../workflows/model/task-name.js';
import { askedIn, type AskedOfPages, Entrances } from '../console-controller.js';
import { pageReply } from '../page.js';
import { format } from '../parts/markdown.js';
import { goodNotice } from '../parts/notices.js';
import { said } from '../parts/sayings.js';
import { writeValue } from '../parts/value.js';
import { namesOfMentions } from '../parts/mention.js';
import { type SignedIn } from '../reader.js';
import { mayEdit } from '../../workflows/model/allowed.js';
import { taskPath } from '../task-shown.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { type TaskData, TaskReader } from './task-data.js';
import { TaskPage } from './task-page.js';
import {
  longTextsOf,
  type PlacedTask,
  type ShownActivity,
  type TaskNotice,
  type ShownForm,
  type TaskPageView,
} from './task-view.js';

export interface TaskPagePlace extends AskedOfPages {
  readonly slug: string;
  readonly publicId: string;
}

export const CurrentPlace = createParamDecorator((_: unknown, context: ExecutionContext): TaskPagePlace => {
  const asked = askedIn(context);
  return { ...asked, slug: asked.said('workflow'), publicId: asked.said('task') };
});

@Injectable()
export class TaskPages {
  constructor(
    private readonly entrances: Entrances,
    private readonly reader: TaskReader,
    private readonly tasks: TasksService,
    private readonly inboxes: Inboxes,
    private readonly preferences: Preferences,
  ) {}

  /** The page for its address: `edit` names the key to edit, and `execution` a new one. */
  async show(
    place: TaskPagePlace,
    { status = 200, ...shown }: ShownForm & { readonly status?: number } = {},
  ): Promise<Reply> {
    const { query } = place;
    const reader = await this.open(place);
    const data = await this.reader.read(
      await this.enter(place),
      place.publicId,
      ({ view }, value) => view && writeValue(reader, view.show, value),
    );
    const execution =
      data.executions.find(({ id }) => id === query.get('execution')) ?? pending(data.executions);
    const { scope, task } = data;
    const { permissions, id } = scope.workflow;
    const view: TaskPageView = {
      ...data,
      reader,
      path: taskPath(scope.workflow, task),
      isEditable: mayEdit(scope, task),
      mayOverride: permissions.rolesOf(reader.user.id, id).some(({ isAdmin }) => isAdmin),
      formatted: await format(
        longTextsOf(data),
        pauses(data.scope),
        namesOfMentions(reader, data.comments.mentions),
      ),
      watch: await this.preferences.watchState(keyOf(data), reader.user.id),
      edit: query.get('edit') ?? undefined,
      notice: execution && noticeOf(execution),
      ...shown,
      shows: activities.find((each) => each === query.get('show')) ?? 'all',
    };
    return pageReply(<TaskPage view={view} />, { status });
  }

  /** Showing the page marks its notifications as read, but a browser that only prefetches the page marks none. */
  private async open({ reader, request, slug, publicId }: TaskPagePlace): Promise<SignedIn> {
    const workflow = reader.workflows.find((one) => one.slug === slug);
    const isAhead = [request.headers['sec-purpose'], request.headers['x-sec-purpose']].some((purpose) =>
      String(purpose).startsWith('prefetch'),
    );
    if (!workflow || isAhead) return reader;
    const owner = { workspace: reader.workspace, userId: reader.user.id };
    const isRead = await this.inboxes.readTask(owner, { workflowId: workflow.id, publicId });
    if (!isRead) return reader;
    request.reader = { ...reader, inbox: await this.inboxes.state(owner) };
    return request.reader;
  }

  async find(place: TaskPagePlace): Promise<PlacedTask> {
    const scope = await this.enter(place);
    const task = await this.tasks.find(scope, place.publicId);
    return { scope, task, name: nameOf(task), path: taskPath(scope.workflow, task) };
  }

  async enter({ reader, request, slug }: TaskPagePlace): Promise<Scope> {
    return this.entrances.enter(reader, request, slug);
  }
}

const activities: readonly ShownActivity[] = ['comments', 'changes'];

export const keyOf = ({ scope, task }: Pick<TaskData, 'scope' | 'task'>): TaskKey => ({
  workspaceId: scope.workspaceId,
  workflowId: scope.workflow.id,
  taskId: task.id,
});

const pending = (executions: readonly ShownExecution[]): ShownExecution | undefined =>
  executions.find(({ status }) => status === 'Pending');

function noticeOf({ id, status, action, errors = [] }: ShownExecution): TaskNotice {
  const name = action?.name ?? '';
  if (status === 'Pending') return { tone: 'waiting', lines: [{ text: `${name} is under way` }] };
  if (status === 'Success') return goodNotice(`${name}: done`);
  const lines = [{ text: `${name} failed` }, ...errors.map(said)];
  return { tone: 'bad', lines, execution: id };
}
