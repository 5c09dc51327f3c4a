import { type ComponentChildren, type VNode } from 'preact';
import { type LikelyAction } from '../../actions/next-actions.js';
import { type WaitingApproval } from '../../approvals/open-approvals.js';
import { english, messageOfText } from '../../lib/message.js';
import { type TaskRow } from '../../task-store/task-row.js';
import { boardPath, listPath } from '../board/addresses.js';
import { ConsolePage } from '../layout.js';
import { dueInWords } from '../parts/due.js';
import { Empty } from '../parts/empty.js';
import { Icon } from '../parts/icon.js';
import { Sayings, said } from '../parts/sayings.js';
import { TaskInLine } from '../parts/task-line.js';
import { Instant } from '../parts/time.js';
import { type Workflow } from '../../workspace/workspace.js';
import { type SignedIn } from '../reader.js';
import { PANEL } from '../task/needs-part.js';
import { labelOf, taskPath } from '../task-shown.js';
import { type DueGroup, type DueTask, MAX_COUNTED, MAX_FAILURES, type PlacedFailure, type Work } from '../../executions/my-work.js'; // prettier-ignore
import { seesTeam } from '../../tasks/team-loads.js';

/** What is somebody's to do. */
export function HomePage(view: HomeProps): VNode {
  const { to, groups, failures, waiting, decisions, live } = view;
  const { words } = to;
  const isIdle = [groups, failures, waiting, decisions].every(({ length }) => length === 0);
  return (
    <ConsolePage to={to} title={words.myTasks} live={live}>
      <HomeHead to={to} lead={to.user.firstName ? words.home.hello(to.user.firstName) : undefined} />
      {(!isIdle || to.inbox.unread > 0) && <Strip {...view} />}
      {failures.length > 0 && (
        <Group
          id="failed"
          title={words.home.failed}
          count={counted(to, failures.length, failures.length >= MAX_FAILURES)}
        >
          {failures.map((failure) => (
            <Failure to={to} {...failure} />
          ))}
        </Group>
      )}
      {decisions.length > 0 && <Decisions {...view} />}
      {groups.map((group) => (
        <Due to={to} {...group} />
      ))}
      {waiting.length > 0 && <WaitingTasks to={to} waiting={waiting} />}
      {isIdle && (
        <Empty icon="inbox" title={to.workflows.length === 0 ? words.home.noWorkflows : words.home.nothing}>
          {to.workflows.length === 0 ? words.home.noWorkflowsMore : words.home.nothingMore}
        </Empty>
      )}
    </ConsolePage>
  );
}

interface Of {
  readonly to: SignedIn;
}

interface HomeProps extends Work, Of {
  /** What waits for the decision of the user, and whether there are more. */
  readonly decisions: readonly WaitingApproval[];
  readonly hasMore: boolean;
  readonly live: string;
}

