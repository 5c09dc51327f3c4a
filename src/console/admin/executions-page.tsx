import { type Administrator } from './admin-pages.js';
import { en } from './words.js';
import { type VNode } from 'preact';
import { executionStatuses } from '../../database/column-values.js';
import { type WatchedExecution, type WatchedFilter } from '../../executions/executions-overview.js';
import { type Workflow } from '../../workspace/workspace.js';
import { Badge, type Tone } from '../parts/badge.js';
import { Sayings, said } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { Somebody } from '../parts/value.js';
import { useReader, type SignedIn } from '../reader.js';
import { type AdminList, type AdminRow, FilterChoice, ListFilter } from './admin-list.js';
import { messageOfText } from '../../lib/message.js';

/** The page of an execution. */
export function executionPath({ id }: Pick<WatchedExecution, 'id'>): string {
  return `${PATH}/${id}`;
}

const PATH = '/admin/executions';

/** What was begun in the workflows that somebody administers, newest first. */
export function executionsList(reader: Administrator, found: FoundExecutions): AdminList<WatchedExecution> {
  const { workflows, workflow, status, after, executions, next, live } = found;
  const { execution: words, executions: title } = en.admin;
  const isFiltered = workflow !== undefined || status !== undefined;
  const isFirst = after === undefined;
  return {
    title,
    live: isFirst ? live : undefined,
    filters: (
      <ListFilter path={PATH} isFiltered={isFiltered}>
        <FilterChoice
          label={words.workflow}
          name="workflow"
          options={workflows.map(({ slug, name }) => [slug, name])}
          chosen={workflow?.slug}
        />
        <FilterChoice
          label={words.status}
          name="status"
          options={executionStatuses.map((one) => [one, words.statuses[one] ?? one])}
          chosen={status}
        />
      </ListFilter>
    ),
    things: executions,
    row: (execution) => executionRow(reader, execution),
    empty: isFiltered || !isFirst ? ['history', words.nothingSuch] : ['history', words.nothing, words.nothingMore], // prettier-ignore
    more: { path: PATH, query: { workflow: workflow?.slug, status }, next, isFirst },
  };
}

interface FoundExecutions extends WatchedFilter {
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

/** An execution in a line. */
export function executionRow(reader: SignedIn, execution: WatchedExecution): AdminRow {
  return {
    href: executionPath(execution),
    state: <ExecutionBadge execution={execution} />,
    title: (
      <>
        {execution.actionName} <span class="muted">{taskName(reader, execution)}</span>
      </>
    ),
    under: execution.errors && !execution.isCancelled && (
      <span class="late">
        <Sayings all={execution.errors.map(messageOfText).map(said)} />
      </span>
    ),
    asides: [
      <span class="muted">{reader.workflows.find(({ id }) => id === execution.workflowId)?.name}</span>,
      <Beginner execution={execution} />,
    ],
    due: <Instant at={execution.createdAt} isShort />,
  };
}

/** What the task of an execution is called. */
export function taskName({}: SignedIn, { task }: Pick<WatchedExecution, 'task'>): string {
  const { deleted, unnamed } = en.admin.execution;
  return task ? (task.uniqueValue ?? unnamed) : deleted;
}

const tones: Readonly<Record<string, Tone>> = { Pending: 'waiting', Success: 'good', Fail: 'bad' };

/** What has become of an execution. */
export function ExecutionBadge({ execution: { status, isCancelled } }: OneProps): VNode {
  const { statuses, cancelled } = en.admin.execution;
  return isCancelled ? (
    <Badge>{cancelled}</Badge>
  ) : (
    <Badge tone={tones[status] ?? 'plain'}>{statuses[status]}</Badge>
  );
}

/** Who has begun it: a user, or the key of a program. */
export function Beginner({ execution: { performerId, keyName } }: OneProps): VNode {
  const reader = useReader();
  const words = en.admin.execution;
  const user = performerId === null ? undefined : reader.workspace.users.get(performerId);
  if (user) return <Somebody email={user.email} />;
  return <span class="muted">{keyName === undefined ? words.system : en.task.byKey(keyName)}</span>;
}

interface OneProps {
  readonly execution: WatchedExecution;
}
