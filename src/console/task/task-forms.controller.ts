import { Post } from '@nestjs/common';
import { ApprovalsService } from '../../approvals/approvals.service.js';
import { AttachmentsService } from '../../attachments/attachments.service.js';
import { ChecklistsService } from '../../checklists/checklists.service.js';
import { CommentsService } from '../../comments/comments.service.js';
import { type ShownExecution } from '../../executions/execution.dto.js';
import { ExecutionsService } from '../../executions/executions.service.js';
import { preconditionFailed, Refusal, type RefusalKind, RefusedExecution } from '../../common/errors.js';
import { InvalidFields } from '../../common/field-errors.js';
import { type Reply } from '../../common/reply.js';
import { LinksService } from '../../links/links.service.js';
import { Preferences } from '../../messages/inbox/preferences.js';
import { type Output } from '../../workflows/fields/field-type.js';
import { noPrecondition, stateOfTask } from '../../tasks/store/task-row.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { TaskWriter } from '../../tasks/write-task.js';
import { boardPath } from '../board/addresses.js';
import { Pages } from '../console-controller.js';
import { FormBody } from '../form-body.js';
import { changeOf, FORM_KEY, keyOfForm, statesIn } from '../form-fields.js';
import { seeOther } from '../page.js';
import { isUnchanged, type SentValues, sentText, sentValue } from '../parts/control.js';
import { LinksTaken } from '../../links/taken-links.js';
import { TAKE } from '../parts/linkable.js';
import { said } from '../parts/sayings.js';
import { actionOf } from '../../actions/action.js';
import { type Json } from '../../../packages/exact-json/json.js';
import { valuesGivenIn } from './asked-part.js';
import { shownValueOf } from './shown-value.js';
import { TaskReader } from './task-data.js';
import { undoableOf, undoingOf } from './undo.js';
import { CurrentPlace, keyOf, type TaskPagePlace, TaskPages } from './task-pages.js';
import {
  askedBy,
  type PlacedTask,
  placeOfTask,
  type RefusedDecision,
  type RefusedGiven,
} from './task-view.js';
import { ofField } from '../../common/message.js';

