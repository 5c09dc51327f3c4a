import { type VNode } from 'preact';
import { type Load } from '../../task-store/open-tasks.js';
import { type Workflow } from '../../workspace/workspace.js';
import { listPath } from '../board/addresses.js';
import { ConsolePage } from '../layout.js';
import { Empty } from '../parts/empty.js';
import { Table } from '../parts/table.js';
import { useReader, nameOfPerson, type SignedIn } from '../reader.js';
import { HomeHead } from './home-page.js';
import { type TeamLoad } from '../../tasks/team-loads.js';

/** Who has how much, what of it is late, and where it piles up: every number leads to its tasks. */
export function TeamPage({ team }: TeamProps): VNode {
  return (
    <ConsolePage title="Team" live={{ of: 'team' }}>
      <HomeHead lead="Open and overdue tasks of each person. Each number links to its tasks." />
      {team.length === 0 && <Empty icon="person" title="No open tasks" />}
      {team.map((load) => (
        <WorkflowLoad {...load} />
      ))}
    </ConsolePage>
  );
}

interface TeamProps {
  readonly team: readonly TeamLoad[];
}

function WorkflowLoad({ workflow, loads }: TeamLoad): VNode {
  const reader = useReader();
  const people = peopleIn(reader, loads);
  const stages = workflow.schema.stages.all.filter(({ isEnd }) => !isEnd);
  const everybody = { name: 'Everybody', loads };
  const rows = [everybody, ...people.slice(0, MAX_PEOPLE)].map((row) => {
    // Among people a bar is as long as their part of what the busiest has; all of it together would dwarf them.
    const most = totalOf(row === everybody ? row : (people[0] ?? row));
    const bar = { reader, workflow, row, most };
    return [
      row.name,
      ...stages.map((stage) => <Bar {...bar} stages={[stage]} about={stage.name} />),
      <Bar {...bar} stages={stages} about="Total" />,
      <Bar {...bar} stages={stages} about="Overdue" isLate />,
    ];
  });
  return (
    <section class="group team" aria-labelledby={`team-${workflow.slug}`}>
      <h2 id={`team-${workflow.slug}`}>{workflow.name}</h2>
      <Table
        caption={`Team: ${workflow.name}`}
        head={['Person', ...stages.map(({ name }) => name), 'Total', 'Overdue']}
        rows={rows}
      />
      {people.length > MAX_PEOPLE && <p class="muted more">and {people.length - MAX_PEOPLE} more</p>}
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
function peopleIn({ workspace }: SignedIn, loads: readonly Load[]): Person[] {
  const ids = [...new Set(loads.map(({ assigneeId }) => assigneeId))];
  const people = ids.map((id): Person => {
    const user = id === null ? undefined : workspace.users.get(id);
    const name = user ? nameOfPerson(user) : 'Nobody';
    return { name, email: user?.email ?? '', loads: loads.filter(({ assigneeId }) => assigneeId === id) };
  });
  return people.toSorted((one, other) => totalOf(other) - totalOf(one));
}

const totalOf = ({ loads }: Person): number => loads.reduce((sum, { tasks }) => sum + tasks, 0);

/** A number with a bar, which leads to the tasks that it counts. */
function Bar({ workflow, row, stages, about, most, isLate = false }: BarProps): VNode | null {
  const reader = useReader();
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
      {count.toLocaleString(reader.locale)}
      <span class="visually-hidden">{` ${row.name}, ${about}`}</span>
    </a>
  );
}

interface BarProps {
  readonly workflow: Workflow;
  readonly row: Person;
  readonly stages: Workflow['schema']['stages']['all'];
  /** What is counted. */
  readonly about: string;
  /** What the longest bar stands for. */
  readonly most: number;
  readonly isLate?: boolean;
}
