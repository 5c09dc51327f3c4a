import { type VNode } from 'preact';
import { todayIn } from '../../lib/calendar.js';
import { type Load } from '../../task-store/open-tasks.js';
import { type Workflow } from '../../workspace/workspace.js';
import { listPath } from '../board/boards.js';
import { ConsolePage } from '../layout.js';
import { Empty } from '../parts/empty.js';
import { Table } from '../parts/table.js';
import { nameOfPerson, type SignedIn } from '../reader.js';
import { HomeHead } from './home-page.js';
import { dueFieldOf, type TeamLoad } from './my-work.js';

/** Who has how much, what of it is late, and where it piles up: every number leads to its tasks. */
export function TeamPage({
  to,
  loads,
}: {
  readonly to: SignedIn;
  readonly loads: readonly TeamLoad[];
}): VNode {
  const { home } = to.words;
  return (
    <ConsolePage to={to} title={home.team}>
      <HomeHead to={to} lead={home.teamLead} />
      {loads.length === 0 && <Empty icon="person" title={home.noTeam} />}
      {loads.map((load) => (
        <WorkflowLoad to={to} load={load} />
      ))}
    </ConsolePage>
  );
}

function WorkflowLoad({ to, load: { workflow, loads } }: LoadProps): VNode {
  const { home } = to.words;
  const people = peopleIn(to, loads);
  const stages = workflow.schema.stages.all.filter((stage) => !stage.isEnd);
  const rows = [{ name: home.everybody, loads }, ...people];
  const sums = rows.map((row) => [
    ...stages.map(({ id }) => sumOf(row.loads, ({ stageId, tasks }) => (stageId === id ? tasks : 0))),
    sumOf(row.loads, ({ tasks }) => tasks),
  ]);
  // Of one person at a time: beside the sums nobody's share would be seen.
  const longest = sums.map((_, at) => Math.max(...(at === 0 ? sums.slice(0, 1) : sums.slice(1)).flatMap((row) => row.slice(0, -1)), 1)); // prettier-ignore
  const wholes = sums.map((_, at) => Math.max(...(at === 0 ? sums.slice(0, 1) : sums.slice(1)).map((row) => row.at(-1) ?? 0), 1)); // prettier-ignore
  return (
    <section class="group team" aria-labelledby={`team-${workflow.slug}`}>
      <h2 id={`team-${workflow.slug}`}>{workflow.name}</h2>
      <Table
        caption={`${home.team}: ${workflow.name}`}
        head={[home.who, ...stages.map(({ name }) => name), home.inAll, to.words.time.overdue]}
        rows={rows.map((row, at) => {
          const late = sumOf(row.loads, ({ overdue }) => overdue);
          const stageNames = stages.map(({ name }) => name);
          return [
            row.name,
            ...stages.map(({ name }, place) => (
              <Bar
                {...{ to, workflow, row }}
                stages={[name]}
                about={name}
                count={sums[at]?.[place] ?? 0}
                most={longest[at] ?? 1}
              />
            )),
            <Bar
              {...{ to, workflow, row }}
              stages={stageNames}
              about={home.inAll}
              count={sums[at]?.at(-1) ?? 0}
              most={wholes[at] ?? 1}
            />,
            <Bar
              {...{ to, workflow, row }}
              stages={stageNames}
              about={to.words.time.overdue}
              count={late}
              most={wholes[at] ?? 1}
              isLate
            />,
          ];
        })}
      />
    </section>
  );
}

interface LoadProps {
  readonly to: SignedIn;
  readonly load: TeamLoad;
}

/** Of whom a row is: of everybody without an e-mail, of nobody with a blank one. */
interface Person {
  readonly name: string;
  readonly email?: string;
  readonly loads: readonly Load[];
  /** Whether they are several, whom no list names. */
  readonly isRest?: boolean;
}

/** Who has some, those with the most first; of very many those behind them together. */
function peopleIn({ workspace, words }: SignedIn, loads: readonly Load[]): Person[] {
  const ids = [...new Set(loads.map(({ assigneeId }) => assigneeId))];
  const people = ids.map((id): Person => {
    const user = id === null ? undefined : workspace.users.get(id);
    const name = user ? nameOfPerson(user) : words.nobody;
    return { name, email: user?.email ?? '', loads: loads.filter(({ assigneeId }) => assigneeId === id) };
  });
  const sorted = people.toSorted((one, other) => sumOf(other.loads, tasksOfLoad) - sumOf(one.loads, tasksOfLoad)); // prettier-ignore
  const rest = sorted.slice(MAX_PEOPLE);
  if (rest.length === 0) return sorted;
  const name = words.home.others(rest.length);
  return [...sorted.slice(0, MAX_PEOPLE), { name, loads: rest.flatMap((one) => one.loads), isRest: true }];
}

const MAX_PEOPLE = 50;

const tasksOfLoad = ({ tasks }: Load): number => tasks;

const sumOf = (loads: readonly Load[], of: (load: Load) => number): number =>
  loads.reduce((sum, load) => sum + of(load), 0);

/** A number as a bar, which leads to the tasks that it counts. */
function Bar({ to, workflow, row, stages, about, count, most, isLate = false }: BarProps): VNode | null {
  if (count === 0) return null;
  const content = (
    <>
      <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width={Math.max(2, (100 * count) / most)} height="6" />
      </svg>
      {count.toLocaleString(to.locale)}
      <span class="visually-hidden">{` ${row.name}, ${about}`}</span>
    </>
  );
  const look = isLate ? 'load late' : 'load';
  if (row.isRest) return <span class={look}>{content}</span>;
  const filters = new URLSearchParams(stages.map((name) => ['Stage', name]));
  if (row.email !== undefined) filters.set('Assigned To', row.email);
  if (isLate) filters.set(...lateFilter(workflow, to));
  return (
    <a class={look} href={listPath(workflow, filters)}>
      {content}
    </a>
  );
}

interface BarProps {
  readonly to: SignedIn;
  readonly workflow: Workflow;
  readonly row: Person;
  /** Their names. */
  readonly stages: readonly string[];
  /** What is counted. */
  readonly about: string;
  readonly count: number;
  /** What the longest bar stands for. */
  readonly most: number;
  readonly isLate?: boolean;
}

/** What of a list's query finds the tasks that are overdue. */
function lateFilter(workflow: Workflow, { timeZone, now }: SignedIn): [name: string, value: string] {
  const field = dueFieldOf(workflow);
  return field ? [`${field.name}[lt]`, todayIn(timeZone, now)] : ['_overdue', 'true'];
}
