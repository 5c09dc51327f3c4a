import { type VNode } from 'preact';
import { type ListedProperty } from '../../workflows/fields/property.js';
import { type FoundTasks } from '../../tasks/list/task-lists.service.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { ofAnswers, listPath, filtersOf, withoutNames } from '../board/addresses.js';
import { type Fitting } from '../board/fitting-query.js';
import { refusalOf } from '../parts/notices.js';
import { TasksPage } from '../board/workflow-head.js';
import { type Bulk, BulkBar, chosenValue } from './bulk-bar.js';
import { Cell, Columns, leadOf } from './columns.js';
import { OverdueMark } from '../parts/due.js';
import { Icon } from '../parts/icon.js';
import { Table } from '../parts/table.js';
import { labelOf, taskPath } from '../task-shown.js';
import { titleOf } from '../../workflows/fields/task-title.js';

export interface TableRows extends FoundTasks {
  readonly columns: readonly ListedProperty[];
}

export function ListPage({ scope, query, read: { found, faults }, bulk }: ListProps): VNode {
  const { workflow } = scope;
  const filters = filtersOf(query);
  const notice = refusalOf(faults) ?? bulk.notice;
  const next = new URLSearchParams(filters);
  if (found?.cursor !== undefined) next.set('_after', found.cursor);
  const tools = found && (
    <>
      <Columns workflow={workflow} filters={filters} at="list" shown={found.columns} />
      <a class="button quiet" href={exportPath(workflow, filters)} data-turbo="false">
        <Icon name="download" /> Export CSV
      </a>
    </>
  );
  const page = { scope, filters, total: found?.total, isEmpty: found?.tasks.length === 0, notice, tools };
  return (
    <TasksPage {...page} at="list">
      {found && found.tasks.length > 0 && (
        <TaskTable scope={scope} rows={found} filters={filters} bulk={bulk} />
      )}
      {bulk.menus.length > 0 && (
        <BulkBar bulk={bulk} path={listPath(workflow, withoutNames(query, ofAnswers))} />
      )}
      <nav class="actions" aria-label="Pages">
        {query.has('_after') && <a href={listPath(workflow, filters)}>Back to the beginning</a>}
        {next.has('_after') && <a href={listPath(workflow, next)}>Next page</a>}
      </nav>
    </TasksPage>
  );
}

function TaskTable({ scope, rows, filters, bulk }: TaskTableProps): VNode {
  const { workflow, tasks, columns } = rows;
  const lead = leadOf(workflow.schema);
  const all = [lead, ...columns];
  const isDueShown = columns.some(({ name }) => name === '_due');
  return (
    <div class="task-list">
      <Table
        caption={workflow.name}
        head={all.map((column, at) => (
          <>
            {at === 0 && bulk.menus.length > 0 && (
              <input type="checkbox" class="select-all" aria-label="Select all on this page" />
            )}
            {column ? <SortLink scope={scope} column={column} filters={filters} /> : 'Task'}
          </>
        ))}
        sorted={all.map((column) => column && directionOf(column.name, filters))}
        numeric={all.map((column) => column !== lead && column?.view?.show.as === 'number')}
        ids={tasks.map(({ publicId }) => `task-${publicId}`)}
        rows={tasks.map((task) => [
          <>
            {bulk.menus.length > 0 && (
              <input
                type="checkbox"
                class="pick"
                form="bulk"
                name="task"
                value={chosenValue(task)}
                aria-label={titleOf(workflow, task)}
                checked={bulk.chosen?.has(task.publicId) === true}
              />
            )}
            <a href={taskPath(workflow, task)}>{titleOf(workflow, task)}</a>
            {!isDueShown && !workflow.schema.stages.get(task.stageId).isEnd && <OverdueMark task={task} />}
          </>,
          ...columns.map((column) => <Cell workflow={workflow} task={task} column={column} />),
        ])}
      />
    </div>
  );
}

interface TaskTableProps extends Pick<ListProps, 'scope' | 'bulk'> {
  readonly rows: TableRows;
  readonly filters: URLSearchParams;
}

const exportPath = ({ slug }: Workflow, filters: URLSearchParams): string =>
  `/workflows/${encodeURIComponent(slug)}/list/export?${filters.toString()}`;

interface ListProps {
  readonly scope: Scope;
  readonly query: URLSearchParams;
  readonly read: Fitting<TableRows>;
  readonly bulk: Bulk;
}

/**
 * A link that sorts the list by a column in ascending order. If the list already has this order, the link
 * sorts in descending order.
 */
function SortLink({ scope, column, filters }: SortProps): VNode {
  const { name } = column;
  const direction = directionOf(name, filters);
  const query = new URLSearchParams(filters);
  query.set('_sort', direction === 'ascending' ? `-${name}` : name);
  return (
    <a class="sort" href={listPath(scope.workflow, query)}>
      {labelOf(name)}
      {direction && <span aria-hidden="true">{direction === 'ascending' ? ' ↑' : ' ↓'}</span>}
    </a>
  );
}

/** The direction if the list is sorted by this column. Undefined if the first `_sort` names another order. */
function directionOf(name: string, filters: URLSearchParams): 'ascending' | 'descending' | undefined {
  const sorted = filters.get('_sort');
  return sorted === name ? 'ascending' : sorted === `-${name}` ? 'descending' : undefined;
}

interface SortProps extends Pick<TaskTableProps, 'scope' | 'filters'> {
  readonly column: ListedProperty;
}
