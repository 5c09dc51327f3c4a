import { Post } from '@nestjs/common';
import { wantedDecisions } from '../../approvals/approval.dto.js';
import { ApprovalsService } from '../../approvals/approvals.service.js';
import { AttachmentsService } from '../../attachments/attachments.service.js';
import { ChecklistsService } from '../../checklists/checklists.service.js';
import { type Comment } from '../../comments/comment.dto.js';
import { CommentsService } from '../../comments/comments.service.js';
import { ExecutionsService } from '../../executions/executions.service.js';
import { notFound, Refusal, RefusedExecution } from '../../common/errors.js';
import { invalidField } from '../../common/field-errors.js';
import { say } from '../../common/message.js';
import { type Reply } from '../../common/reply.js';
import { LinksService } from '../../links/links.service.js';
import { Preferences } from '../../messages/inbox/preferences.js';
import { type Output } from '../../workflows/fields/field-type.js';
import { noPrecondition, stateOfTask } from '../../tasks/store/task-row.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { TaskWriter } from '../../tasks/write-task.js';
import { boardPath, changedPath } from '../board/addresses.js';
import { WorkflowPages } from '../console-controller.js';
import { FormBody, changeOf, FORM_KEY, keyOfForm, requireOwnForm, statesIn } from '../form-body.js';
import { seeOther } from '../page.js';
import { isUnchanged, type SentValues, sentText, sentValue } from '../parts/control.js';
import {
  faultsOfForm,
  type NamedControl,
  type Notice,
  refusedForm,
  refusalOf,
  sentIn,
} from '../parts/notices.js';
import { labelOf } from '../task-shown.js';
import { actionOf } from '../../actions/action.js';
import { type Json } from '../../../packages/exact-json/json.js';
import { decisionComment } from './approvals-part.js';
import { valuesGivenIn } from './asked-part.js';
import { keyOf } from './task-data.js';
import { AboutTask, TaskPages, type TaskRequest } from './task-pages.js';
import { askedBy, placeOfTask, type ShownForm, shownValueOf, stageOf } from './task-view.js';

@WorkflowPages('workflows/:workflow/tasks/:task')
export class TaskFormsController {
  constructor(
    private readonly pages: TaskPages,
    private readonly tasks: TasksService,
    private readonly writer: TaskWriter,
    private readonly executions: ExecutionsService,
    private readonly comments: CommentsService,
    private readonly checklists: ChecklistsService,
    private readonly links: LinksService,
    private readonly attachments: AttachmentsService,
    private readonly preferences: Preferences,
    private readonly approvals: ApprovalsService,
  ) {}

  /** Sets one property of the task, unless its value has changed since the form was rendered. */
  @Post()
  async change(@AboutTask() request: TaskRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { scope, task, reader } = request;
    const name = form.get('name') ?? '';
    const property = scope.workflow.schema.byName.get(name);
    const ask = property && askedBy(property, scope, task);
    if (!property || !ask) {
      const fault = invalidField('base', say`${name} cannot be changed here any more.`);
      return this.pages.show(request, refusedPage(fault, {}));
    }
    const values = form.getAll('value');
    const was = form.get('was') ?? '';
    const sent = sentValue(ask, values, reader);
    // If only other properties have changed since the form was rendered, there is no conflict.
    const isSame = was === JSON.stringify(shownValueOf(property, request));
    const states = isSame ? [stateOfTask(task)] : statesIn(form);
    const of = { ...ofKey(request, property.name, sent), at: `#${placeOfTask(property)}` };
    return this.does(request, of, async () => {
      if (!isUnchanged(ask, valueIn(was), values, reader))
        await this.writer.write(scope, changeOf(task, new Map([[property.name, sent]]), states));
    });
  }

  @Post('actions/:action')
  async act(@AboutTask() request: TaskRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { scope, task, reader, path } = request;
    const actionId = request.said('action');
    const action = await actionOf(scope, actionId);
    const controls = action ? valuesGivenIn(scope.workflow.schema, action, form, reader) : [];
    const entered = new Map<string, Json>(controls.map(({ name, sent }) => [name, sent]));
    const payload = new Map<string, Json>([['task_id', task.publicId], ['action_id', actionId]]); // prettier-ignore
    if (entered.size > 0) payload.set('fields', entered);
    const named = { publicId: task.publicId };
    const options = { idempotencyKey: keyOfForm(form), isForm: true, waitMs: 1000, task: named };
    return this.does(
      request,
      { controls, confirm: actionId },
      () => this.executions.start(scope, payload, options),
      ({ id }) => `${path}?execution=${id}`,
    );
  }

