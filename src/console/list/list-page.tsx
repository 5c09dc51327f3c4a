import { type VNode } from 'preact';
import { JsonText } from '../../../packages/exact-json/json.js';
import { type ListedProperty, type Property } from '../../schema/property.js';
import { instants } from '../../schema/properties/instant.js';
import { type TaskRow } from '../../task-store/task-row.js';
import { type FoundTasks, MAX_COUNT } from '../../tasks/list/task-lists.service.js';
import { type Scope } from '../../workspace/scope.js';
import { type Workflow } from '../../workspace/workspace.js';
import { listPath } from '../board/boards.js';
import { refusalOf } from '../parts/notices.js';
import { WorkflowHead, FilterBar } from '../board/workflow-head.js';
import { ConsolePage } from '../layout.js';
import { StageBadge } from '../parts/badge.js';
import { Empty } from '../parts/empty.js';
import { Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { Table } from '../parts/table.js';
import { Value } from '../parts/value.js';
import { type SignedIn } from '../reader.js';
import { labelOf, taskPath } from '../task-shown.js';
import { titleOf, titleProperty } from '../../task-store/task-title.js';
import { type Message } from '../../lib/message.js';
import { type TaskSchema } from '../../schema/task-schema.js';

/** A page of a list, with the keys that it shows. */
export interface Rows extends FoundTasks {
  readonly columns: readonly ListedProperty[];
}

/** The tasks of a workflow in a table. */
export function ListPage({ to, scope, query, found, live }: ListProps): VNode {
  const { workflow } = scope;
  const { words } = to;
  const filters = withoutPages(query);
  const isRead = !Array.isArray(found);
  const notice = refusalOf(isRead ? [] : found.map(to.words.said));
  const next = new URLSearchParams(filters);
  if (isRead && found.cursor !== undefined) next.set('_after', found.cursor);
  return (
    <ConsolePage to={to} title={workflow.name} live={live} notice={notice}>
      <WorkflowHead
        to={to}
        scope={scope}
        filters={filters}
        at="list"
        total={isRead && found.total !== undefined ? Math.min(found.total, MAX_COUNT) : undefined}
        isMore={isRead && (found.total ?? 0) > MAX_COUNT}
      />
      <FilterBar to={to} workflow={workflow} filters={filters} at="list" />
      {isRead && (
        <div class="list-tools">
          <Columns to={to} workflow={workflow} filters={filters} shown={found.columns} />
          <a class="button quiet" href={exportPath(workflow, filters)} data-turbo="false">
            <Icon name="download" /> {words.list.export}
          </a>
        </div>
      )}
      {isRead && found.tasks.length === 0 && <Empty icon="list" title={words.board.nothingSuch} />}
      {isRead && found.tasks.length > 0 && <TaskTable to={to} rows={found} filters={filters} />}
      <nav class="actions" aria-label={words.list.pages}>
        {query.has('_after') && <a href={listPath(workflow, filters)}>{words.board.first}</a>}
        {next.has('_after') && <a href={listPath(workflow, next)}>{words.list.next}</a>}
      </nav>
    </ConsolePage>
  );
}

function TaskTable({ to, rows: { workflow, tasks, columns }, filters }: TaskTableProps): VNode {
  const lead = leadOf(workflow.schema);
  const all = [lead, ...columns];
  return (
    <div class="task-list">
      <Table
        caption={workflow.name}
        head={all.map((column) =>
          column ? (
            <SortLink to={to} workflow={workflow} column={column} filters={filters} />
          ) : (
            to.words.list.task
          ),
        )}
        sorted={all.map((column) => column && directionOf(column.name, filters))}
        numeric={all.map((column) => column !== lead && column?.view?.show.as === 'number')}
        ids={tasks.map(({ publicId }) => `task-${publicId}`)}
        rows={tasks.map((task) => [
          <a href={taskPath(workflow, task)}>{titleOf(workflow, task)}</a>,
          ...columns.map((column) => <Cell to={to} workflow={workflow} task={task} column={column} />),
        ])}
      />
    </div>
  );
}

interface TaskTableProps {
  readonly to: SignedIn;
  readonly rows: Rows;
  readonly filters: URLSearchParams;
}

const exportPath = ({ slug }: Workflow, filters: URLSearchParams): string =>
  `/workflows/${encodeURIComponent(slug)}/list/export?${filters.toString()}`;

interface ListProps {
  readonly to: SignedIn;
  readonly scope: Scope;
  readonly query: URLSearchParams;
  /** Or what is wrong with the query. */
  readonly found: Rows | Message[];
  readonly live: string;
}

const withoutPages = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...query].filter(([name]) => !['_limit', '_after', '_count'].includes(name)));

