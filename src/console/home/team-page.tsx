import { type VNode } from 'preact';
import { type Load } from '../../tasks/store/open-tasks.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { listPath } from '../board/addresses.js';
import { ConsolePage } from '../layout.js';
import { absenceOf } from '../parts/avatar.js';
import { Empty } from '../parts/notices.js';
import { dueInWords } from '../parts/due.js';
import { Table } from '../parts/table.js';
import { Instant } from '../parts/time.js';
import { Section } from '../parts/section.js';
import { useReader, nameOfPerson, type SignedIn } from '../reader.js';
import { HomeHead } from './home-page.js';
import { type TeamLoad } from '../../tasks/team-loads.js';

/** Counts the overdue tasks and the tasks in each stage, for each user. Each number links to its tasks. */
export function TeamPage({ team }: { readonly team: readonly TeamLoad[] }): VNode {
  return (
    <ConsolePage title="Team" live={{ of: 'team' }}>
      <HomeHead lead="Open tasks of each person, the most overdue first. Each number links to its tasks." />
      {team.length === 0 && <Empty icon="person" title="No open tasks" />}
      {team.map((load) => (
        <WorkflowLoad {...load} />
      ))}
    </ConsolePage>
  );
}

function WorkflowLoad({ workflow, loads }: TeamLoad): VNode {
  const reader = useReader();
  const people = peopleIn(reader, loads);
  const stages = workflow.schema.stages.all.filter(({ isEnd }) => !isEnd);
  const everybody: Person = { name: 'Everybody', loads };
  const rows = [everybody, ...people.slice(0, MAX_PEOPLE)].map((row) => [
    row.name,
    <>
      <Count workflow={workflow} row={row} stages={stages} about="Overdue" isLate />
      <Latest row={row} />
    </>,
    ...stages.map((stage) => (
      <>
        <Count workflow={workflow} row={row} stages={[stage]} about={stage.name} />
        {row === everybody && <Oldest loads={loadsIn(row, [stage])} />}
      </>
    )),
    <Count workflow={workflow} row={row} stages={stages} about="Total" />,
  ]);
  return (
    <Section class="group team" id={`team-${workflow.slug}`} title={workflow.name}>
      <Table
        caption={`Team: ${workflow.name}`}
        head={['Person', 'Overdue', ...stages.map(({ name }) => name), 'Total']}
        rows={rows}
        isStacked
      />
      {people.length > MAX_PEOPLE && <p class="muted more">and {people.length - MAX_PEOPLE} more</p>}
    </Section>
  );
}

const MAX_PEOPLE = 100;

/** A row of the table. `email` is '' in the row of unassigned tasks, and absent in the row for everybody. */
interface Person {
  readonly name: string;
  readonly email?: string;
  readonly loads: readonly Load[];
}

/** Sorts the assignees and `Nobody` by the oldest overdue deadline, then by the number of tasks. */
function peopleIn(reader: SignedIn, loads: readonly Load[]): Person[] {
  const ids = [...new Set(loads.map(({ assigneeId }) => assigneeId))];
  const people = ids.map((id): Person => {
    const user = id === null ? undefined : reader.workspace.users.get(id);
    const name = user ? nameOfPerson(user) + absenceOf(reader, user) : 'Nobody';
    return { name, email: user?.email ?? '', loads: loads.filter(({ assigneeId }) => assigneeId === id) };
  });
  return people.toSorted((one, other) => latestOf(one) - latestOf(other) || totalOf(other) - totalOf(one));
}

const totalOf = ({ loads }: Person): number => loads.reduce((sum, { tasks }) => sum + tasks, 0);

/** The oldest deadline of the overdue tasks. Users without overdue tasks sort last. */
const latestOf = ({ loads }: Person): number =>
  Math.min(Number.MAX_SAFE_INTEGER, ...loads.flatMap(({ oldestDue }) => oldestDue?.getTime() ?? []));

const loadsIn = ({ loads }: Person, stages: Stages): Load[] =>
  loads.filter(({ stageId }) => stages.some(({ id }) => id === stageId));

type Stages = Workflow['schema']['stages']['all'];

function Oldest({ loads }: Pick<Person, 'loads'>): VNode | null {
  if (loads.length === 0) return null;
  const at = new Date(Math.min(...loads.map(({ since }) => since.getTime())));
  return (
    <small class="muted">
      {' '}
      oldest <Instant at={at} isShort />
    </small>
  );
}

/** How late the most overdue task of a row is. */
function Latest({ row }: { readonly row: Person }): VNode | null {
  const reader = useReader();
  const at = latestOf(row);
  if (at === Number.MAX_SAFE_INTEGER) return null;
  const dueAt = new Date(at);
  return <small class="late"> · {dueInWords(reader, dueAt, true)}</small>;
}

function Count({ workflow, row, stages, about, isLate = false }: CountProps): VNode | null {
  const reader = useReader();
  const count = loadsIn(row, stages).reduce((sum, { tasks, overdue }) => sum + (isLate ? overdue : tasks), 0);
  if (count === 0) return null;
  const filters = new URLSearchParams(stages.map(({ name }) => ['Stage', name]));
  if (row.email !== undefined) filters.set('Assigned To', row.email);
  if (isLate) filters.set('_overdue', 'true');
  return (
    <a class={isLate ? 'load late' : 'load'} href={listPath(workflow, filters)}>
      {count.toLocaleString(reader.locale)}
      <span class="visually-hidden">{` ${row.name}, ${about}`}</span>
    </a>
  );
}

interface CountProps {
  readonly workflow: Workflow;
  readonly row: Person;
  readonly stages: Stages;
  readonly about: string;
  readonly isLate?: boolean;
}
