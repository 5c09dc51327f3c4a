import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { type Deadline } from '../../../packages/fair/deadline.js';
import { pauses } from '../../../packages/fair/turn.js';
import { type Json, type JsonObject, toJson, writeJson } from '../../../packages/exact-json/json.js';
import { Attempts } from '../../access/attempts.js';
import {
  type FormAnswers,
  type OutsideForm,
  readAnswers,
  type SentPost,
} from '../../actions/asks/form-answers.js';
import { idempotentRequest, once } from '../../common/http/idempotency.js';
import { notFound, Refusal } from '../../common/errors.js';
import { invalidField } from '../../common/field-errors.js';
import { Doorbell } from '../../common/ops/doorbell.js';
import { Origin } from '../../common/origin.js';
import { taskUrlOf, urlOfTask } from '../../common/public-address.js';
import { randomText } from '../../common/random-id.js';
import { CONFIG, type Config } from '../../config.js';
import { enterMessages, messageJob } from '../../messages/messages.repository.js';
import { mailUrlOf } from '../../common/outbox.js';
import { noPrecondition } from '../../tasks/store/task-row.js';
import { TaskWriter } from '../../tasks/write-task.js';
import { type ExtraChanges } from '../../tasks/write.js';
import { parseTask } from '../../workflows/fields/parse-task.js';
import { validateCreation } from '../../workflows/fields/validate-task.js';
import { Scope } from '../../workflows/model/scope.js';
import { findWorkflow, type Workflow } from '../../workflows/model/workspace.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { specOf } from '../shown/kinds.service.js';
import { type FormDefinition, isOpenOn, todayOf } from './form-definition.js';
import { QuarantinedPostEntity } from './form.entity.js';
import { forms } from './forms.kind.js';
import {
  countCreated,
  formOfToken,
  mayCreateMore,
  placeOf,
  quarantine,
  quarantinedPosts,
} from './forms.repository.js';
import { isTooOld, markFor, newReference, openMark, withRandom } from './reference.js';
import { type ShownPost } from './shown-forms.js';

interface OpenForm {
  readonly workflow: Workflow;
  readonly form: FormDefinition;
}

/** A task to be created by a form. */
interface Submission extends OpenForm {
  readonly payload: JsonObject;
  readonly reference: string;
  readonly deadline: Deadline | undefined;
}

/** The shortest time in which a person fills in a form. */
const SOONEST_MS = 3000;

