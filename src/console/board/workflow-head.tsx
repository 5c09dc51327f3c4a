import { type VNode } from 'preact';
import { type Scope } from '../../workspace/scope.js';
import { NewTaskLink } from '../new/new-task-page.js';
import { Icon } from '../parts/icon.js';
import { type SignedIn } from '../reader.js';
import { boardPath, filtersOf, listPath } from './boards.js';

/** The name of a workflow with how many tasks are shown and the ways to look at them. */
export function WorkflowHead({ to, scope, filters, at, total, isMore = false }: HeadProps): VNode {
  const { words, locale } = to;
  const { workflow } = scope;
  return (
    <>
      <header class="page-head">
        <div class="page-title">
          <h1>
            {workflow.name}{' '}
            {total !== undefined && (
              <span class="count">
                {total.toLocaleString(locale)}
                {isMore && '+'}
              </span>
            )}
          </h1>
          <nav class="ways" aria-label={words.list.ways}>
            <a
              href={boardPath(workflow, filtersOf(filters))}
              aria-current={at === 'board' ? 'page' : undefined}
            >
              <Icon name="board" /> {words.list.board}
            </a>
            <a href={listPath(workflow, filters)} aria-current={at === 'list' ? 'page' : undefined}>
              <Icon name="list" /> {words.list.list}
            </a>
          </nav>
          <NewTaskLink to={to} scope={scope} />
        </div>
      </header>
    </>
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
