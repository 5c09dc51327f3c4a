import { Get } from '@nestjs/common';
import { type Happening } from '../../events/happenings.js';
import { Reply } from '../../lib/reply.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { Entrances } from '../entrances.js';
import { type PageRequest, type SignedIn } from '../reader.js';
import { type InboxState } from '../../notifications/inbox.repository.js';
import { Inboxes } from '../../notifications/inboxes.js';
import { InboxChanges } from '../inbox/inbox-changes.js';
import { LiveChanges } from './live-changes.js';

/** Answers whether a page has changed, as soon as it has. */
export function changedReply(
  { deadline }: PageRequest,
  wait: (signal: AbortSignal) => Promise<boolean | LiveAnswer>,
): Reply {
  return new Reply(async (response) => {
    const gone = new AbortController();
    response.once('close', () => {
      gone.abort();
    });
    const waited = (): Promise<boolean | LiveAnswer> => wait(gone.signal);
    const told = await (deadline ? deadline.except(waited) : waited());
    if (response.closed) return;
    response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    response.end(JSON.stringify(typeof told === 'boolean' ? { changed: told } : told));
  });
}

/** Whether the page has changed, and what there is of the inbox where that has. */
interface LiveAnswer {
  readonly changed: boolean;
  readonly inbox?: InboxState;
}

/** Where an open page asks whether it is still as things are. */
@Pages('live')
export class LiveController {
  constructor(
    private readonly entrances: Entrances,
    private readonly tasks: TasksService,
    private readonly changes: LiveChanges,
    private readonly inboxes: Inboxes,
    private readonly inboxChanges: InboxChanges,
  ) {}

  @Get()
  async wait(@AskedHere() asked: AskedOfPages): Promise<Reply> {
    const { to, request, query } = asked;
    const concerns = await this.concernOf(asked);
    const after = query.get('after') ?? undefined;
    return changedReply(request, async (gone) => {
      const over = new AbortController();
      const end = (): void => {
        over.abort();
      };
      gone.addEventListener('abort', end);
      const { signal } = over;
      const changed = this.changes.wait({ to, after, concerns, signal }).then((changed) => ({ changed }));
      const told = this.ofInbox(to, query, signal);
      return Promise.race([changed, told]).finally(end);
    });
  }

  /** Resolves when the inbox is no longer as the page knows it. A page is shown anew where it is the inbox, or where its own task is told of: so that is read. */
  private async ofInbox(to: SignedIn, query: URLSearchParams, signal: AbortSignal): Promise<LiveAnswer> {
    const { workspace, user } = to;
    const reader = { workspace, userId: user.id };
    const known = { workspaceId: workspace.id, userId: user.id, mark: query.get('inbox') ?? to.inbox.mark };
    const isChanged = await this.inboxChanges.wait(known, WAIT_MS, signal);
    if (!isChanged) return endOf(signal);
    const publicId = query.get('task');
    const workflow = to.workflows.find(({ slug }) => slug === query.get('workflow'));
    const isOfTask =
      publicId !== null &&
      workflow !== undefined &&
      (await this.inboxes.hasUnreadOf(reader, { workflowId: workflow.id, publicId }));
    return { changed: isOfTask || query.get('of') === 'inbox', inbox: await this.inboxes.state(reader) };
  }

  /** What concerns the page: of a task and those that it shows as linked, of a workflow, of executions, or else what is the reader's own. It tells of nothing that they do not see. */
  private async concernOf({ to, request, query }: AskedOfPages): Promise<(happening: Happening) => boolean> {
    const [slug, task] = [query.get('workflow'), query.get('task')];
    const isOwn = ({ assignees }: Happening): boolean => assignees.includes(to.user.id);
    // Some of these pages show what is shown once: they are never shown anew by themselves.
    if (query.get('of') === 'badge') return () => false;
    if (query.get('of') === 'inbox') return orDefinition(() => false);
    if (query.get('of') === 'executions') return isExecutionIn(to.administers?.workflowIds ?? []);
    const { whole } = to.workspace.permissions.sightOf(to.user.id);
    if (query.get('of') === 'team')
      return orDefinition(({ workflowId }) => workflowId !== null && whole.includes(workflowId));
    if (slug === null) return orDefinition(isOwn);
    const scope = await this.entrances.enter(to, request, slug);
    const linked = task === null ? [] : ((await this.tasks.find(scope, task)).linked ?? []);
    const shown = new Set(linked.map(({ publicId }) => publicId));
    const seesAll = !scope.bound || scope.bound.permissions.sees === 'all';
    return orDefinition(
      (happening) =>
        (happening.publicId !== null && shown.has(happening.publicId)) ||
        (happening.workflowId === scope.workflow.id &&
          (task === null || happening.publicId === task) &&
          (seesAll || isOwn(happening))),
    );
  }
}

/** Resolves when what it waited beside has ended. */
function endOf(signal: AbortSignal): Promise<LiveAnswer> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve({ changed: false });
    });
  });
}

/** No longer than a page waits for events. */
const WAIT_MS = 30_000;

/** A new definition may change every page. */
const orDefinition =
  (concerns: (happening: Happening) => boolean) =>
  (happening: Happening): boolean =>
    happening.type === 'definition.applied' || concerns(happening);

const isExecutionIn =
  (workflowIds: readonly number[]) =>
  ({ type, workflowId }: Happening): boolean =>
    type?.startsWith('execution.') === true && workflowId !== null && workflowIds.includes(workflowId);
