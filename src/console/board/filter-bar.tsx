import { type ComponentChildren, type VNode } from 'preact';
import { type Workflow } from '../../workflows/model/workspace.js';
import { Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { useReader, type SignedIn } from '../reader.js';
import { filterPath, type FilterProps, ofFigures, ofLooks, pathAs, withoutNames } from './addresses.js';
import { FilterForm } from './filter-form.js';
import { chipsOf } from './filter-words.js';

/**
 * The filters of a page: a search box, quick filters, a menu of further filters (not on the page of figures),
 * and a description of each active filter.
 */
export function FilterBar(props: FilterBarProps): VNode {
  const reader = useReader();
  const { workflow, filters, at, children } = props;
  const pathOf = pathAs(at);
  const shown = new Set([...ofLooks, ...(at === 'figures' ? ofFigures : [])]);
  const chips = chipsOf(reader, workflow.schema, filters, shown);
  return (
    <search class="filters stack" aria-label="Filters">
      <div class="line">
        {workflow.schema.isSearched && <Words {...props} />}
        <ul class="quick line gap-1" aria-label="Quick filters">
          {quickChoices(reader, workflow).map(({ label, name, value }) => (
            <li>
              <a
                class="button"
                href={pathOf(workflow, put(filters, name, value))}
                aria-current={filters.get(name) === value ? 'true' : undefined}
              >
                {label}
              </a>
            </li>
          ))}
        </ul>
        {at !== 'figures' && <FilterForm workflow={workflow} filters={filters} at={at} />}
        {children}
      </div>
      {chips.length > 0 && (
        <ul class="tags line">
          {chips.map(({ text, without: rest }) => (
            <li class="badge">
              {text}
              <a
                class="button quiet sign"
                href={pathOf(workflow, rest)}
                aria-label={`Remove filter: ${text}`}
                title={`Remove filter: ${text}`}
              >
                <Icon name="cross" />
              </a>
            </li>
          ))}
          <li>
            <a class="button quiet small" href={pathOf(workflow, onlyOfPages(filters))}>
              Clear all
            </a>
          </li>
        </ul>
      )}
    </search>
  );
}

interface FilterBarProps extends FilterProps {
  readonly children?: ComponentChildren;
}

interface QuickChoice {
  readonly label: string;
  readonly name: string;
  readonly value: string;
}

function quickChoices({ user }: SignedIn, { schema }: Workflow): QuickChoice[] {
  return [
    { label: 'Me', name: 'Assigned To', value: user.email },
    { label: 'Nobody', name: 'Assigned To', value: '' },
    ...(schema.stages.all.some(({ isEnd }) => isEnd)
      ? [{ label: 'Open only', name: '_active', value: 'true' }]
      : []),
  ];
}

function put(filters: URLSearchParams, name: string, value: string): URLSearchParams {
  const query = new URLSearchParams(filters);
  query.set(name, value);
  return query;
}

const onlyOfPages = (filters: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...filters].filter(([name]) => ofLooks.has(name) || ofFigures.has(name)));

function Words({ workflow, filters, at }: FilterBarProps): VNode {
  const others = withoutNames(filters, new Set(['_search'])).toString();
  return (
    <form action={filterPath(workflow)} class="search-box">
      <Hidden fields={{ others, at }} />
      <Icon name="search" />
      <input
        type="search"
        name="_search"
        value={filters.get('_search') ?? ''}
        placeholder="Filter by words"
        aria-label="Filter by words"
        maxLength={200}
      />
    </form>
  );
}