@Injectable()
export class FormsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly writer: TaskWriter,
    private readonly attempts: Attempts,
    private readonly doorbell: Doorbell,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Finds the form of a token. Throws 404 if there is none, or if the form is closed. */
  async find(token: string): Promise<OutsideForm> {
    const place = await formOfToken(this.dataSource.manager, token);
    const workspace = place && (await this.workspaces.get(place.workspaceId));
    const workflow = workspace && findWorkflow(workspace, place.workflowId);
    const form = workflow && forms.in(workflow).find(({ id }) => id === place.formId);
    if (!form || !isOpenOn(form, todayOf(workflow))) throw notFound();
    return {
      ...form,
      workflow,
      mark: (sent) => markFor(workflow, form.id, sent),
      send: (post) => this.send({ workflow, form }, post),
    };
  }

  /** Creates the task of a post, or quarantines a post that a robot probably sent. Returns the reference. */
  private async send(found: OpenForm, post: SentPost): Promise<string> {
    const { workflow, form } = found;
    const mark = openMark(workflow, form.id, post.mark);
    const isTooSoon = !mark || Date.now() - mark.madeAt < SOONEST_MS;
    const reference = mark?.reference ?? newReference();
    if (post.trap !== '' || isTooSoon) {
      const kept = { reference, ...setAside(post) };
      await quarantine(this.dataSource.manager, placeOf(workflow, form.id), kept);
    } else if (isTooOld(mark))
      throw invalidField('base', 'The page was open for more than a day. Please send the form again');
    else await this.create(await submissionOf(found, post, reference, post.deadline));
    return shownReference(found, reference);
  }

  /** Creates the task of a quarantined post, but only once. Checks the post by the present definition. */
  async accept(scope: Scope, formId: string, postId: string, idempotencyKey?: string): Promise<void> {
    const { workflow, deadline } = scope;
    const form = specOf(scope, forms, formId);
    const at = { ...placeOf(workflow, formId), id: postId };
    const route = { route: 'forms/quarantine/accept', path: [formId, postId], body: new Map() };
    const request = idempotentRequest(scope, idempotencyKey, route);
    if (request) await this.dataSource.transaction((tx) => once(tx, request, () => Promise.resolve({})));
    const post = await this.dataSource.manager.findOneBy(QuarantinedPostEntity, at);
    if (!post) throw notFound();
    if (post.acceptedAt !== null) return;
    const submission = await submissionOf({ workflow, form }, readAside(post), post.reference, deadline);
    await this.write(submission, {
      request: postId,
      async write(tx) {
        const accepted = { acceptedAt: () => 'service_now()', payload: '{}', files: null };
        const waiting = { ...at, acceptedAt: IsNull() };
        const { affected } = await tx.update(QuarantinedPostEntity, waiting, accepted);
        if (affected !== 1) throw notFound();
      },
    });
  }

  /** Returns the newest posts that wait in a form's quarantine. Of files, returns only the names. */
  async quarantined(scope: Scope, formId: string): Promise<ShownPost[]> {
    const { workflow } = scope;
    const form = specOf(scope, forms, formId);
    const posts = await quarantinedPosts(this.dataSource.manager, placeOf(workflow, formId));
    return posts.map(({ id, reference, payload, receivedAt }) => ({
      id,
      reference: shownReference({ workflow, form }, reference),
      received_at: receivedAt.toISOString(),
      values: JSON.parse(payload) as object,
    }));
  }

  private async create(submission: Submission): Promise<void> {
    const { form, workflow } = submission;
    const [place, today] = [placeOf(workflow, form.id), todayOf(workflow)];
    if (!(await mayCreateMore(this.dataSource.manager, place, today, form.per_day))) throw full();
    let taskId: string | undefined;
    const publicId = await this.write(submission, {
      request: null,
      async write(tx, _scope, id) {
        if (!(await countCreated(tx, place, today, form.per_day))) throw full();
        taskId = id;
      },
    });
    // `taskId` is undefined if the same page was sent before. Only one mail is sent for each page.
    if (taskId !== undefined) await this.confirm(submission, taskId, publicId);
  }

  private async write(submission: Submission, extraChanges: ExtraChanges): Promise<string> {
    const { workflow, form, payload, reference, deadline } = submission;
    const origin = new Origin({ form: { id: form.id, reference } });
    const scope = new Scope(workflow, undefined, deadline, origin);
    const precondition = { ...noPrecondition, mustNotExist: true, states: [] };
    const idempotencyKey = `form ${reference}`;
    const write = { verb: 'upsert' as const, payload, precondition, idempotencyKey, extraChanges };
    return (await this.writer.write(scope, write)).publicId;
  }

  /** Mails the reference. The address may belong to a stranger, so the mail repeats no text of the post. */
  private async confirm(submission: Submission, taskId: string, publicId: string): Promise<void> {
    const { workflow, form, payload, reference } = submission;
    const email = payload.get(form.confirm ?? '');
    if (typeof email !== 'string' || email === '' || mailUrlOf(this.config) === undefined) return;
    if (!(await this.attempts.mayConfirm(email))) return;
    const shown = shownReference(submission, reference);
    const message = {
      id: randomText(12),
      kind: 'email' as const,
      recipient: email,
      replyTo: null,
      subject: `${form.title}: ${shown}`,
      body: ['We have received what you sent by the form “', { value: form.title }, '”. Your reference is ', { value: shown }, '.'], // prettier-ignore
      workflowId: workflow.id,
      taskId,
      uniqueValue: null,
      taskUrl: urlOfTask(taskUrlOf(this.config), workflow.slug, publicId),
      executionId: `form_${reference}`,
      step: 0,
      origin: null,
    };
    await enterMessages(this.dataSource.manager, workflow.workspaceId, [message]);
    this.doorbell.ring(messageJob, { workspaceId: workflow.workspaceId, id: message.id });
  }
}

/** Converts the answers of a post to a submission. Throws all errors in the answers at once. */
async function submissionOf(
  { workflow, form }: OpenForm,
  answers: FormAnswers,
  reference: string,
  deadline: Deadline | undefined,
): Promise<Submission> {
  const pause = pauses(workflow);
  const { payload: answered, errors } = await readAnswers(form, answers, pause);
  const payload = new Map([...fixedOf(form, reference), ...answered]);
  const parsed = await parseTask(workflow.schema, payload, pause);
  validateCreation(workflow.schema, parsed).addAll(errors).throwIfAny();
  return { workflow, form, payload, reference, deadline };
}

/** Converts answers to JSON for quarantine. `payload` has the values and the names of files. */
function setAside({ values, files }: FormAnswers): Pick<QuarantinedPostEntity, 'payload' | 'files'> {
  const names = [...files].map(
    ([name, sent]) => [name, sent.map((file) => file.get('filename') ?? null)] as const,
  );
  return {
    payload: writeJson(new Map<string, Json>([...values, ...names])),
    files: files.size > 0 ? writeJson(files) : null,
  };
}

function readAside({ payload, files }: Pick<QuarantinedPostEntity, 'payload' | 'files'>): FormAnswers {
  const read = (text: string): Json => toJson(JSON.parse(text));
  return { values: read(payload) as JsonObject, files: read(files ?? '{}') as FormAnswers['files'] };
}

const fixedOf = ({ fixed = {} }: FormDefinition, reference: string): [name: string, value: Json][] =>
  Object.entries(fixed).map(([name, value]) => [
    name,
    toJson(typeof value === 'string' ? withRandom(value, reference) : value),
  ]);

/**
 * If the form sets the Unique ID to a text with `{{random}}`, returns the text with the reference filled in.
 * Otherwise returns the reference.
 */
function shownReference({ workflow, form }: OpenForm, reference: string): string {
  const id = form.fixed?.[workflow.schema.uniqueId?.name ?? ''];
  return typeof id === 'string' ? withRandom(id, reference) : reference;
}

const full = (): Refusal =>
  new Refusal('too-many-requests', 'This form is full for today. Please try again tomorrow.', {
    'Retry-After': '3600',
  });
