import { type VNode } from 'preact';
import { type Scope } from '../../workflows/model/scope.js';
import { NewTaskLink } from '../new/new-task-page.js';
import { Empty } from '../parts/notices.js';
import { Icon } from '../parts/icon.js';
import { useReader } from '../reader.js';
import {
  boardPath,
  figuresPath,
  type FilterProps,
  listPath,
  ofFigures,
  type PageOfTasks,
  pathAs,
  viewHere,
  withoutNames,
} from './addresses.js';

export function WorkflowHead({ scope, filters, at, total, isMore = false }: HeadProps): VNode {
  const reader = useReader();
  const { locale } = reader;
  const { workflow } = scope;
  const view = viewHere(reader, workflow);
  // The choice of columns belongs to one of the pages.
  const chosen = (as: PageOfTasks): URLSearchParams =>
    as === at
      ? filters
      : withoutNames(
          filters,
          new Set([
            '_fields',
            ...(at === 'figures' ? ofFigures : []),
            ...(as === 'figures' ? ['_sort'] : []),
          ]),
        );
  return (
    <header class="page-head stack gap-1">
      <div class="page-title line">
        <h1>
          {view ? view.name : workflow.name} {view && <span class="muted">in {workflow.name}</span>}{' '}
          {total !== undefined && (
            <span class="count">
              {total.toLocaleString(locale)}
              {isMore && '+'}
            </span>
          )}
        </h1>
        <nav class="ways" aria-label="View">
          <a href={boardPath(workflow, chosen('board'))} aria-current={at === 'board' ? 'page' : undefined}>
            <Icon name="board" /> Board
          </a>
          <a href={listPath(workflow, chosen('list'))} aria-current={at === 'list' ? 'page' : undefined}>
            <Icon name="list" /> List
          </a>
          <a
            href={figuresPath(workflow, chosen('figures'))}
            aria-current={at === 'figures' ? 'page' : undefined}
          >
            <Icon name="chart" /> Figures
          </a>
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
  readonly total: number | undefined;
  readonly isMore?: boolean;
}

/** What an empty list of tasks shows: a text, and a link to all tasks. */
export function NoTasks({ workflow, filters, at }: FilterProps): VNode {
  const isChosen = filters.size > 0;
  return (
    <Empty
      icon={at === 'figures' ? 'chart' : at}
      title={isChosen ? 'No tasks match these filters' : 'No tasks'}
    >
      {isChosen && <a href={pathAs(at)(workflow, new URLSearchParams())}>Clear all</a>}
    </Empty>
  );
}