/** What the forms of a task's page do: each by a service of the API, whose refusals stand beside what was sent. */
@Pages('workflows/:workflow/tasks/:task')
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
    private readonly reader: TaskReader,
    private readonly approvals: ApprovalsService,
  ) {}

  /** Gives one key another value, unless somebody else has done so since the form was made. */
  @Post()
  async change(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const found = await this.pages.find(place);
    const property = found.scope.workflow.schema.byName.get(form.get('name') ?? '');
    const ask = property && askedBy(property, found.scope, found.task);
    if (!property || !ask) return seeOther(found.path);
    const page = `${found.path}#${placeOfTask(property)}`;
    const values = form.getAll('value');
    const was = form.get('was') ?? '';
    if (isUnchanged(ask, valueIn(was), values, place.reader)) return seeOther(page);
    const sent = sentValue(ask, values, place.reader);
    const isSame = was === JSON.stringify(shownValueOf(property, found));
    // What others have done to other keys is no conflict.
    const states = isSame ? [stateOfTask(found.task)] : statesIn(form);
    try {
      await this.writer.write(found.scope, changeOf(found.task, [property.name, sent], states));
    } catch (error) {
      const isConflict = error instanceof Refusal && error.kind === 'precondition-failed';
      if (isConflict)
        return this.pages.show(place, {
          status: 409,
          // What somebody else has entered meanwhile stands where the value does.
          entry: { name: property.name, sent, messages: [], isConflict },
        });
      return this.refused(place, error, { name: property.name, sent });
    }
    return seeOther(page);
  }

  /** Takes back the last change of the reader's own, by a second write that is judged as any other. */
  @Post('undo')
  async undo(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { reader } = place;
    return this.does(place, { name: 'undo', at: '#time-line' }, async ({ scope, task, name }) => {
      const history = await this.reader.latestHistory(scope, name);
      const event = undoableOf({ reader, history, task, scope });
      if (!event || event.id !== form.get('event')) throw preconditionFailed();
      const precondition = { ...noPrecondition, mustExist: true, states: [stateOfTask(task)] };
      const named = { publicId: task.publicId };
      await this.writer.write(scope, {
        verb: 'update',
        task: named,
        payload: undoingOf(event),
        precondition,
      });
    });
  }

  /** Begins an execution, and waits a moment for its end. */
  @Post('actions/:action')
  async act(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const actionId = place.said('action');
    const { scope } = await this.pages.find(place);
    const action = await actionOf(scope, actionId);
    const entered = valuesGivenIn(scope.workflow.schema, action?.asked ?? [], form, place.reader);
    const at = (begun: Pick<ShownExecution, 'id'>): string => `?execution=${begun.id}`;
    return this.does(place, { name: 'actions', given: { actionId, entered }, at }, ({ scope, task }) => {
      const { publicId } = task;
      const payload = new Map<string, Json>([['task_id', publicId], ['action_id', actionId]]); // prettier-ignore
      if (entered.size > 0) payload.set('fields', entered);
      const idempotencyKey = keyOfForm(form);
      const options = { idempotencyKey, isForm: true, waitMs: 1000, task: { publicId } };
      return this.executions.start(scope, payload, options);
    });
  }

  /** Deletes the task, unless it has changed since the page was made, and leads to the board. */
  @Post('delete')
  async delete(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { scope, name } = await this.pages.find(place);
    const precondition = { ...noPrecondition, states: statesIn(form) };
    try {
      await this.tasks.delete(scope, name, precondition);
    } catch (error) {
      return this.refused(place, error, { name: 'delete' });
    }
    return seeOther(boardPath(scope.workflow, new URLSearchParams()));
  }

  @Post('comments')
  async comment(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const body = sentText(form.get('body') ?? '');
    return this.does(place, { name: 'comment', sent: body, at: '#comments' }, ({ scope, name }) =>
      this.comments.add(scope, name, new Map([['body', body]]), keyOfForm(form)),
    );
  }

  /** Lets the reader watch the task, or hear of nothing but what is meant for them. */
  @Post('watch')
  async watch(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const state = form.get('state') === 'muted' ? 'muted' : 'on';
    return this.does(place, { name: 'watch', at: '#watch' }, (found) =>
      this.preferences.watch(keyOf(found), place.reader.user.id, state),
    );
  }

  @Post('checklist')
  async addItem(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.does(place, { name: 'checklist', at: '#checklist' }, ({ scope, name, task }) => {
      const stage = scope.workflow.schema.stages.get(task.stageId).name;
      const payload = new Map([['title', form.get('title') ?? ''], ['Stage', stage]]); // prettier-ignore
      return this.checklists.add(scope, name, payload, keyOfForm(form));
    });
  }

  @Post('checklist/:item')
  async changeItem(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.does(place, { name: 'checklist', at: '#checklist' }, ({ scope, name }) =>
      this.checklists.change(scope, name, place.said('item'), new Map([['status', form.get('status')]])),
    );
  }

  @Post('checklist/:item/remove')
  async removeItem(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    return this.does(place, { name: 'checklist', at: '#checklist' }, ({ scope, name }) =>
      this.checklists.remove(scope, name, place.said('item')),
    );
  }

  @Post('links/:relationship')
  async link(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const relationship = place.said('relationship');
    const other = form.get('chosen') ?? form.get('other') ?? '';
    return this.does(place, { name: relationship, sent: other }, ({ scope, name }) =>
      this.links.add(scope, { task: name, relationship }, other, noPrecondition, form.getAll(TAKE)),
    );
  }

  @Post('links/:relationship/remove')
  async unlink(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const relationship = place.said('relationship');
    return this.does(place, { name: relationship }, ({ scope, name }) =>
      this.links.remove(scope, { task: name, relationship }, form.get('other') ?? '', noPrecondition),
    );
  }

  @Post('files/:field')
  async upload(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const field = place.said('field');
    return this.does(place, { name: field }, ({ scope, name }) => {
      const key = place.query.get(FORM_KEY) ?? '';
      const idempotencyKey = /^[\w-]{1,64}$/.test(key) ? key : undefined;
      const options = { precondition: noPrecondition, idempotencyKey };
      return this.attachments.add(scope, { task: name, field }, options, place.request);
    });
  }

  @Post('files/:field/:blob/remove')
  async removeFile(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const field = place.said('field');
    return this.does(place, { name: field }, ({ scope, name }) =>
      this.attachments.remove(scope, { task: name, field }, place.said('blob'), noPrecondition),
    );
  }

  /** Approves, rejects or takes back, unless what is approved has changed since the page was made. */
  @Post('approvals')
  async decide(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const [action, id] = [form.get('action_id') ?? '', form.get('id') ?? ''];
    const comment = sentText(form.get('comment') ?? '').trim();
    const decision = decisions.find((one) => one === form.get('decision')) ?? 'approve';
    const seen = form.get('seen');
    const wanted = { actionId: action, groupId: id, decision, comment: comment || null, seen };
    return this.does(place, decisionSent({ action, id, comment }), ({ scope, name }) =>
      this.approvals.decide(scope, name, wanted, keyOfForm(form)),
    );
  }

  /** Sets the approvals of an action aside. */
  @Post('approvals/override')
  async override(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const action = form.get('action_id') ?? '';
    const reason = sentText(form.get('reason') ?? '');
    return this.does(place, decisionSent({ action, id: '', comment: reason }), ({ scope, name }) =>
      this.approvals.override(scope, name, { actionId: action, reason, seen: form.get('seen') }),
    );
  }

  /** Does what a form asks for, and leads back to the page, to where `at` says; `sent` is shown again where it is refused. */
  private async does<Done>(
    place: TaskPagePlace,
    { at = '', ...sent }: SentForm & { readonly at?: string | ((done: Done) => string) },
    work: (task: PlacedTask) => Promise<Done>,
  ): Promise<Reply> {
    const found = await this.pages.find(place);
    try {
      const done = await work(found);
      return seeOther(found.path + (typeof at === 'string' ? at : at(done)));
    } catch (error) {
      return this.refused(place, error, sent);
    }
  }

  /** The page again, with what is wrong beside what was sent. */
  private async refused(
    place: TaskPagePlace,
    error: unknown,
    { name, sent, given, decision }: SentForm,
  ): Promise<Reply> {
    if (error instanceof RefusedExecution)
      return this.pages.show(place, {
        status: 422,
        notice: { tone: 'bad', lines: error.errors.map(said) },
      });
    if (error instanceof InvalidFields && given) {
      const refusedGiven = { entered: given.entered, messages: new Map(error.fields) };
      return this.pages.show(place, { status: 422, confirm: given.actionId, refusedGiven });
    }
    if (error instanceof InvalidFields && decision) {
      const messages = error.fields.flatMap(([, texts]) => texts);
      return this.pages.show(place, { status: 422, refusedDecision: { ...decision, messages } });
    }
    if (error instanceof InvalidFields) {
      const messages = error.fields.flatMap(([field, texts]) =>
        texts.map((text) => (field === name || field === 'base' ? text : ofField(field, text))),
      );
      const takesFrom = error instanceof LinksTaken ? error.holders[0] : undefined;
      const entry = { name, sent, messages, takesFrom };
      return this.pages.show(place, { status: 422, entry });
    }
    if (error instanceof Refusal && error.kind === 'precondition-failed') {
      const text = decision
        ? 'The task has changed since you opened it. Check it, then decide.'
        : 'The task has changed since you opened it. Check it, then try again.';
      const refusedDecision = decision && { ...decision, messages: [] };
      const notice = { tone: 'waiting', lines: [{ text }] } as const;
      return this.pages.show(place, { status: 409, notice, refusedDecision });
    }
    if (decision || !(error instanceof Refusal) || !ofTask.has(error.kind)) throw error;
    return this.pages.show(place, { status: 422, entry: { name, sent, messages: [error.said] } });
  }
}

/** Refusals that are shown beside what was sent; all others are pages of their own. */
const ofTask: ReadonlySet<RefusalKind> = new Set(['not-found', 'conflict', 'too-large']);

/** What a form has sent, by the name under which the page shows it. */
interface SentForm {
  readonly name: string;
  readonly sent?: SentValues;
  /** Where it is one about what an action does. */
  readonly decision?: DecisionSent;
  /** What was given to an action. */
  readonly given?: { readonly actionId: string; readonly entered: RefusedGiven['entered'] };
}

type DecisionSent = Omit<RefusedDecision, 'messages'>;

const decisionSent = (decision: DecisionSent) => ({ name: 'approvals', at: '#approvals', decision });

const decisions = ['approve', 'reject', 'withdraw'] as const;

/** The value that a form was made of; blank where the text is none. */
function valueIn(text: string): Output {
  try {
    return JSON.parse(text) as Output;
  } catch {
    return null;
  }
}
