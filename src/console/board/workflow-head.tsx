import { type VNode } from 'preact';
import { type Scope } from '../../workspace/scope.js';
import { NewTaskLink } from '../new/new-task-page.js';
import { Icon } from '../parts/icon.js';
import { type SignedIn } from '../reader.js';
import { boardPath, filtersOf, listPath } from './boards.js';
import { type Property } from '../../schema/property.js';
import { type Workflow } from '../../workspace/workspace.js';
import { Choice, peopleOf } from '../parts/control.js';
import { Hidden } from '../parts/form.js';
import { labelOf } from '../task-shown.js';

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

/** What chooses among the tasks, as the address has it: the common filters to be entered, the others to be taken away. */
export function FilterBar({ to, workflow, filters, at }: FilterProps): VNode {
  const { words } = to;
  const pathOf = at === 'list' ? listPath : boardPath;
  const entered = controlsOf(to, workflow);
  const names = new Set(entered.map(({ name }) => name));
  const isEntered = ([name, value]: [string, string]): boolean =>
    names.has(name) && value !== '' && filters.getAll(name).length === 1;
  const others = [...filters].filter((pair) => !isEntered(pair));
  const chips = others.filter(([name]) => name !== '_fields');
  const chosen = (name: string): string =>
    isEntered([name, filters.get(name) ?? '']) ? (filters.get(name) ?? '') : '';
  return (
    <search class="filters">
      <form
        action={`/workflows/${encodeURIComponent(workflow.slug)}/filter`}
        aria-label={words.board.filters}
      >
        <Hidden fields={{ others: new URLSearchParams(others).toString(), at }} />
        {entered.map(({ name, label, options }) =>
          options ? (
            <label>
              <span>{label}</span>
              <Choice name={name} options={options} chosen={chosen(name)} none={words.board.any} />
            </label>
          ) : (
            <label>
              <span>{label}</span>
              <input type="search" name={name} value={chosen(name)} />
            </label>
          ),
        )}
        <button type="submit">{words.board.filter}</button>
        {filters.size > 0 && <a href={pathOf(workflow, new URLSearchParams())}>{words.board.clear}</a>}
      </form>
      {chips.length > 0 && (
        <ul class="tags">
          {chips.map(([name, value]) => (
            <li class="badge">
              {inWords(to, workflow, name, value)}
              <a
                href={pathOf(workflow, without(filters, name, value))}
                aria-label={words.board.without(inWords(to, workflow, name, value))}
              >
                ×
              </a>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}

/** What a parameter of the address asks for. */
function inWords(to: SignedIn, { schema }: Workflow, name: string, value: string): string {
  const { board } = to.words;
  if (name === '_search') return board.withWords(value);
  if (name === '_sort') return board.sortedBy(labelOf(to, value.replace(/^-/, '')), value.startsWith('-'));
  const [, of = name, operator] = (schema.byName.has(name) ? null : bracketed.exec(name)) ?? [];
  const say = operator as keyof typeof board.operators | undefined;
  return board.operators[say ?? (value === '' ? 'blank' : 'eq')](labelOf(to, of), value);
}

const bracketed = /^(.*)\[(ne|gte?|lte?|contains)\]$/s;

/** The others. */
function without(filters: URLSearchParams, name: string, value: string): URLSearchParams {
  return new URLSearchParams([...filters].filter((pair) => pair[0] !== name || pair[1] !== value));
}

interface FilterProps {
  readonly to: SignedIn;
  readonly workflow: Workflow;
  readonly filters: URLSearchParams;
  /** Where the filters are. */
  readonly at: 'board' | 'list';
}

interface Control {
  /** Of the parameter. */
  readonly name: string;
  readonly label: string;
  /** Absent where a text is asked for. */
  readonly options?: readonly (readonly [value: string, label: string])[];
}

/** The filters that the board asks for: words, the assignee, and the first fields with options. */
function controlsOf(to: SignedIn, { schema }: Workflow): Control[] {
  const { words } = to;
  const fields = schema.properties.filter(hasOptions).slice(0, MAX_FIELDS);
  return [
    ...(schema.isSearched ? [{ name: '_search', label: words.board.words }] : []),
    { name: 'Assigned To', label: words.board.assignee, options: peopleOf(to) },
    ...fields.map(({ name, view: { ask } }) => ({
      name,
      label: name,
      options: ask.options.map((option): [string, string] => [option, option]),
    })),
  ];
}

const MAX_FIELDS = 3;

type WithOptions = Property & { readonly view: { readonly ask: { readonly options: readonly string[] } } };

function hasOptions(property: Property): property is WithOptions {
  const by = property.view?.ask.by;
  return property.filter !== undefined && (by === 'option' || by === 'options');
}
