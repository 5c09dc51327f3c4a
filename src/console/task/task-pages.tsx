import { Injectable } from '@nestjs/common';
import { fileReply } from '../../attachments/files.controller.js';
import { FilesService } from '../../attachments/files.service.js';
import { type ShownExecution } from '../../executions/execution.dto.js';
import { contentReply } from '../../http/replies.js';
import { notFound } from '../../lib/errors.js';
import { faultsOf } from '../../lib/field-errors.js';
import { type Reply } from '../../lib/reply.js';
import { pauses } from '../../../packages/fair/turn.js';
import { readQuery } from '../../ops/query.js';
import { type TaskRow } from '../../task-store/task-row.js';
import { nameOf } from '../../workspace/task-name.js';
import { Entrances } from '../entrances.js';
import { LiveChanges } from '../live/live-changes.js';
import { pageReply } from '../page.js';
import { Linkable } from '../parts/linkable.js';
import { format } from '../parts/markdown.js';
import { Searches } from '../search/searches.js';
import { taskPath, titleOf } from '../task-shown.js';
import { type PageRequest, type SignedIn } from '../reader.js';
import { SomeComments, SomeHistory, olderFrame } from './activity-part.js';
import { TaskReader } from './task-data.js';
import { TaskPage } from './task-page.js';
import { type TaskPageEntry, longTextsOf, type TaskNotice, viewOf, type PlacedTask } from './task-view.js';
import { type Scope } from '../../workspace/scope.js';
import { type ComponentChildren, type VNode } from 'preact';
import { ConsolePage } from '../layout.js';

/** Which task is asked for, and by whom. */
export interface TaskPagePlace {
  readonly to: SignedIn;
  readonly request: PageRequest;
  readonly slug: string;
  readonly publicId: string;
}

/** What a page shows beside the task. */
interface Shown {
  readonly status?: number;
  readonly entry?: TaskPageEntry;
  readonly notice?: TaskNotice;
}

/** The page of a task. */
@Injectable()
export class TaskPages {
  constructor(
    private readonly entrances: Entrances,
    private readonly tasks: TaskReader,
    private readonly files: FilesService,
    private readonly changes: LiveChanges,
    private readonly searches: Searches,
  ) {}

  /** The page as its address asks for it: `edit` names the key to be entered, `confirm` an action, `execution` one just begun. */
  async show(place: TaskPagePlace, { status = 200, entry, notice }: Shown = {}): Promise<Reply> {
    const { to, request } = place;
    const live = await this.changes.path(to, { workflow: place.slug, task: place.publicId });
    const data = await this.tasks.read(await this.enter(place), place.publicId);
    const query = readQuery(request.originalUrl);
    const edit = query.get('edit');
    const execution =
      data.executions.find(({ id }) => id === query.get('execution')) ?? pending(data.executions);
    const view = viewOf(to, data, {
      formatted: await format(longTextsOf(data), pauses(data.scope)),
      entry: entry ?? (edit === null ? undefined : { name: edit, messages: [] }),
      notice: notice ?? (execution && noticeOf(to, execution)),
      confirm: query.get('confirm') ?? undefined,
    });
    return pageReply(<TaskPage view={view} live={live} />, { status });
  }

  /** A text of many lines as it is, whole. */
  async text(place: TaskPagePlace, name: string): Promise<Reply> {
    const { scope, task } = await this.find(place);
    const text = scope.workflow.schema.byName.get(name)?.serialize(task);
    if (typeof text !== 'string') throw notFound();
    return contentReply(text, plainText);
  }

  /** Comments that are older than the one of this id. */
  async olderComments(place: TaskPagePlace, before: string): Promise<Reply> {
    const { scope, task } = await this.find(place);
    const comments = await this.tasks.latestComments(scope, nameOf(task), isId(before) ? before : '0');
    const path = taskPath(scope.workflow, task);
    const label = place.to.words.task.comments;
    const texts = comments.shown.map(({ body }) => body);
    const formatted = await format(texts, pauses(scope));
    return pageReply(
      <OlderPage to={place.to} task={{ scope, task, path }} before={before} label={label}>
        <SomeComments view={{ to: place.to, path, formatted }} comments={comments} />
      </OlderPage>,
    );
  }