/** Sorts by a column, and downwards where it is sorted by that already. */
function SortLink({ to, workflow, column: { name }, filters }: SortProps): VNode {
  const direction = directionOf(name, filters);
  const query = new URLSearchParams(filters);
  query.set('_sort', direction === 'ascending' ? `-${name}` : name);
  return (
    <a class="sort" href={listPath(workflow, query)}>
      {labelOf(to, name)}
      {direction && <span aria-hidden="true">{direction === 'ascending' ? ' ↑' : ' ↓'}</span>}
    </a>
  );
}

/** Which way the list is sorted by this key before all others. */
function directionOf(name: string, filters: URLSearchParams): 'ascending' | 'descending' | undefined {
  const sorted = filters.get('_sort');
  return sorted === name ? 'ascending' : sorted === `-${name}` ? 'descending' : undefined;
}

interface SortProps {
  readonly to: SignedIn;
  readonly workflow: Workflow;
  readonly column: ListedProperty;
  readonly filters: URLSearchParams;
}

function Cell({ to, workflow, task, column }: CellProps): VNode | null {
  const { stages } = workflow.schema;
  if (column.name === 'Stage') {
    const stage = stages.get(task.stageId);
    return <StageBadge stage={stage} place={stages.all.indexOf(stage)} count={stages.all.length} to={to} />;
  }
  const value = column.serialize(task);
  if (value === null || value === '' || value instanceof JsonText) return null;
  const as = instants.has(column.name)
    ? 'instant'
    : column.filter?.subject.of === 'assignee'
      ? 'person'
      : undefined;
  const show = as ? ({ as } as const) : (column.view?.show ?? ({ as: 'line' } as const));
  return <Value to={to} show={show} value={typeof value === 'string' ? shortened(value) : value} />;
}

interface CellProps {
  readonly to: SignedIn;
  readonly workflow: Workflow;
  readonly task: TaskRow;
  readonly column: ListedProperty;
}

/** A table shows the beginning of long texts. */
const shortened = (text: string): string => {
  const letters = Array.from(text.slice(0, 2 * MAX_LETTERS));
  return letters.length > MAX_LETTERS ? `${letters.slice(0, MAX_LETTERS).join('')}…` : text;
};

const MAX_LETTERS = 200;

/** Which columns there are to be. */
function Columns({ to, workflow, filters, shown }: ColumnsProps): VNode {
  const others = new URLSearchParams([...filters].filter(([name]) => name !== '_fields'));
  return (
    <details class="columns">
      <summary>{to.words.list.columns}</summary>
      <form action={`/workflows/${encodeURIComponent(workflow.slug)}/filter`}>
        <Hidden fields={{ others: others.toString(), at: 'list' }} />
        {columnsOf(workflow.schema).map(({ name }) => (
          <label class="tick">
            <input
              type="checkbox"
              name="_fields"
              value={name}
              checked={shown.some((column) => column.name === name)}
            />
            {labelOf(to, name)}
          </label>
        ))}
        <button type="submit">{to.words.list.show}</button>
      </form>
    </details>
  );
}

interface ColumnsProps {
  readonly to: SignedIn;
  readonly workflow: Workflow;
  readonly filters: URLSearchParams;
  readonly shown: readonly ListedProperty[];
}

/** The key that the first column of a table shows, and leads to the tasks by: their title or, where there is none, the Unique ID. */
export function leadOf({ properties, byName, uniqueId }: TaskSchema): Property | undefined {
  return titleProperty(properties) ?? (uniqueId && byName.get(uniqueId.name));
}

/** The keys that a table can show beside that: linked tasks and files are shown by the page of a task. */
export function columnsOf(schema: TaskSchema): ListedProperty[] {
  const lead = leadOf(schema);
  return [
    ...schema.properties.filter((property) => isShown(property) && property !== lead),
    ...instants.values(),
  ];
}

/** What a table shows unless it is told: the first few, without texts of many lines. */
export function defaultColumns({ schema }: Workflow): string[] {
  const lead = leadOf(schema);
  return schema.properties
    .filter((property) => isShown(property) && property !== lead && property.view?.show.as !== 'lines')
    .slice(0, MAX_COLUMNS)
    .map(({ name }) => name);
}

const MAX_COLUMNS = 6;

const isShown = ({ filter, links, files }: Property): boolean => filter !== undefined && !links && !files;
