import { type VNode } from 'preact';
import { MAX_COUNT } from '../../task-store/whole-list.repository.js';
import { ConsolePage } from '../layout.js';
import { type OpenApproval } from '../../approvals/approval.dto.js';
import { Instant } from '../parts/time.js';
import { type TaskGroup, type Waiting } from '../my-tasks.js';
import { Empty } from '../parts/empty.js';
import { TaskLine } from '../parts/task-line.js';
import { type SignedIn } from '../reader.js';

/** What is somebody's to do. */
export function HomePage({
  to,
  groups,
  waiting,
  decisions,
  live,
}: {
  readonly to: SignedIn;
  readonly groups: readonly TaskGroup[];
  /** What waits for the user where nothing is assigned to them. */
  readonly waiting: readonly Waiting[];
  /** What waits for the decision of the user. */
  readonly decisions: readonly OpenApproval[];
  readonly live: string;
}): VNode {
  const { words } = to;
  return (
    <ConsolePage to={to} title={words.myTasks} live={live}>
      <header class="page-head">
        <h1>{words.myTasks}</h1>
        {to.user.firstName != null && to.user.firstName !== '' && (
          <p class="muted">{words.home.hello(to.user.firstName)}</p>
        )}
      </header>
      {decisions.length > 0 && <Decisions to={to} decisions={decisions} />}
      {groups.map((group) => (
        <TaskGroup to={to} group={group} />
      ))}
      {waiting.length > 0 && <WaitingTasks to={to} waiting={waiting} />}
      {groups.length === 0 && waiting.length === 0 && decisions.length === 0 && (
        <Empty icon="inbox" title={to.workflows.length === 0 ? words.home.noWorkflows : words.home.nothing}>
          {to.workflows.length === 0 ? words.home.noWorkflowsMore : words.home.nothingMore}
        </Empty>
      )}
    </ConsolePage>
  );
}

function Decisions({
  to,
  decisions,
}: {
  readonly to: SignedIn;
  readonly decisions: readonly OpenApproval[];
}): VNode {
  const words = to.words.approvals;
  const actionIn = (slug: string, id: string): string => {
    const workflow = [...to.workspace.workflows.values()].find((each) => each.slug === slug);
    return workflow?.actions.find((action) => action.id === id)?.name ?? id;
  };
  return (
    <section class="group" aria-labelledby="decisions">
      <h2 id="decisions">{words.waiting}</h2>
      <ul class="rows">
        {decisions.map(({ workflow, task, action, id, given, needed, since }) => (
          <li class="row">
            <a href={`${new URL(task.url).pathname}#approvals`}>{task.unique_id ?? workflow}</a>{' '}
            <span>{words.waitingOn(id, actionIn(workflow, action))}</span>{' '}
            <span class="muted">
              {words.given(given, needed)} ·{' '}
              <Instant at={new Date(since)} to={to} timeZone={to.timeZone} isShort />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function WaitingTasks({
  to,
  waiting,
}: {
  readonly to: SignedIn;
  readonly waiting: readonly Waiting[];
}): VNode {
  const { home } = to.words;
  return (
    <section class="group">
      <p>{home.waiting}</p>
      <ul class="rows">
        {waiting.map(({ workflow, stage, actions, ...counted }) => (
          <li>
            <a
              href={`/workflows/${encodeURIComponent(workflow.slug)}?${new URLSearchParams({ Stage: stage.name }).toString()}`}
            >
              {workflow.name}: {home.waitingIn(writtenCount(to, counted), stage.name)}
            </a>{' '}
            <span class="muted">{actions.join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function writtenCount({ locale }: SignedIn, { count, most }: Pick<Waiting, 'count' | 'most'>): string {
  return Math.min(count, most).toLocaleString(locale) + (count > most ? '+' : '');
}

function TaskGroup({ to, group }: { readonly to: SignedIn; readonly group: TaskGroup }): VNode {
  const { workflow, tasks, total } = group;
  const counted = Math.min(total, MAX_COUNT);
  const written = (count: number): string => count.toLocaleString(to.locale) + (total > MAX_COUNT ? '+' : '');
  return (
    <section class="group" aria-labelledby={`group-${workflow.slug}`}>
      <h2 id={`group-${workflow.slug}`}>
        <a href={`/workflows/${encodeURIComponent(workflow.slug)}`}>{workflow.name}</a>
        <span class="count">{written(counted)}</span>
      </h2>
      <ul class="rows">
        {tasks.map((each) => (
          <TaskLine to={to} workflow={workflow} {...each} />
        ))}
      </ul>
      {counted > tasks.length && (
        <p class="muted more">{to.words.home.more(written(counted - tasks.length))}</p>
      )}
    </section>
  );
}
