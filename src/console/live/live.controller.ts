import { Get, Req } from '@nestjs/common';
import { type Happening } from '../../events/happenings.js';
import { Reply } from '../../lib/reply.js';
import { readQuery } from '../../ops/query.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { CurrentReader, Pages } from '../console-controller.js';
import { Entrances } from '../entrances.js';
import { type PageRequest, type SignedIn } from '../reader.js';
import { LiveChanges } from './live-changes.js';

/** Answers whether a page has changed, as soon as it has. */
export function changedReply(
  { deadline }: PageRequest,
  wait: (signal: AbortSignal) => Promise<boolean>,
): Reply {
  return new Reply(async (response) => {
    const gone = new AbortController();
    response.once('close', () => {
      gone.abort();
    });
    const waited = (): Promise<boolean> => wait(gone.signal);
    const isChanged = await (deadline ? deadline.except(waited) : waited());
    if (response.closed) return;
    response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    response.end(JSON.stringify({ changed: isChanged }));
  });
}

/** Where an open page asks whether it is still as things are. */
@Pages('live')
export class LiveController {
  constructor(
    private readonly entrances: Entrances,
    private readonly tasks: TasksService,
    private readonly changes: LiveChanges,
  ) {}

  @Get()
  async wait(@CurrentReader() to: SignedIn, @Req() request: PageRequest): Promise<Reply> {
    const query = readQuery(request.originalUrl);
    const concerns = await this.concernOf(to, request, query);
    const after = query.get('after') ?? undefined;
    return changedReply(request, (signal) => this.changes.wait({ to, after, concerns, signal }));
  }

  /** What concerns the page: of a task and those that it shows as linked, of a workflow, of executions, or else what is the reader's own. It tells of nothing that they do not see. */
  private async concernOf(
    to: SignedIn,
    request: PageRequest,
    query: URLSearchParams,
  ): Promise<(happening: Happening) => boolean> {
    const [slug, task] = [query.get('workflow'), query.get('task')];
    const isOwn = ({ assignees }: Happening): boolean => assignees.includes(to.user.id);
    if (query.get('of') === 'executions') return isExecutionIn(to.administers?.workflowIds ?? []);
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

/** A new definition may change every page. */
const orDefinition =
  (concerns: (happening: Happening) => boolean) =>
  (happening: Happening): boolean =>
    happening.type === 'definition.applied' || concerns(happening);

const isExecutionIn =
  (workflowIds: readonly number[]) =>
  ({ type, workflowId }: Happening): boolean =>
    type?.startsWith('execution.') === true && workflowId !== null && workflowIds.includes(workflowId);
