import { type VNode } from 'preact';
import { type Load } from '../../task-store/open-tasks.js';
import { type Workflow } from '../../workspace/workspace.js';
import { listPath } from '../board/addresses.js';
import { ConsolePage } from '../layout.js';
import { Empty } from '../parts/empty.js';
import { Table } from '../parts/table.js';
import { nameOfPerson, type SignedIn } from '../reader.js';
import { HomeHead } from './home-page.js';
import { type TeamLoad } from '../../tasks/team-loads.js';

/** Who has how much, what of it is late, and where it piles up: every number leads to its tasks. */
export function TeamPage({ to, team, live }: TeamProps): VNode {
  const { home } = to.words;
  return (
    <ConsolePage to={to} title={home.team} live={live}>
      <HomeHead to={to} lead={home.teamLead} />
      {team.length === 0 && <Empty icon="person" title={home.noTeam} />}
      {team.map((load) => (
        <WorkflowLoad to={to} {...load} />
      ))}
    </ConsolePage>
  );
}

interface TeamProps {
  readonly to: SignedIn;
  readonly team: readonly TeamLoad[];
  readonly live: string;
}

function WorkflowLoad({ to, workflow, loads }: TeamLoad & { readonly to: SignedIn }): VNode {
  const { home, time } = to.words;
  const people = peopleIn(to, loads);
  const stages = workflow.schema.stages.all.filter(({ isEnd }) => !isEnd);
  const everybody = { name: home.everybody, loads };
  const rows = [everybody, ...people.slice(0, MAX_PEOPLE)].map((row) => {
    // Among people a bar is as long as their part of what the busiest has; all of it together would dwarf them.
    const most = totalOf(row === everybody ? row : (people[0] ?? row));
    const bar = { to, workflow, row, most };
    return [
      row.name,
      ...stages.map((stage) => <Bar {...bar} stages={[stage]} about={stage.name} />),
      <Bar {...bar} stages={stages} about={home.inAll} />,
      <Bar {...bar} stages={stages} about={time.overdue} isLate />,
    ];
  });
  return (
    <section class="group team" aria-labelledby={`team-${workflow.slug}`}>
      <h2 id={`team-${workflow.slug}`}>{workflow.name}</h2>
      <Table
        caption={`${home.team}: ${workflow.name}`}
        head={[home.who, ...stages.map(({ name }) => name), home.inAll, time.overdue]}
        rows={rows}
      />
      {people.length > MAX_PEOPLE && <p class="muted more">{home.others(people.length - MAX_PEOPLE)}</p>}
    </section>
  );
}

const MAX_PEOPLE = 100;

/** Of whom a row is; nobody has a blank e-mail, and everybody none. */
interface Person {
  readonly name: string;
  readonly email?: string;
  readonly loads: readonly Load[];
}

/** Who has some, the busiest first. */
function peopleIn({ workspace, words }: SignedIn, loads: readonly Load[]): Person[] {
  const ids = [...new Set(loads.map(({ assigneeId }) => assigneeId))];
  const people = ids.map((id): Person => {
    const user = id === null ? undefined : workspace.users.get(id);
    const name = user ? nameOfPerson(user) : words.nobody;
    return { name, email: user?.email ?? '', loads: loads.filter(({ assigneeId }) => assigneeId === id) };
  });
  return people.toSorted((one, other) => totalOf(other) - totalOf(one));
}

const totalOf = ({ loads }: Person): number => loads.reduce((sum, { tasks }) => sum + tasks, 0);

/** A number with a bar, which leads to the tasks that it counts. */
function Bar({ to, workflow, row, stages, about, most, isLate = false }: BarProps): VNode | null {
  const counted = row.loads.filter(({ stageId }) => stages.some(({ id }) => id === stageId));
  const count = counted.reduce((sum, { tasks, overdue }) => sum + (isLate ? overdue : tasks), 0);
  if (count === 0) return null;
  const filters = new URLSearchParams(stages.map(({ name }) => ['Stage', name]));
  if (row.email !== undefined) filters.set('Assigned To', row.email);
  if (isLate) filters.set('_overdue', 'true');
  return (
    <a class={isLate ? 'load late' : 'load'} href={listPath(workflow, filters)}>
      <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width={Math.max(3, (100 * count) / most)} height="6" />
      </svg>
      {count.toLocaleString(to.locale)}
      <span class="visually-hidden">{` ${row.name}, ${about}`}</span>
    </a>
  );
}

interface BarProps {
  readonly to: SignedIn;
  readonly workflow: Workflow;
  readonly row: Person;
  readonly stages: Workflow['schema']['stages']['all'];
  /** What is counted. */
  readonly about: string;
  /** What the longest bar stands for. */
  readonly most: number;
  readonly isLate?: boolean;
}
