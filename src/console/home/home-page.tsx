import { type Period } from '../../tasks/store/open-tasks.js';
import { type ComponentChildren, type VNode } from 'preact';
import { type LikelyAction } from '../../actions/next-actions.js';
import { type Unmet } from '../../actions/requirement.js';
import { type WaitingApproval } from '../../approvals/open-approvals.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { listPath } from '../board/addresses.js';
import { ConsolePage } from '../layout.js';
import { dueInWords, OverdueMark } from '../parts/due.js';
import { Empty } from '../parts/notices.js';
import { useNamed } from '../parts/sayings.js';
import { TaskInLine } from '../parts/task-line.js';
import { Instant } from '../parts/time.js';
import { Section } from '../parts/section.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { useReader, type SignedIn } from '../reader.js';
import { labelOf, taskPath } from '../task-shown.js';
import { type DueGroup, type DueTask, MAX_COUNTED } from '../../executions/my-work.js';
import { seesTeam } from '../../tasks/team-loads.js';

export function HomePage(view: HomeProps): VNode {
  const reader = useReader();
  const { decisions } = view;
  const groups = groupsBeside(view);
  const isIdle = groups.length + decisions.length === 0;
  return (
    <ConsolePage title="My tasks" live={{}}>
      <HomeHead />
      {decisions.length > 0 && <Decisions {...view} />}
      {groups.map((group) => (
        <Due {...group} />
      ))}
      {isIdle && (
        <Empty
          icon="inbox"
          title={reader.workflows.length === 0 ? 'No workflows yet' : 'Nothing is assigned to you'}
        >
          {reader.workflows.length === 0
            ? 'Workflows come from a definition. See the documentation of the service.'
            : 'No decision waits for you. Tasks assigned to you appear here, sorted by due date.'}
        </Empty>
      )}
    </ConsolePage>
  );
}

interface HomeProps extends DecisionsProps {
  readonly groups?: readonly DueGroup[];
}

interface DecisionsProps {
  readonly decisions: readonly WaitingApproval[];
  /** The cursor of the next decisions, if any. */
  readonly next: string | undefined;
  /** Whether the page shows only decisions. */
  readonly onlyDecisions?: boolean;
}

/** The reader's open tasks, grouped by due date, without the tasks of `decisions`. */
function groupsBeside({ groups = [], decisions }: HomeProps): DueGroup[] {
  const above = new Set(decisions.map(({ approvals }) => approvals.task.publicId));
  return groups.flatMap((group) => {
    const tasks = group.tasks.filter(({ task }) => !above.has(task.publicId));
    const total = group.total - (group.tasks.length - tasks.length);
    return total > 0 ? { ...group, tasks, total } : [];
  });
}

/** The heading of "My tasks" and "Team". Readers who see all tasks of a workflow get links to both pages. */
export function HomeHead({ lead }: { readonly lead?: string }): VNode {
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

/** Writes a count, followed by `+` if there may be more. */
const counted = ({ locale }: SignedIn, count: number, hasMore = count >= MAX_COUNTED): string =>
  count.toLocaleString(locale) + (hasMore ? '+' : '');

function Group({ id, title, count, children }: GroupProps): VNode {
  return (
    <Section class="group" id={id} title={[title, ' ', <span class="count">{count}</span>]} tabIndex={-1}>
      <ul class="rows">{children}</ul>
    </Section>
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

function DueRow({ workflow, task, next }: DueTask): VNode {
  const reader = useReader();
  const { dueAt, period } = task;
  const isLate = period === 'overdue';
  return (
    <WorkRow workflow={workflow} task={task} middle={next && <Next {...next} />}>
      {dueAt !== null && (
        <time class={isLate ? 'late' : undefined} dateTime={dueAt.toISOString()}>
          {dueInWords(reader, dueAt, isLate)}
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
  readonly at?: '' | `#${string}`;
  readonly middle: ComponentChildren;
  readonly children: ComponentChildren;
}

function Next({ name, unmet }: LikelyAction): VNode {
  const named = useNamed();
  const nameOf = ({ message, about, isBlank, isOfChecklist, isOfApprovals }: Unmet): string => {
    if (isOfApprovals) return 'Approvals';
    return isOfChecklist ? 'Checklist' : isBlank && about !== undefined ? labelOf(about) : named(message);
  };
  const needs = [...new Set(unmet.map(nameOf))];
  if (needs.length === 0) return <>Next: {name}</>;
  return (
    <span class="muted" title={`for ${name}`}>
      needs {needs.slice(0, MOST_NEEDS).join(', ')}
      {needs.length > MOST_NEEDS && ` and ${needs.length - MOST_NEEDS} more`}
    </span>
  );
}

const MOST_NEEDS = 2;

/**
 * Lists the approvals that wait for the reader, by task. By default, lists the first tasks, with a link to
 * all of them. With `onlyDecisions`, lists all tasks in pages.
 */
function Decisions({ decisions, next, onlyDecisions = false }: DecisionsProps): VNode {
  const reader = useReader();
  const idOf = ({ approvals: { task } }: WaitingApproval): string => task.publicId;
  const ids = [...new Set(decisions.map(idOf))];
  const count = counted(reader, ids.length, next !== undefined);
  const rest = onlyDecisions ? next : next !== undefined || ids.length > MAX_SHOWN ? '0' : undefined;
  return (
    <Group id="decisions" title="Waiting for my decision" count={count}>
      {ids.slice(0, onlyDecisions ? undefined : MAX_SHOWN).map((id) => (
        <DecisionRow approvals={decisions.filter((one) => idOf(one) === id)} />
      ))}
      {rest !== undefined && (
        <li class="more">
          <a href={`/?waiting=${rest}`}>{onlyDecisions ? 'More' : `All ${count}`}</a>
        </li>
      )}
    </Group>
  );
}

const MAX_SHOWN = 10;

/** A task with the approval groups that wait for the reader. */
function DecisionRow({ approvals }: { readonly approvals: readonly WaitingApproval[] }): VNode | null {
  const [first] = approvals;
  if (!first) return null;
  const { workflow, task, plan } = first.approvals;
  const said = approvals.map(({ group: { id, given, count } }) => `Approval: ${id}, ${given} of ${count}`);
  return (
    <WorkRow
      workflow={workflow}
      task={task}
      at={`#approval-${plan.action.id}-${first.group.id}`}
      middle={said.join('; ')}
    >
      <OverdueMark task={task} /> <Instant at={new Date(first.since)} isShort />
    </WorkRow>
  );
}

const periodNames: Readonly<Record<Period, string>> = {
  overdue: 'Overdue',
  today: 'Today',
  week: 'This week',
  later: 'Later',
};
