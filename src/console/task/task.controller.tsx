import { Get } from '@nestjs/common';
import { type ComponentChildren, type VNode } from 'preact';
import { findAudience } from '../../comments/mentions.js';
import { fileReply } from '../../attachments/files.controller.js';
import { FilesService, type OpenFile } from '../../attachments/files.service.js';
import { notFound, Refusal } from '../../common/errors.js';
import { type Reply } from '../../common/reply.js';
import { pauses } from '../../../packages/fair/turn.js';
import { Entered, readerScope, WorkflowPages, type WorkflowRequest } from '../console-controller.js';
import { ConsolePage } from '../layout.js';
import { pageReply, seeOther, refusedCursor } from '../page.js';
import { Crumbs } from '../parts/crumbs.js';
import { format } from '../parts/markdown.js';
import { Audience, namesOfMentions } from '../parts/mention.js';
import { TaskSearches } from '../../tasks/list/task-searches.js';
import { otherWorkflow, taskPath } from '../task-shown.js';
import { titleOf } from '../../workflows/fields/task-title.js';
import { Entries, olderFrame } from './time-line.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { TaskReader } from './task-data.js';
import { AboutTask, TaskPages, type TaskRequest } from './task-pages.js';
import { isPicture } from './files-part.js';
import { Linkable } from './links-part.js';

/** The page of a task, and the parts that the page loads later. */
@WorkflowPages('workflows/:workflow/tasks/:task')
export class TaskController {
  constructor(
    private readonly pages: TaskPages,
    private readonly reader: TaskReader,
    private readonly tasks: TasksService,
    private readonly files: FilesService,
    private readonly searches: TaskSearches,
  ) {}

  @Get()
  async page(@Entered() request: WorkflowRequest): Promise<Reply> {
    return this.pages.show(request).catch((error: unknown) => this.byUniqueId(request, error));
  }

  /** If the path contains a task's Unique ID, redirects to the task's page. Messages contain such paths. */
  private async byUniqueId({ scope, said }: WorkflowRequest, error: unknown): Promise<Reply> {
    if (!(error instanceof Refusal) || error.kind !== 'not-found') throw error;
    const found = await this.tasks.findNamed(scope, said('task'));
    if (!found) throw error;
    return seeOther(taskPath(scope.workflow, found));
  }

  /**
   * Shows the comments before the one with the id `before`. If `before` is not an id, shows the latest
   * comments.
   */
  @Get('comments')
  async olderComments(@AboutTask() request: TaskRequest): Promise<Reply> {
    const { reader, scope, name, query } = request;
    const [before] = /^\d{1,18}$/.exec(query.get('before') ?? '') ?? [];
    const comments = await this.reader.latestComments(scope, name, before);
    const texts = comments.comments.map(({ body }) => body);
    const formatted = await format(texts, pauses(scope), namesOfMentions(reader, comments.mentions));
    return olderReply(request, 'Comments', <Entries view={{ ...request, formatted }} comments={comments} />);
  }

  @Get('audience')
  audience(@AboutTask() { scope, task, query }: TaskRequest): Reply {
    const sought = (query.get('q') ?? '').slice(0, 100);
    return pageReply(<Audience people={findAudience(sought, scope.workflow, task)} />);
  }

  /** Shows the history before the cursor in the URL. */
  @Get('history')
  async olderHistory(@AboutTask() request: TaskRequest): Promise<Reply> {
    const { scope, name, query } = request;
    const history = await this.reader
      .latestHistory(scope, name, query.get('before') ?? '')
      .catch(refusedCursor);
    const view = { ...request, formatted: new Map<string, string>() };
    return olderReply(request, 'History', <Entries view={view} history={history} />);
  }

  /** Finds tasks by Unique ID or words, to link one of them. Tasks that would lose another link come last. */
  @Get('links/:relationship')
  async linkable(@AboutTask() { reader, scope, task, query, said, request }: TaskRequest): Promise<Reply> {
    const property = scope.workflow.schema.byName.get(said('relationship'));
    const workflow = property?.links && otherWorkflow(scope.workflow, property, reader);
    if (!property || !workflow || !reader.workflows.includes(workflow)) throw notFound();
    const words = (query.get('q') ?? '').trim();
    const found = await this.searches.linkable(scope, property, readerScope(reader, request, workflow), words); // prettier-ignore
    const tasks = found.filter((each) => each.task.publicId !== task.publicId);
    return pageReply(<Linkable of={scope.workflow} property={property} workflow={workflow} tasks={tasks} />);
  }

  @Get('files/:field/:blob')
  async file(@Entered() request: WorkflowRequest): Promise<Reply> {
    return fileReply(await this.fileOf(request));
  }

  /** The browser shows a picture, and downloads any other file. */
  @Get('files/:field/:blob/picture')
  async picture(@Entered() request: WorkflowRequest): Promise<Reply> {
    const file = await this.fileOf(request);
    return fileReply(file, isPicture(file) ? 'inline' : 'attachment');
  }

  private fileOf({ reader, said }: WorkflowRequest): Promise<OpenFile> {
    return this.files.find(reader.session.workspaceId, said('blob'), { userId: reader.user.id });
  }
}

/** Shows older entries. The task's page loads only the frame from this response. */
function olderReply(request: TaskRequest, label: string, entries: VNode): Reply {
  return pageReply(
    <BesidePage of={request} label={label}>
      <turbo-frame id={olderFrame(request.query.get('before') ?? '')} refresh="morph">
        {entries}
      </turbo-frame>
    </BesidePage>,
  );
}

function BesidePage({ of: { scope, task, path }, label, children }: BesideProps): VNode {
  const title = titleOf(scope.workflow, task);
  return (
    <ConsolePage title={`${label} · ${title}`}>
      <Crumbs path={path} above={title} here={label} />
      <h1>{label}</h1>
      <div class="column stack history">{children}</div>
    </ConsolePage>
  );
}

interface BesideProps {
  readonly of: TaskRequest;
  readonly label: string;
  readonly children: ComponentChildren;
}
