import { type VNode } from 'preact';
import { type Scope } from '../../workspace/scope.js';
import { NewTaskLink } from '../new/new-task-page.js';
import { Empty } from '../parts/empty.js';
import { Icon } from '../parts/icon.js';
import { type SignedIn } from '../reader.js';
import { boardPath, type FilterProps, listPath, pathAs, viewHere, withoutNames } from './addresses.js';

/** The name of a workflow with how many tasks are shown and the ways to look at them. */
export function WorkflowHead({ to, scope, filters, at, total, isMore = false }: HeadProps): VNode {
  const { words, locale } = to;
  const { workflow } = scope;
  const view = viewHere(to, workflow);
  // Columns are chosen for one of the two.
  const chosen = (as: 'board' | 'list'): URLSearchParams =>
    as === at ? filters : withoutNames(filters, new Set(['_fields']));
  return (
    <header class="page-head stack gap-1">
      <div class="page-title line">
        <h1>
          {view ? view.name : workflow.name}{' '}
          {view && <span class="muted">{words.lists.views.in(workflow.name)}</span>}{' '}
          {total !== undefined && (
            <span class="count">
              {total.toLocaleString(locale)}
              {isMore && '+'}
            </span>
          )}
        </h1>
        <nav class="ways" aria-label={words.list.ways}>
          <a href={boardPath(workflow, chosen('board'))} aria-current={at === 'board' ? 'page' : undefined}>
            <Icon name="board" /> {words.list.board}
          </a>
          <a href={listPath(workflow, chosen('list'))} aria-current={at === 'list' ? 'page' : undefined}>
            <Icon name="list" /> {words.list.list}
          </a>
        </nav>
        <NewTaskLink to={to} scope={scope} />
      </div>
    </header>
  );
}

interface HeadProps {
  readonly to: SignedIn;
  readonly scope: Scope;
  readonly filters: URLSearchParams;
  readonly at: 'board' | 'list';
  readonly total: number | undefined;
  /** Whether there are more than that. */
  readonly isMore?: boolean;
}

/** What stands in place of tasks where there are none, and the way back to all of them. */
export function NoTasks({ to: { words }, workflow, filters, at }: FilterProps): VNode {
  const isChosen = filters.size > 0;
  return (
    <Empty icon={at} title={isChosen ? words.board.nothingSuch : words.board.nothing}>
      {isChosen && <a href={pathAs(at)(workflow, new URLSearchParams())}>{words.board.clear}</a>}
    </Empty>
  );
}
