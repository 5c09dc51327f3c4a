import { type ComponentChildren, type VNode } from 'preact';
import { type TaskCount } from '../../tasks/list/task-lists.service.js';
import { type Scope } from '../../workflows/model/scope.js';
import { ConsolePage } from '../layout.js';
import { NewTaskLink } from '../new/new-task-page.js';
import { Empty, type Notice } from '../parts/notices.js';
import { Icon } from '../parts/icon.js';
import { useReader } from '../reader.js';
import {
  type FilterProps,
  ofFigures,
  ofLooks,
  type PageOfTasks,
  pathAs,
  viewHere,
  withoutNames,
} from './addresses.js';
import { FilterBar } from './filter-bar.js';

/** A page of the filtered tasks of a workflow: the head, the filters and the tasks. */
export function TasksPage({
  scope,
  filters,
  at,
  total,
  isEmpty,
  notice,
  tools,
  children,
}: TasksPageProps): VNode {
  const reader = useReader();
  const { workflow } = scope;
  const page = { workflow, filters, at };
  return (
    <ConsolePage
      title={viewHere(reader, workflow)?.name ?? workflow.name}
      live={{ workflow: workflow.slug }}
      notice={notice}
    >
      <WorkflowHead scope={scope} filters={filters} at={at} total={total} />
      <FilterBar {...page}>{tools}</FilterBar>
      {isEmpty && <NoTasks {...page} />}
      {children}
    </ConsolePage>
  );
}

interface TasksPageProps extends HeadProps {
  readonly isEmpty: boolean;
  readonly notice: Notice | undefined;
  readonly tools: ComponentChildren;
  readonly children: ComponentChildren;
}

export function WorkflowHead({ scope, filters, at, total }: HeadProps): VNode {
  const reader = useReader();
  const { workflow } = scope;
  const view = viewHere(reader, workflow);
  // Board and list have different columns, so links to other pages do not keep `_fields`.
  const others = withoutNames(filters, new Set(['_fields', ...(at === 'figures' ? ofFigures : [])]));
  return (
    <header class="page-head stack gap-1">
      <div class="page-title line">
        <h1>
          {view ? view.name : workflow.name} {view && <span class="muted">in {workflow.name}</span>}{' '}
          {total && <Count of={total} />}
        </h1>
        <nav class="ways" aria-label="View">
          {ways.map(([way, icon, text]) => {
            const chosen = way === 'figures' ? withoutNames(others, new Set(['_sort'])) : others;
            const path = pathAs(way)(workflow, way === at ? filters : chosen);
            return (
              <a href={path} aria-current={way === at ? 'page' : undefined}>
                <Icon name={icon} /> {text}
              </a>
            );
          })}
        </nav>
        <NewTaskLink scope={scope} />
      </div>
    </header>
  );
}

interface HeadProps {
  readonly scope: Scope;
  readonly filters: URLSearchParams;
  readonly at: PageOfTasks;
  readonly total: TaskCount | undefined;
}

const ways = [
  ['board', 'board', 'Board'],
  ['list', 'list', 'List'],
  ['figures', 'chart', 'Figures'],
] as const;

/** A number of tasks, followed by `+` if the count stopped at this number. */
export const Count = ({ of: { count, isMore } }: { readonly of: TaskCount }): VNode => (
  <span class="count">
    {count.toLocaleString(useReader().locale)}
    {isMore && '+'}
  </span>
);

/** The text for an empty list of tasks. If the URL has filters, a link clears them. */
function NoTasks({ workflow, filters, at }: FilterProps): VNode {
  const isChosen = withoutNames(filters, ofLooks).size > 0;
  const icon = at === 'list' ? 'list' : 'board';
  return (
    <Empty icon={icon} title={isChosen ? 'No tasks match these filters' : 'No tasks'}>
      {isChosen && <a href={pathAs(at)(workflow, new URLSearchParams())}>Clear all</a>}
    </Empty>
  );
}