/** The head of both pages: what is the reader's, and for who sees all tasks of a workflow what is everybody's. */
export function HomeHead({ to, lead }: Of & { readonly lead: string | undefined }): VNode {
  const { home, myTasks } = to.words;
  const places = [['/', home.mine] as const, ['/team', home.team] as const];
  return (
    <header class="page-head stack gap-1">
      <div class="page-title line">
        <h1>{to.path === '/team' ? home.team : myTasks}</h1>
        {seesTeam(to) && (
          <nav class="ways" aria-label={home.ways}>
            {places.map(([href, name]) => (
              <a href={href} aria-current={href === to.path ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
        )}
      </div>
      {lead !== undefined && <p class="muted">{lead}</p>}
    </header>
  );
}

/** A number, and `+` behind it where there may be more. */
const counted = ({ locale }: SignedIn, count: number, hasMore = count >= MAX_COUNTED): string =>
  count.toLocaleString(locale) + (hasMore ? '+' : '');

/** How much there is of each kind, each a way to it. */
function Strip({ to, groups, failures, decisions, hasMore }: HomeProps): VNode {
  const { home } = to.words;
  const totalOf = (period: string): number => groups.find((group) => group.period === period)?.total ?? 0;
  const items: (readonly [href: string, label: string, count: number, written?: string])[] = [
    ['#overdue', home.periods.overdue, totalOf('overdue')],
    ['#today', home.periods.today, totalOf('today')],
    ['#failed', home.failed, failures.length, counted(to, failures.length, failures.length >= MAX_FAILURES)],
    ['#decisions', home.decisions, decisions.length, counted(to, decisions.length, hasMore)],
    ['/inbox', to.words.inbox.isUnread, to.inbox.unread],
  ];
  return (
    <ul class="strip" aria-label={home.strip}>
      {items.map(([href, label, count, written = counted(to, count)]) => {
        const content = [<strong>{written}</strong>, ' ', <span>{label}</span>];
        const isPressing = count > 0 && (href === '#overdue' || href === '#failed');
        return <li class={isPressing ? 'pressing' : ''}>{count > 0 ? <a href={href}>{content}</a> : <span>{content}</span>}</li>; // prettier-ignore
      })}
    </ul>
  );
}

function Group({ id, title, count, children }: GroupProps): VNode {
  return (
    <section class="group" id={id} aria-labelledby={`${id}-name`} tabIndex={-1}>
      <h2 id={`${id}-name`}>
        {title} <span class="count">{count}</span>
      </h2>
      <ul class="rows">{children}</ul>
    </section>
  );
}

interface GroupProps {
  readonly id: string;
  readonly title: string;
  readonly count: string;
  readonly children: ComponentChildren;
}

function Due({ to, period, tasks, total, workflows }: DueGroup & Of): VNode {
  const { home } = to.words;
  const filters = new URLSearchParams({ 'Assigned To': to.user.email });
  return (
    <Group id={period} title={home.periods[period]} count={counted(to, total)}>
      {tasks.map((each) => (
        <DueRow to={to} {...each} />
      ))}
      {total > tasks.length && (
        <li class="muted more">
          {home.more(counted(to, total - tasks.length))}{' '}
          {workflows.map((workflow, at) => [
            at > 0 && ', ',
            <a href={listPath(workflow, filters)}>{workflow.name}</a>,
          ])}
        </li>
      )}
    </Group>
  );
}

/** A task in one line: what it is, what comes next, where it stands and when it is due. */
function DueRow({ to, workflow, task, next }: DueTask & Of): VNode {
  const { day, dueAt, period } = task;
  const isLate = period === 'overdue';
  return (
    <WorkRow workflow={workflow} task={task} middle={next && <Next to={to} {...next} />}>
      {day !== null && (
        <time class={isLate ? 'late' : undefined} dateTime={dueAt?.toISOString() ?? day}>
          {dueInWords(to, { day, dueAt, isLate })}
        </time>
      )}
    </WorkRow>
  );
}

function WorkRow({ workflow, task, at = '', middle, children }: WorkRowProps): VNode {
  return (
    <li id={`task-${task.publicId}${at}`}>
      <a class="row work-row" href={taskPath(workflow, task) + at}>
        <TaskInLine workflow={workflow} task={task}>
          <span class="row-next">{middle}</span>
          <span class="row-id">{workflow.name}</span>
        </TaskInLine>
        <span class="row-due">{children}</span>
      </a>
    </li>
  );
}

interface WorkRowProps {
  readonly workflow: Workflow;
  readonly task: TaskRow;
  /** Where on its page it leads. */
  readonly at?: '' | `#${string}`;
  readonly middle: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The next action, or what it waits for. */
function Next({ to, name, unmet }: LikelyAction & Of): VNode {
  const { home, task } = to.words;
  const needs = unmet.map(({ message, about, isBlank, isOfChecklist }) =>
    isOfChecklist ? task.checklist : isBlank && about !== undefined ? labelOf(to, about) : english(message),
  );
  if (needs.length === 0) return <>{home.next(name)}</>;
  return (
    <span class="muted" title={home.toDo(name)}>
      {home.needs(needs.slice(0, MOST_NEEDS).join(', '), Math.max(0, needs.length - MOST_NEEDS))}
    </span>
  );
}

const MOST_NEEDS = 2;

function Failure({ to, workflow, task, action }: PlacedFailure & Of): VNode {
  const words = to.words.task;
  const why = (
    <span class="fault">
      <Icon name="warning" />
      <Sayings all={[{ text: words.failed(action) }, ...(task.errors ?? []).map(messageOfText).map(said)]} />
    </span>
  );
  return (
    <WorkRow workflow={workflow} task={task} at={`#${PANEL}`} middle={why}>
      <Instant at={task.finishedAt} to={to} isShort />
    </WorkRow>
  );
}

function Decisions({ to, decisions, hasMore }: HomeProps): VNode {
  const { approvals: words } = to.words;
  return (
    <Group id="decisions" title={words.waiting} count={counted(to, decisions.length, hasMore)}>
      {decisions.map(({ workflow, task, approvals: { action }, shown: { id, given, needed, since } }) => (
        <WorkRow
          workflow={workflow}
          task={task}
          at={`#approval-${action.id}-${id}`}
          middle={`${words.waitingOn(id, action.name)}, ${words.given(given, needed)}`}
        >
          <Instant at={new Date(since)} to={to} isShort />
        </WorkRow>
      ))}
    </Group>
  );
}

function WaitingTasks({ to, waiting }: Pick<Work, 'waiting'> & Of): VNode {
  const { home } = to.words;
  return (
    <section class="group">
      <p>{home.waiting}</p>
      <ul class="rows">
        {waiting.map(({ workflow, stage, actions, count }) => (
          <li>
            <a href={boardPath(workflow, new URLSearchParams({ Stage: stage.name }))}>
              {workflow.name}:{' '}
              {home.waitingIn(counted(to, Math.min(count, MAX_COUNTED), count > MAX_COUNTED), stage.name)}
            </a>{' '}
            <span class="muted">{actions.join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
