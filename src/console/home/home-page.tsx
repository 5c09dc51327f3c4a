import { type Period } from '../../task-store/open-tasks.js';
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
import { useReader, type SignedIn } from '../reader.js';
import { NEXT } from '../task/next-action.js';
import { labelOf, taskPath } from '../task-shown.js';
import { type DueGroup, type DueTask, MAX_COUNTED, MAX_FAILURES, type PlacedFailure, type Work } from '../../executions/my-work.js'; // prettier-ignore
import { seesTeam } from '../../tasks/team-loads.js';

/** What is somebody's to do. */
export function HomePage(view: HomeProps): VNode {
  const reader = useReader();
  const { groups, failures, waiting, decisions } = view;
  const isIdle = [groups, failures, waiting, decisions].every(({ length }) => length === 0);
  return (
    <ConsolePage title="My tasks" live={{}}>
      <HomeHead lead={reader.user.firstName ? `Hello, ${reader.user.firstName}` : undefined} />
      {(!isIdle || reader.inbox.unread > 0) && <Strip {...view} />}
      {failures.length > 0 && (
        <Group
          id="failed"
          title="Failed"
          count={counted(reader, failures.length, failures.length >= MAX_FAILURES)}
        >
          {failures.map((failure) => (
            <Failure {...failure} />
          ))}
        </Group>
      )}
      {decisions.length > 0 && <Decisions {...view} />}
      {groups.map((group) => (
        <Due {...group} />
      ))}
      {waiting.length > 0 && <WaitingTasks waiting={waiting} />}
      {isIdle && (
        <Empty
          icon="inbox"
          title={reader.workflows.length === 0 ? 'No workflows yet' : 'Nothing is assigned to you'}
        >
          {reader.workflows.length === 0
            ? 'Workflows come from a definition. See the documentation of the service.'
            : 'No decision waits for you, and no action of yours has failed. Tasks assigned to you appear here, sorted by due date.'}
        </Empty>
      )}
    </ConsolePage>
  );
}

interface HomeProps extends Work {
  /** What waits for the decision of the user, and whether there are more. */
  readonly decisions: readonly WaitingApproval[];
  readonly hasMore: boolean;
}

/** The head of both pages: what is the reader's, and for who sees all tasks of a workflow what is everybody's. */
export function HomeHead({ lead }: { readonly lead: string | undefined }): VNode {
  const reader = useReader();
  const places = [['/', 'Mine'] as const, ['/team', 'Team'] as const];
  return (
    <header class="page-head stack gap-1">
      <div class="page-title line">
        <h1>{reader.path === '/team' ? 'Team' : 'My tasks'}</h1>
        {seesTeam(reader) && (
          <nav class="ways" aria-label="Whose tasks">
            {places.map(([href, name]) => (
              <a href={href} aria-current={href === reader.path ? 'page' : undefined}>
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
function Strip({ groups, failures, decisions, hasMore }: HomeProps): VNode {
  const reader = useReader();
  const totalOf = (period: string): number => groups.find((group) => group.period === period)?.total ?? 0;
  const items: (readonly [href: string, label: string, count: number, written?: string])[] = [
    ['#overdue', periodNames.overdue, totalOf('overdue')],
    ['#today', periodNames.today, totalOf('today')],
    ['#failed', 'Failed', failures.length, counted(reader, failures.length, failures.length >= MAX_FAILURES)],
    ['#decisions', 'Waiting for me', decisions.length, counted(reader, decisions.length, hasMore)],
    ['/inbox', 'Unread', reader.inbox.unread],
  ];
  return (
    <ul class="strip" aria-label="Needs your attention">
      {items.map(([href, label, count, written = counted(reader, count)]) => {
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

function Due({ period, tasks, total, workflows }: DueGroup): VNode {
  const reader = useReader();
  const filters = new URLSearchParams({ 'Assigned To': reader.user.email });
  return (
    <Group id={period} title={periodNames[period]} count={counted(reader, total)}>
      {tasks.map((each) => (
        <DueRow {...each} />
      ))}
      {total > tasks.length && (
        <li class="muted more">
          {counted(reader, total - tasks.length)} more, in{' '}
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
function DueRow({ workflow, task, next }: DueTask): VNode {
  const reader = useReader();
  const { day, dueAt, period } = task;
  const isLate = period === 'overdue';
  return (
    <WorkRow workflow={workflow} task={task} middle={next && <Next {...next} />}>
      {day !== null && (
        <time class={isLate ? 'late' : undefined} dateTime={dueAt?.toISOString() ?? day}>
          {dueInWords(reader, { day, dueAt, isLate })}
        </time>
      )}
    </WorkRow>
  );
}

function WorkRow({ workflow, task, at = '', middle, children }: WorkRowProps): VNode {
  return (
    <li id={`task-${task.publicId}${at}`}>
      <a class="row work-row" href={taskPath(workflow, task) + at}>
        <TaskInLine workflow={workflow} task={task} saysDue>
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
function Next({ name, unmet }: LikelyAction): VNode {
  const needs = unmet.map(({ message, about, isBlank, isOfChecklist }) =>
    isOfChecklist ? 'Checklist' : isBlank && about !== undefined ? labelOf(about) : english(message),
  );
  if (needs.length === 0) return <>Next: {name}</>;
  return (
    <span class="muted" title={`for ${name}`}>
      needs {needs.slice(0, MOST_NEEDS).join(', ')}
      {needs.length > MOST_NEEDS && ` and ${needs.length - MOST_NEEDS} more`}
    </span>
  );
}

const MOST_NEEDS = 2;

function Failure({ workflow, task, action }: PlacedFailure): VNode {
  const why = (
    <span class="fault">
      <Icon name="warning" />
      <Sayings all={[{ text: `${action} failed` }, ...(task.errors ?? []).map(messageOfText).map(said)]} />
    </span>
  );
  return (
    <WorkRow workflow={workflow} task={task} at={`#${NEXT}`} middle={why}>
      <Instant at={task.finishedAt} isShort />
    </WorkRow>
  );
}

function Decisions({ decisions, hasMore }: HomeProps): VNode {
  const reader = useReader();
  return (
    <Group id="decisions" title="Waiting for my decision" count={counted(reader, decisions.length, hasMore)}>
      {decisions.map(({ workflow, task, approvals: { action }, shown: { id, given, needed, since } }) => (
        <WorkRow
          workflow={workflow}
          task={task}
          at={`#approval-${action.id}-${id}`}
          middle={`${action.name}: ${id}, ${given} of ${needed} approved`}
        >
          <Instant at={new Date(since)} isShort />
        </WorkRow>
      ))}
    </Group>
  );
}

function WaitingTasks({ waiting }: Pick<Work, 'waiting'>): VNode {
  const reader = useReader();
  return (
    <section class="group">
      <p>Nothing is assigned to you, but these tasks wait for an action that your role allows:</p>
      <ul class="rows">
        {waiting.map(({ workflow, stage, actions, count }) => (
          <li>
            <a href={boardPath(workflow, new URLSearchParams({ Stage: stage.name }))}>
              {workflow.name}: {counted(reader, Math.min(count, MAX_COUNTED), count > MAX_COUNTED)} in{' '}
              {stage.name}
            </a>{' '}
            <span class="muted">{actions.join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const periodNames: Readonly<Record<Period, string>> = {
  overdue: 'Overdue',
  today: 'Today',
  week: 'This week',
  later: 'Later',
};
