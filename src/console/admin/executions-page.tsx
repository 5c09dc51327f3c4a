import { type VNode } from 'preact';
import { executionStatuses } from '../../entities/column-values.js';
import { type WatchedExecution, type WatchedFilter } from '../../executions/executions-overview.js';
import { type Workflow } from '../../workspace/workspace.js';
import { Badge, type Tone } from '../parts/badge.js';
import { Choice } from '../parts/control.js';
import { Empty } from '../parts/empty.js';
import { Sayings } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { Somebody } from '../parts/value.js';
import { type SignedIn } from '../reader.js';
import { AdminListPage } from './admin-page.js';
import { type Administrator } from './admin-pages.js';
import { messageOfText } from '../../lib/message.js';

/** The page of an execution. */
export function executionPath({ id }: Pick<WatchedExecution, 'id'>): string {
  return `${PATH}/${id}`;
}

const PATH = '/admin/executions';

/** What was begun in the workflows that somebody administers, newest first. */
export function ExecutionsPage(view: ExecutionsProps): VNode {
  const { to, workflow, status, after, executions, next, live } = view;
  const { execution: words, executions: title } = to.words.admin;
  const isAll = !workflow && !status && after === undefined;
  return (
    <AdminListPage
      to={to}
      title={title}
      live={after === undefined ? live : undefined}
      filters={<Filters {...view} />}
      things={executions}
      row={(execution) => <ExecutionRow to={to} execution={execution} />}
      empty={
        <Empty icon="history" title={isAll ? words.nothing : words.nothingSuch}>
          {isAll ? words.nothingMore : undefined}
        </Empty>
      }
      more={{ path: PATH, query: { workflow: workflow?.slug, status }, next, isFirst: after === undefined }}
    />
  );
}

interface ExecutionsProps extends WatchedFilter {
  readonly to: Administrator;
  /** Those to choose from. */
  readonly workflows: readonly Workflow[];
  /** The one that is chosen. */
  readonly workflow: Workflow | undefined;
  readonly executions: readonly WatchedExecution[];
  /** Behind which the next page begins. */
  readonly next: string | undefined;
  /** Where the browser hears of new ones. */
  readonly live: string;
}

function Filters({ to, workflows, workflow, status }: ExecutionsProps): VNode {
  const { admin } = to.words;
  const { statuses, ...words } = admin.execution;
  return (
    <search class="filters">
      <form action={PATH}>
        <label>
          <span>{words.workflow}</span>
          <Choice
            name="workflow"
            options={workflows.map(({ slug, name }) => [slug, name])}
            chosen={workflow?.slug ?? ''}
            none={admin.any}
          />
        </label>
        <label>
          <span>{words.status}</span>
          <Choice
            name="status"
            options={executionStatuses.map((one) => [one, statuses[one] ?? one])}
            chosen={status ?? ''}
            none={admin.any}
          />
        </label>
        <button type="submit">{admin.filter}</button>
        {(workflow ?? status) !== undefined && <a href={PATH}>{admin.clear}</a>}
      </form>
    </search>
  );
}

/** An execution in a line that leads to its page. */
export function ExecutionRow({ to, execution, here }: RowProps): VNode {
  return (
    <a
      class="row execution-row"
      href={executionPath(execution)}
      aria-current={execution.id === here ? 'page' : undefined}
    >
      <ExecutionBadge to={to} execution={execution} />
      <span class="execution-what">
        <span class="execution-title">
          <span class="row-title">{execution.actionName}</span>{' '}
          <span class="muted">{taskName(to, execution)}</span>
        </span>
        {execution.errors && !execution.isCancelled && (
          <span class="execution-error">
            <Sayings all={execution.errors.map(messageOfText).map(to.words.said)} />
          </span>
        )}
      </span>
      <span class="execution-by muted">
        {to.workflows.find(({ id }) => id === execution.workflowId)?.name}
      </span>
      <span class="execution-by">
        <Beginner to={to} execution={execution} />
      </span>
      <span class="row-due">
        <Instant at={execution.createdAt} to={to} timeZone={to.timeZone} isShort />
      </span>
    </a>
  );
}

interface RowProps {
  readonly to: SignedIn;
  readonly execution: WatchedExecution;
  /** The id of the one whose page this is. */
  readonly here?: string;
}

/** What the task of an execution is called. */
export function taskName({ words }: SignedIn, { task }: Pick<WatchedExecution, 'task'>): string {
  const { deleted, unnamed } = words.admin.execution;
  return task ? (task.uniqueValue ?? unnamed) : deleted;
}

const tones: Readonly<Record<string, Tone>> = { Pending: 'waiting', Success: 'good', Fail: 'bad' };

/** What has become of an execution. */
export function ExecutionBadge({ to, execution: { status, isCancelled } }: OneProps): VNode {
  const { statuses, cancelled } = to.words.admin.execution;
  return isCancelled ? (
    <Badge>{cancelled}</Badge>
  ) : (
    <Badge tone={tones[status] ?? 'plain'}>{statuses[status]}</Badge>
  );
}

/** Who has begun it: a user, or the key of a program. */
export function Beginner({ to, execution: { performerId, keyName } }: OneProps): VNode {
  const words = to.words.admin.execution;
  const user = performerId === null ? undefined : to.workspace.users.get(performerId);
  if (user) return <Somebody email={user.email} to={to} />;
  return <span class="muted">{keyName === undefined ? words.system : words.key(keyName)}</span>;
}

interface OneProps {
  readonly to: SignedIn;
  readonly execution: WatchedExecution;
}
