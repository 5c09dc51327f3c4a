import { Get } from '@nestjs/common';
import { type ComponentChildren, type VNode } from 'preact';
import { findAudience } from '../../comments/mentions.js';
import { fileReply } from '../../attachments/files.controller.js';
import { FilesService, type OpenFile } from '../../attachments/files.service.js';
import { contentReply } from '../../common/http/replies.js';
import { notFound, Refusal } from '../../common/errors.js';
import { type Reply } from '../../common/reply.js';
import { pauses } from '../../../packages/fair/turn.js';
import { Pages } from '../console-controller.js';
import { ConsolePage } from '../layout.js';
import { pageReply, seeOther, refusedCursor } from '../page.js';
import { Linkable, linkableTasks } from '../parts/linkable.js';
import { format } from '../parts/markdown.js';
import { Audience, namesOfMentions } from '../parts/mention.js';
import { TaskSearches } from '../../tasks/list/task-searches.js';
import { taskPath } from '../task-shown.js';
import { titleOf } from '../../workflows/fields/serialize-task.js';
import { olderFrame, SomeComments, SomeHistory } from './activity-part.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { TaskReader } from './task-data.js';
import { CurrentPlace, type TaskPagePlace, TaskPages } from './task-pages.js';
import { type PlacedTask } from './task-view.js';
import { Preview, previewOfBytes } from './files-part.js';

/** The page of a Task URL, and the parts that it loads on demand. */
@Pages('workflows/:workflow/tasks/:task')
export class TaskController {
  constructor(
    private readonly pages: TaskPages,
    private readonly reader: TaskReader,
    private readonly tasks: TasksService,
    private readonly files: FilesService,
    private readonly searches: TaskSearches,
  ) {}

  @Get()
  async page(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    return this.pages.show(place).catch((error: unknown) => this.byUniqueId(place, error));
  }

  /** Messages name tasks by their Unique ID; an address with a Unique ID is redirected to the task. */
  private async byUniqueId(place: TaskPagePlace, error: unknown): Promise<Reply> {
    if (!(error instanceof Refusal) || error.kind !== 'not-found') throw error;
    const scope = await this.pages.enter(place);
    const found = await this.tasks.findNamed(scope, place.publicId);
    if (!found) throw error;
    return seeOther(taskPath(scope.workflow, found));
  }

  @Get('texts/:text')
  async text(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const { scope, task } = await this.pages.find(place);
    const text = scope.workflow.schema.byName.get(place.said('text'))?.serialize(task);
    if (typeof text !== 'string') throw notFound();
    return contentReply(text, plainText);
  }

  /** Comments older than the one of this id. */
  @Get('comments')
  async olderComments(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const { reader } = place;
    return this.older(place, 'Comments', async ({ scope, name, path }, before) => {
      const comments = await this.reader.latestComments(scope, name, isId(before) ? before : '0');
      const texts = comments.shown.map(({ body }) => body);
      const formatted = await format(texts, pauses(scope), namesOfMentions(reader, comments.mentions));
      return <SomeComments view={{ path, formatted }} comments={comments} />;
    });
  }

  @Get('audience')
  async audience(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const { scope, task } = await this.pages.find(place);
    const sought = (place.query.get('q') ?? '').slice(0, 100);
    return pageReply(<Audience people={findAudience(sought, scope.workflow, task)} />);
  }

  /** The history before this cursor. */
  @Get('history')
  async olderHistory(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    return this.older(place, 'History', async ({ scope, name, path }, before) => {
      const history = await this.reader.latestHistory(scope, name, before).catch(refusedCursor);
      return <SomeHistory view={{ path, scope }} history={history} />;
    });
  }

  /** Older entries, in the frame that a task's page has for them. */
  private async older(
    place: TaskPagePlace,
    label: string,
    read: (task: PlacedTask, before: string) => Promise<VNode>,
  ): Promise<Reply> {
    const task = await this.pages.find(place);
    const before = place.query.get('before') ?? '';
    return pageReply(
      <BesidePage task={task} label={label}>
        <turbo-frame id={olderFrame(before)} refresh="morph">
          {await read(task, before)}
        </turbo-frame>
      </BesidePage>,
    );
  }

  /** Tasks to which a relationship may lead: with this Unique ID, or with these words. */
  @Get('links/:relationship')
  async linkable(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const { scope, task } = await this.pages.find(place);
    const { property, ...found } = await linkableTasks(this.searches, scope, place);
    const tasks = found.tasks.filter((each) => each.task.publicId !== task.publicId);
    return pageReply(<Linkable property={property} of={scope.workflow} found={{ ...found, tasks }} />);
  }

  @Get('files/:field/:blob')
  async file(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    return fileReply(await this.fileOf(place));
  }

  /** The file, for a frame on a page of the service. Nothing in the file can act as that page. */
  @Get('files/:field/:blob/shown')
  async shownFile(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const file = await this.fileOf(place);
    return fileReply(file, (await previewOfBytes(file)) === undefined ? 'attachment' : 'inline');
  }

  @Get('files/:field/:blob/preview')
  async preview(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    const task = await this.pages.find(place);
    const file = await this.fileOf(place);
    const kind = await previewOfBytes(file);
    const [field, blob] = ['field', 'blob'].map((name) => encodeURIComponent(place.said(name)));
    const path = `${task.path}/files/${field}/${blob}`;
    return pageReply(
      <BesidePage task={task} label={file.filename}>
        <Preview file={file} kind={kind} path={path} />
      </BesidePage>,
    );
  }

  private fileOf({ reader, said }: TaskPagePlace): Promise<OpenFile> {
    return this.files.find(reader.session.workspaceId, said('blob'), { userId: reader.user.id });
  }
}

/** Browsers show the text as plain text, never as a page of the service. */
const plainText = {
  'Content-Type': 'text/plain; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'private, no-store',
};

/** Whether a text is the id of a comment. Any other text selects the latest comments. */
const isId = (text: string): boolean => /^\d{1,18}$/.test(text);

function BesidePage({ task: { scope, task, path }, label, children }: BesideProps): VNode {
  const title = titleOf(scope.workflow, task);
  return (
    <ConsolePage title={`${label} · ${title}`}>
      <nav class="crumbs line" aria-label="Breadcrumb">
        <a href={path}>{title}</a>
        <span aria-hidden="true">/</span>
        <span>{label}</span>
      </nav>
      <h1>{label}</h1>
      <div class="column history">{children}</div>
    </ConsolePage>
  );
}

interface BesideProps {
  readonly task: PlacedTask;
  readonly label: string;
  readonly children: ComponentChildren;
}