  /** Deletes the task, unless it has changed since the page was rendered, and redirects to the board. */
  @Post('delete')
  async delete(@AboutTask() request: TaskRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { scope, name } = request;
    const board = boardPath(scope.workflow, new URLSearchParams());
    const precondition = { ...noPrecondition, states: statesIn(form) };
    return this.does(
      request,
      {},
      () => this.tasks.delete(scope, name, precondition),
      () => board,
    );
  }

  @Post('comments')
  async comment(@AboutTask() request: TaskRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const body = sentText(form.get('body') ?? '');
    const controls = [{ id: 'comment', label: 'Comment', name: 'body', sent: body }];
    // With `missed`, a notice stands at the top of the page, so the page must not scroll to the comments.
    const pathTo = ({ not_mentioned: missed }: Comment): string =>
      request.path +
      (missed ? `?missed=${encodeURIComponent(`@${missed.slice(0, 10).join(' @')}`)}` : '#comments');
    return this.does(
      request,
      { controls },
      () => this.comments.add(request.scope, request.name, new Map([['body', body]]), keyOfForm(form)),
      pathTo,
    );
  }

  /** Makes the reader watch the task, or mutes the task for the reader. */
  @Post('watch')
  async watch(@AboutTask() request: TaskRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { scope, task, reader } = request;
    const state = (['on', 'muted'] as const).find((each) => each === form.get('state'));
    if (!state) throw notFound();
    return this.does(request, { at: '#watch' }, () =>
      this.preferences.watch(keyOf(scope, task), reader.user.id, state),
    );
  }

  @Post('checklist')
  async addItem(@AboutTask() request: TaskRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const payload = new Map([['title', form.get('title') ?? ''], ['Stage', stageOf(request).name]]); // prettier-ignore
    return this.does(request, ofChecklist, () =>
      this.checklists.add(request.scope, request.name, payload, keyOfForm(form)),
    );
  }

  @Post('checklist/:item')
  async changeItem(@AboutTask() request: TaskRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { scope, name, said } = request;
    const payload = new Map([['status', form.get('status')]]);
    return this.does(request, ofChecklist, () => this.checklists.change(scope, name, said('item'), payload));
  }

  @Post('checklist/:item/remove')
  async removeItem(@AboutTask() request: TaskRequest, @FormBody() _: URLSearchParams): Promise<Reply> {
    const { scope, name, said } = request;
    return this.does(request, ofChecklist, () => this.checklists.remove(scope, name, said('item')));
  }

  @Post('links/:relationship')
  async link(@AboutTask() request: TaskRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { scope, name: task, said } = request;
    const relationship = said('relationship');
    const other = form.get('chosen') ?? form.get('other') ?? '';
    return this.does(request, ofKey(request, relationship), () =>
      this.links.add(scope, { task, relationship }, other, noPrecondition, true),
    );
  }

  @Post('links/:relationship/remove')
  async unlink(@AboutTask() request: TaskRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { scope, name: task, said } = request;
    const relationship = said('relationship');
    return this.does(request, ofKey(request, relationship), () =>
      this.links.remove(scope, { task, relationship }, form.get('other') ?? '', noPrecondition),
    );
  }

  @Post('files/:field')
  async upload(@AboutTask() request: TaskRequest): Promise<Reply> {
    const { scope, name: task, query, said } = request;
    const field = said('field');
    // The body is streamed. So the user's id, which `requireOwnForm` checks, is in the URL.
    requireOwnForm(request.request, query);
    const [idempotencyKey] = /^[\w-]{1,64}$/.exec(query.get(FORM_KEY) ?? '') ?? [];
    const options = { precondition: noPrecondition, idempotencyKey };
    return this.does(request, ofKey(request, field), () =>
      this.attachments.add(scope, { task, field }, options, request.request),
    );
  }

