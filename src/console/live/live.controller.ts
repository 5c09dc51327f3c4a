import { Get } from '@nestjs/common';
import { notFound } from '../../common/errors.js';
import { type Happening } from '../../events/happenings.js';
import { whenClosed } from '../../events/when-closed.js';
import { type Reply } from '../../common/reply.js';
import { LiveChanges } from '../../messages/inbox/live-changes.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { assetVersion } from '../assets.js';
import { AskedHere, type AskedOfPages, Pages, readerScope } from '../console-controller.js';

@Pages('live')
export class LiveController {
  constructor(
    private readonly tasks: TasksService,
    private readonly changes: LiveChanges,
  ) {}

  @Get()
  async wait(@AskedHere() asked: AskedOfPages): Promise<Reply> {
    const { reader, request, query } = asked;
    // A page of another version of the service is refreshed at once.
    const isCurrent = query.get('version') === assetVersion;
    const page = {
      reader,
      position: isCurrent ? Number(query.get('after') ?? NaN) : NaN,
      mark: query.get('inbox') ?? reader.inbox.mark,
      concerns: await this.concernOf(asked),
    };
    return async (response) => {
      const wait = () => this.changes.wait(page, whenClosed(response));
      const changed = await (request.deadline ? request.deadline.except(wait) : wait());
      if (!response.closed) response.setHeader('Cache-Control', 'no-store').json({ changed });
    };
  }

  /**
   * Returns a test of whether an event concerns the page. The page shows a task and its linked tasks, a
   * workflow, executions, the team's work, or the reader's own work. An event that the reader may not see
   * fails the test. To find changes of the inbox, `LiveChanges` compares `mark` instead.
   */
  private async concernOf({ reader, request, query }: AskedOfPages): Promise<Concern> {
    const [slug, task, of] = [query.get('workflow'), query.get('task'), query.get('of')];
    const isOwn: Concern = ({ assignees }) => assignees.includes(reader.user.id);
    if (of === 'inbox') return orDefinition(() => false);
    if (of === 'executions') return isExecutionIn(reader.administers?.workflowIds ?? []);
    const { whole } = reader.workspace.permissions.sightOf(reader.user.id);
    if (of === 'team') return orDefinition(({ workflowId }) => workflowId !== null && whole.includes(workflowId)); // prettier-ignore
    if (slug === null) return orDefinition(isOwn);
    const workflow = reader.workflows.find((each) => each.slug === slug);
    if (!workflow) throw notFound();
    const scope = readerScope(reader, request, workflow);
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

/** Whether an event concerns a page. */
type Concern = (happening: Happening) => boolean;

/** A new definition may change every page. */
const orDefinition =
  (concerns: Concern): Concern =>
  (happening) =>
    happening.type === 'definition.applied' || concerns(happening);

const isExecutionIn =
  (workflowIds: readonly number[]): Concern =>
  ({ type, workflowId }) =>
    type?.startsWith('execution.') === true && workflowId !== null && workflowIds.includes(workflowId);