  /** What happened before this cursor of the history. */
  async olderHistory(place: TaskPagePlace, before: string): Promise<Reply> {
    const { scope, task } = await this.find(place);
    const history = await this.tasks.latestHistory(scope, nameOf(task), before).catch(refusedCursor);
    const path = taskPath(scope.workflow, task);
    const label = place.to.words.task.history;
    return pageReply(
      <OlderPage to={place.to} task={{ scope, task, path }} before={before} label={label}>
        <SomeHistory view={{ to: place.to, path, scope }} history={history} />
      </OlderPage>,
    );
  }

  /** Tasks that a relationship may lead to: of this Unique ID, or with these words. */
  async linkable(place: TaskPagePlace, relationship: string, words: string): Promise<Reply> {
    const { to, request } = place;
    const { scope, task } = await this.find(place);
    const { property, ...found } = await this.searches.linkable(to, request, scope, {
      relationship,
      words,
    });
    const tasks = found.tasks.filter(({ publicId }) => publicId !== task.publicId);
    return pageReply(<Linkable to={to} property={property} found={{ ...found, tasks }} />);
  }

  /** The workflow and the task, for a form. */
  async find(place: TaskPagePlace): Promise<{ readonly scope: Scope; readonly task: TaskRow }> {
    const scope = await this.enter(place);
    return { scope, task: await this.tasks.find(scope, place.publicId) };
  }

  async file({ to }: TaskPagePlace, blobId: string): Promise<Reply> {
    return fileReply(await this.files.find(to.session.workspaceId, blobId, { userId: to.user.id }));
  }

  private async enter({ to, request, slug }: TaskPagePlace): Promise<Scope> {
    return this.entrances.enter(to, request, slug);
  }
}

/** It is what it says, and never a page of ours. */
const plainText = {
  'Content-Type': 'text/plain; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'private, no-store',
};

/** Of a comment; what is none leads to the last of them. */
const isId = (text: string): boolean => /^\d{1,18}$/.test(text);

/** Nothing is behind what is no cursor. */
function refusedCursor(error: unknown): never {
  faultsOf(error);
  throw notFound();
}

const pending = (executions: readonly ShownExecution[]): ShownExecution | undefined =>
  executions.find(({ status }) => status === 'Pending');

/** What has become of an execution. */
function noticeOf({ words }: SignedIn, { id, status, action, errors = [] }: ShownExecution): TaskNotice {
  const name = action?.name ?? '';
  if (status === 'Pending') return { tone: 'waiting', lines: [{ text: words.task.running(name) }] };
  if (status === 'Success') return { tone: 'good', lines: [{ text: words.task.succeeded(name) }] };
  const lines = [{ text: words.task.failed(name) }, ...errors.map(words.said)];
  return { tone: 'bad', lines, execution: id };
}

/** What is older than the page of a task shows, in the place that it has there. */
function OlderPage({ to, task: { scope, task, path }, before, label, children }: OlderPageProps): VNode {
  const title = titleOf(scope.workflow, task);
  return (
    <ConsolePage to={to} title={`${label} · ${title}`}>
      <nav class="crumbs" aria-label={to.words.task.where}>
        <a href={path}>{title}</a>
        <span aria-hidden="true">/</span>
        <span>{label}</span>
      </nav>
      <h1>{label}</h1>
      <div class="column history">
        <turbo-frame id={olderFrame(before)} refresh="morph">
          {children}
        </turbo-frame>
      </div>
    </ConsolePage>
  );
}

interface OlderPageProps {
  readonly to: SignedIn;
  readonly task: PlacedTask;
  /** What it is older than. */
  readonly before: string;
  readonly label: string;
  readonly children: ComponentChildren;
}