  @Post('files/:field/:blob/remove')
  async removeFile(@AboutTask() request: TaskRequest, @FormBody() _: URLSearchParams): Promise<Reply> {
    const { scope, name: task, said } = request;
    const field = said('field');
    return this.does(request, ofKey(request, field), () =>
      this.attachments.remove(scope, { task, field }, said('blob'), noPrecondition),
    );
  }

  /**
   * Stores or withdraws the reader's decision. Refuses a new decision if a value that the approval covers has
   * changed since the page was rendered.
   */
  @Post('approvals')
  async decide(@AboutTask() request: TaskRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const [actionId, groupId] = [form.get('action_id') ?? '', form.get('id') ?? ''];
    const comment = sentText(form.get('comment') ?? '').trim();
    const decision = wantedDecisions.find((one) => one === form.get('decision'));
    const control = { ...decisionComment(actionId, groupId), sent: comment };
    return this.does(request, { at: '#approvals', controls: [control] }, async () => {
      if (!decision)
        throw invalidField('base', say`The decision is not one of: ${wantedDecisions.join(', ')}`);
      const wanted = { actionId, groupId, decision, comment: comment || null, seen: form.get('seen') };
      return this.approvals.decide(request.scope, request.name, wanted, keyOfForm(form));
    });
  }

  /** Runs `work` and redirects to `next`, by default to the task's page. Shows a refused form again. */
  private async does<Done>(
    request: TaskRequest,
    form: SentForm,
    work: () => Promise<Done>,
    next = (_: Done): string => request.path + (form.at ?? ''),
  ): Promise<Reply> {
    const { scope, task, path: taskPath } = request;
    try {
      const path = next(await work());
      // The change may have taken the task out of the reader's sight.
      const isSeen = !path.startsWith(taskPath) || (await this.tasks.findNamed(scope, task)) !== undefined;
      return seeOther(isSeen ? path : changedPath(scope.workflow, new URLSearchParams(), task.publicId));
    } catch (error) {
      return this.pages.show(request, refusedPage(error, form));
    }
  }
}

/** The page with the faults beside the sent values. Rethrows errors that have pages of their own. */
function refusedPage(error: unknown, { controls = [], edit, confirm }: SentForm): ShownForm {
  if (error instanceof RefusedExecution) return { status: 422, notice: refusalOf(error.errors) };
  if (error instanceof Refusal && error.kind === 'precondition-failed') {
    const lines = ['The task has changed since you opened it. Check it, then try again.'];
    // The editor keeps the sent value, and shows the value that somebody else has entered meanwhile.
    const faults = edit === undefined ? [] : controls.map((control) => ({ ...control, messages: [] }));
    const notice: Notice = { tone: 'bad', lines, faults, sent: sentIn(controls) };
    return { status: 409, edit, isConflict: true, notice };
  }
  const fields = faultsOfForm(error, ['not-found', 'conflict', 'too-large'], controls[0]?.name);
  return { status: 422, edit, confirm, notice: refusedForm(controls, fields) };
}

/** A form that was sent. After a refusal, its values stay on the page. */
interface SentForm {
  readonly controls?: readonly NamedControl[];
  /** The fragment of the URL to which the response redirects, such as `#watch`. */
  readonly at?: string;
  /** After a refusal, the page opens the editor of property `edit`, or the dialog of action `confirm`. */
  readonly edit?: string;
  readonly confirm?: string;
}

/**
 * The form of one property. A refusal shows the faults at the control of the property. A button that removes
 * a value has no control of its own.
 */
function ofKey({ scope }: TaskRequest, name: string, sent?: SentValues) {
  const property = scope.workflow.schema.byName.get(name);
  if (!property) return { controls: [] };
  const part = property.files ? 'file' : property.links ? 'id' : 'value';
  const control = { id: `${placeOfTask(property)}-${part}`, label: labelOf(name), name, sent };
  return { edit: name, controls: [control] };
}

const ofChecklist = {
  at: '#checklist',
  controls: [{ id: 'checklist-add', label: 'Checklist', name: 'title' }],
};

/** The value that the form showed when it was rendered; null if the text is not JSON. */
function valueIn(text: string): Output {
  try {
    return JSON.parse(text) as Output;
  } catch {
    return null;
  }
}
