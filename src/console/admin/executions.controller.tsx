import { en } from './words.js';
import { said } from '../parts/sayings.js';
import { randomUUID } from 'node:crypto';
import { Get, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { actionOf } from '../../actions/action.js';
import { executionStatuses } from '../../database/column-values.js';
import { ExecutionsService } from '../../executions/executions.service.js';
import {
  findWatched,
  listOfSameTask,
  listWatched,
  type Watched,
  type WholeExecution,
} from '../../executions/executions-overview.js';
import { notFound, Refusal, RefusedExecution } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { type Workflow } from '../../workspace/workspace.js';
import { Entrances } from '../entrances.js';
import { livePath } from '../live/live-path.js';
import { FormBody } from '../form-body.js';
import { pageReply, seeOther } from '../page.js';
import { type Notice } from '../parts/notices.js';
import { type Administrator, AdminPages, type AdminRequest, Asked, idIn } from './admin-pages.js';
import { adminListReply } from './admin-list.js';
import { ExecutionPage, type Retry } from './execution-page.js';
import { executionPath, executionsList } from './executions-page.js';
import { type Known, knownEnd, knownIn, knownTo } from '../../workspace/known.js';
import { Scope } from '../../workspace/scope.js';

/** What was begun, and what came of it; its forms do by the services of the API, in the name of who is signed in. */
@AdminPages('admin/executions')
export class AdminExecutionsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly entrances: Entrances,
    private readonly executions: ExecutionsService,
  ) {}

  /** Those of the workflow and of the status that the address names, behind the one that `after` names. */
  @Get()
  async list(@Asked() { reader, query }: AdminRequest): Promise<Reply> {
    const workflows = watchedBy(reader);
    const workflow = workflows.find(({ slug }) => slug === query.get('workflow'));
    const filter = {
      status: executionStatuses.find((status) => status === query.get('status')),
      after: idIn(query.get('after')),
    };
    const live = livePath(reader, { of: 'executions' });
    const of = { ...watched(reader), ...(workflow && { workflowIds: [workflow.id] }) };
    const found = await listWatched(this.dataSource.manager, of, filter, ROWS + 1);
    const executions = found.slice(0, ROWS).map((one) => knownEnd(one, knownBy(reader)));
    const next = found.length > ROWS ? executions.at(-1)?.id : undefined;
    return adminListReply(executionsList(reader, { workflows, workflow, ...filter, executions, next, live }));
  }

  @Get(':execution')
  async show(@Asked() place: AdminRequest): Promise<Reply> {
    return this.page(place);
  }

  private async page(place: AdminRequest, { status = 200, notice }: Shown = {}): Promise<Reply> {
    const { reader, query, id } = place;
    // Before it is read, so that its end is not missed.
    const live = livePath(reader, { of: 'executions' });
    const { execution, scope } = await this.find(place);
    const same = await listOfSameTask(this.dataSource.manager, reader.session.workspaceId, id, MAX_OTHERS);
    const others = same.map((one) => knownEnd(one, knownBy(reader)));
    const view = {
      reader,
      execution,
      workflow: scope.workflow,
      others,
      retry: await retryOf(scope, execution),
      isAsking: query.has('retry'),
      notice,
      live: execution.status === 'Pending' ? live : undefined,
    };
    return pageReply(<ExecutionPage {...view} />, { status });
  }

  /** Begins the same action on the same task, as who is signed in; a form that is sent twice begins it once. */
  @Post(':execution/retry')
  async retry(@Asked() place: AdminRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    const { reader, request } = place;
    const { execution, scope: known } = await this.find(place);
    const retry = await retryOf(known, execution);
    if (!retry.can) return this.page(place, { status: 409 });
    const scope = await this.entrances.enter(reader, request, known.workflow.slug);
    const payload = new Map([['task_id', retry.uniqueId], ['action_id', execution.actionId]]); // prettier-ignore
    const options = { idempotencyKey: idIn(form.get('once')), isForm: true, waitMs: 1000, again: execution };
    try {
      const begun = await this.executions.start(scope, payload, options);
      return seeOther(executionPath(begun));
    } catch (error) {
      return this.refused(place, error);
    }
  }

  @Post(':execution/cancel')
  async cancel(@Asked() place: AdminRequest): Promise<Reply> {
    const { scope: known } = await this.find(place);
    const scope = await this.entrances.enter(place.reader, place.request, known.workflow.slug);
    try {
      await this.executions.cancel(scope, place.id);
      return seeOther(executionPath(place));
    } catch (error) {
      return this.refused(place, error);
    }
  }

  /** The page again, with why nothing was done. */
  private async refused(place: AdminRequest, error: unknown): Promise<Reply> {
    const { admin } = en;
    if (error instanceof RefusedExecution) {
      const lines = [{ text: admin.execution.notBegun }, ...error.errors.map(said)];
      return this.page(place, { status: 422, notice: { tone: 'bad', lines } });
    }
    if (!(error instanceof Refusal) || !['conflict', 'not-found'].includes(error.kind)) throw error;
    return this.page(place, { status: 409, notice: { tone: 'bad', lines: [said(error.said)] } });
  }

  private async find({ reader, id }: AdminRequest): Promise<Found> {
    const known = idIn(id);
    const execution = known && (await findWatched(this.dataSource.manager, watched(reader), known));
    const workflow = execution && reader.workflows.find((each) => each.id === execution.workflowId);
    if (!execution || !workflow) throw notFound();
    return { execution: knownEnd(execution, knownBy(reader)), scope: new Scope(workflow) };
  }
}

/** Of a page. */
const ROWS = 50;
const MAX_OTHERS = 6;

interface Found {
  readonly execution: WholeExecution;
  readonly scope: Scope;
}

interface Shown {
  readonly status?: number;
  readonly notice?: Notice;
}

const knownBy = ({ workspace, user }: Administrator): Known =>
  knownIn(knownTo(workspace, { userId: user.id }));

const watched = ({ session, administers }: Administrator): Watched => ({
  workspaceId: session.workspaceId,
  workflowIds: administers.workflowIds,
});

/** The workflows that somebody administers. */
export function watchedBy({ workflows, administers }: Administrator): Workflow[] {
  return workflows.filter(({ id }) => administers.workflowIds.includes(id));
}

/** Whether and how an execution can be begun again, by the definition in force. */
async function retryOf(scope: Scope, execution: WholeExecution): Promise<Retry> {
  const { status, task, actionId } = execution;
  if (status !== 'Fail') return { can: false };
  const action = await actionOf(scope, actionId);
  if (!task) return { can: false, why: 'deleted' };
  if (task.uniqueValue === null) return { can: false, why: 'unnamed' };
  if (!action) return { can: false, why: 'action' };
  return { can: true, uniqueId: task.uniqueValue, questions: action.questions, once: randomUUID() };
}
