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
import { FormBody, changeOf, FORM_KEY, keyOfForm, statesIn } from '../form-body.js';
import { seeOther } from '../page.js';
import { isUnchanged, type SentValues, sentText, sentValue } from '../parts/control.js';
import { LinksTaken } from '../../tasks/links/plan-links.js';
import { TAKE } from '../parts/linkable.js';
import { formNotice, refusedForm, refusalOf, sentIn, type ValueControl } from '../parts/notices.js';
import { said } from '../parts/sayings.js';
import { labelOf } from '../task-shown.js';
import { actionOf } from '../../actions/action.js';
import { type Json } from '../../../packages/exact-json/json.js';
import { decisionComment, overrideReason } from './approvals-part.js';
import { valuesGivenIn } from './asked-part.js';
import { TaskReader } from './task-data.js';
import { undoableOf, undoingOf } from './time-line.js';
import { CurrentPlace, keyOf, type TaskPagePlace, TaskPages } from './task-pages.js';
import { askedBy, type PlacedTask, placeOfTask, shownValueOf } from './task-view.js';

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

  /** Sets one key, unless somebody else has changed it since the form was made. */
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
    // If others have changed other keys, that is no conflict.
    const states = isSame ? [stateOfTask(found.task)] : statesIn(form);
    try {
      await this.writer.write(found.scope, changeOf(found.task, [property.name, sent], states));
    } catch (error) {
      const form = ofKey(property.name, sent)(found);
      if (!(error instanceof Refusal) || error.kind !== 'precondition-failed')
        return this.refused(place, error, form);
      // What somebody else has entered in the meantime is shown in place of the old value.
      const faults = (form.controls ?? []).map((control) => ({ ...control, messages: [] }));
      const notice = { ...formNotice(faults, [hasChanged]), faults };
      return this.pages.show(place, { status: 409, edit: property.name, isConflict: true, notice });
    }
    return seeOther(page);
  }

  /** Undoes the reader's last change by another write, which is checked like any other. */
  @Post('undo')
  async undo(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { reader } = place;
    return this.does(place, { at: '#time-line' }, async ({ scope, task, name }) => {
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

  @Post('actions/:action')
  async act(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const actionId = place.said('action');
    const { scope } = await this.pages.find(place);
    const action = await actionOf(scope, actionId);
    const controls = action ? valuesGivenIn(scope.workflow.schema, action, form, place.reader) : [];
    const entered = new Map<string, Json>(controls.map(({ name, sent }) => [name, sent]));
    const at = (begun: Pick<ShownExecution, 'id'>): string => `?execution=${begun.id}`;
    return this.does(place, { controls, confirm: actionId, at }, ({ scope, task }) => {
      const { publicId } = task;
      const payload = new Map<string, Json>([['task_id', publicId], ['action_id', actionId]]); // prettier-ignore
      if (entered.size > 0) payload.set('fields', entered);
      const idempotencyKey = keyOfForm(form);
      const options = { idempotencyKey, isForm: true, waitMs: 1000, task: { publicId } };
      return this.executions.start(scope, payload, options);
    });
  }

  /** Deletes the task, unless it has changed since the page was made, and redirects to the board. */
  @Post('delete')
  async delete(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { scope, name } = await this.pages.find(place);
    const precondition = { ...noPrecondition, states: statesIn(form) };
    try {
      await this.tasks.delete(scope, name, precondition);
    } catch (error) {
      return this.refused(place, error, {});
    }
    return seeOther(boardPath(scope.workflow, new URLSearchParams()));
  }

  @Post('comments')
  async comment(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const body = sentText(form.get('body') ?? '');
    const controls = [{ id: 'comment', label: 'Comment', name: 'body', sent: body }];
    return this.does(place, { controls, at: '#comments' }, ({ scope, name }) =>
      this.comments.add(scope, name, new Map([['body', body]]), keyOfForm(form)),
    );
  }

  /** Makes the reader watch the task, or turns off all notifications about it except those meant for them. */
  @Post('watch')
  async watch(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const state = form.get('state') === 'muted' ? 'muted' : 'on';
    return this.does(place, { at: '#watch' }, (found) =>
      this.preferences.watch(keyOf(found), place.reader.user.id, state),
    );
  }

  @Post('checklist')
  async addItem(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.does(place, ofChecklist, ({ scope, name, task }) => {
      const stage = scope.workflow.schema.stages.get(task.stageId).name;
      const payload = new Map([['title', form.get('title') ?? ''], ['Stage', stage]]); // prettier-ignore
      return this.checklists.add(scope, name, payload, keyOfForm(form));
    });
  }

  @Post('checklist/:item')
  async changeItem(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.does(place, ofChecklist, ({ scope, name }) =>
      this.checklists.change(scope, name, place.said('item'), new Map([['status', form.get('status')]])),
    );
  }

  @Post('checklist/:item/remove')
  async removeItem(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    return this.does(place, ofChecklist, ({ scope, name }) =>
      this.checklists.remove(scope, name, place.said('item')),
    );
  }

  @Post('links/:relationship')
  async link(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const relationship = place.said('relationship');
    const other = form.get('chosen') ?? form.get('other') ?? '';
    return this.does(place, ofKey(relationship, other), ({ scope, name }) =>
      this.links.add(scope, { task: name, relationship }, other, noPrecondition, form.getAll(TAKE)),
    );
  }

  @Post('links/:relationship/remove')
  async unlink(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const relationship = place.said('relationship');
    return this.does(place, ofKey(relationship), ({ scope, name }) =>
      this.links.remove(scope, { task: name, relationship }, form.get('other') ?? '', noPrecondition),
    );
  }

  @Post('files/:field')
  async upload(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const field = place.said('field');
    return this.does(place, ofKey(field), ({ scope, name }) => {
      const key = place.query.get(FORM_KEY) ?? '';
      const idempotencyKey = /^[\w-]{1,64}$/.test(key) ? key : undefined;
      const options = { precondition: noPrecondition, idempotencyKey };
      return this.attachments.add(scope, { task: name, field }, options, place.request);
    });
  }

  @Post('files/:field/:blob/remove')
  async removeFile(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const field = place.said('field');
    return this.does(place, ofKey(field), ({ scope, name }) =>
      this.attachments.remove(scope, { task: name, field }, place.said('blob'), noPrecondition),
    );
  }

  /** Approves, rejects or withdraws, unless the covered parts have changed since the page was made. */
  @Post('approvals')
  async decide(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const [action, id] = [form.get('action_id') ?? '', form.get('id') ?? ''];
    const comment = sentText(form.get('comment') ?? '').trim();
    const decision = decisions.find((one) => one === form.get('decision')) ?? 'approve';
    const seen = form.get('seen');
    const wanted = { actionId: action, groupId: id, decision, comment: comment || null, seen };
    return this.does(
      place,
      decisionIn({ ...decisionComment(action, id), name: 'comment', sent: comment }),
      ({ scope, name }) => this.approvals.decide(scope, name, wanted, keyOfForm(form)),
    );
  }

  @Post('approvals/override')
  async override(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const action = form.get('action_id') ?? '';
    const reason = sentText(form.get('reason') ?? '');
    return this.does(
      place,
      decisionIn({ ...overrideReason(action), name: 'reason', sent: reason }),
      ({ scope, name }) =>
        this.approvals.override(scope, name, { actionId: action, reason, seen: form.get('seen') }),
    );
  }

  /** Redirects to the place `at` on the page. A refused form is shown again with the sent values. */
  private async does<Done>(
    place: TaskPagePlace,
    of: SentForm<Done> | ((task: PlacedTask) => SentForm<Done>),
    work: (task: PlacedTask) => Promise<Done>,
  ): Promise<Reply> {
    const found = await this.pages.find(place);
    const form = typeof of === 'function' ? of(found) : of;
    try {
      const done = await work(found);
      const { at = '' } = form;
      return seeOther(found.path + (typeof at === 'string' ? at : at(done)));
    } catch (error) {
      return this.refused(place, error, form);
    }
  }

  /** The page again, with the faults beside the sent values. */
  private async refused(
    place: TaskPagePlace,
    error: unknown,
    { controls = [], edit, confirm, isDecision = false }: SentForm<never>,
  ): Promise<Reply> {
    if (error instanceof RefusedExecution)
      return this.pages.show(place, { status: 422, notice: refusalOf(error.errors.map(said)) });
    if (error instanceof Refusal && error.kind === 'precondition-failed') {
      const lines = [isDecision ? hasChangedForDecision : hasChanged];
      return this.pages.show(place, {
        status: 409,
        notice: { tone: 'waiting', lines, sent: sentIn(controls) },
      });
    }
    const takesFrom = error instanceof LinksTaken ? error.holders[0] : undefined;
    const [first] = controls;
    const fields =
      !isDecision && isOfTask(error) ? [[first?.name ?? 'base', [error.said]] as const] : fieldsOf(error);
    const notice = refusedForm(controls, fields);
    return this.pages.show(place, { status: 422, edit, confirm, takesFrom, notice });
  }
}

/** Refusals that are shown beside the sent values; all others are pages of their own. */
const ofTask: ReadonlySet<RefusalKind> = new Set(['not-found', 'conflict', 'too-large']);

const isOfTask = (error: unknown): error is Refusal => error instanceof Refusal && ofTask.has(error.kind);

/** The faults of a form by the names of its values; throws other errors on. */
function fieldsOf(error: unknown): InvalidFields['fields'] {
  if (error instanceof InvalidFields) return error.fields;
  throw error;
}

/** A form that was sent. If it is refused, its values stay on the page. */
interface SentForm<Done> {
  readonly controls?: readonly ValueControl[];
  /** The place on the page that the browser goes to afterwards. */
  readonly at?: string | ((done: Done) => string);
  /** The editor or dialog to open again: the key that was edited, or the action to confirm. */
  readonly edit?: string;
  readonly confirm?: string;
  /** Whether it is a decision about an action. */
  readonly isDecision?: boolean;
}

/** The form of one key. Faults of a button without a control are shown at the key's own control. */
const ofKey =
  (name: string, sent?: SentValues) =>
  ({ scope }: PlacedTask): SentForm<unknown> => {
    const property = scope.workflow.schema.byName.get(name);
    if (!property) return {};
    const part = property.files ? 'file' : property.links ? 'id' : 'value';
    const control = { id: `${placeOfTask(property)}-${part}`, label: labelOf(name), name, sent };
    return { edit: name, controls: [control] };
  };

const ofChecklist = {
  at: '#checklist',
  controls: [{ id: 'checklist-add', label: 'Checklist', name: 'title' }],
};

const decisionIn = (control: ValueControl) => ({ isDecision: true, at: '#approvals', controls: [control] });

const hasChanged = { text: 'The task has changed since you opened it. Check it, then try again.' };
const hasChangedForDecision = { text: 'The task has changed since you opened it. Check it, then decide.' };

const decisions = ['approve', 'reject', 'withdraw'] as const;

/** The value that the form was made from; blank if the text is invalid. */
function valueIn(text: string): Output {
  try {
    return JSON.parse(text) as Output;
  } catch {
    return null;
  }
}
