import { type View } from '../../workflows/model/kinds/views.kind.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type SignedIn } from '../reader.js';

/** What of a page's address stays from page to page: which tasks, in which order, what of each, and the view that it came from. */
export function filtersOf(query: URLSearchParams): URLSearchParams {
  return withoutNames(query, ofPages);
}

/** The parameter that says what has become of the tasks that were chosen on a page. */
export const DONE = '_done';

/** The parameter that names those of them that can be given back what they held. */
export const UNDO = '_undo';

/** What an address says of what was done. */
export const ofAnswers: ReadonlySet<string> = new Set([DONE, UNDO]);

const ofPages: ReadonlySet<string> = new Set(['_limit', '_after', '_count', ...ofAnswers]);

/** The parameter that names a view. */
export const VIEW = '_view';

/** Where a view is shown. */
export const viewPath = (id: string): string => `/views/${encodeURIComponent(id)}`;

/** The view that a page of this workflow came from. */
export const viewHere = ({ view }: SignedIn, { id }: Workflow): View | undefined =>
  view?.workflow.id === id ? view : undefined;

/** What does not choose among tasks. */
export const ofLooks: ReadonlySet<string> = new Set(['_fields', VIEW]);

/** What of that lists of the API are asked by. */
export const askedOf = (query: URLSearchParams): URLSearchParams =>
  withoutNames(filtersOf(query), new Set([VIEW]));

/** The others. */
export function withoutNames(query: URLSearchParams, names: ReadonlySet<string>): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => !names.has(name)));
}

/** The board or list that filters are of. */
export interface FilterProps {
  readonly workflow: Workflow;
  readonly filters: URLSearchParams;
  readonly at: PageOfTasks;
}

/** The pages that filters choose tasks for. */
export type PageOfTasks = 'board' | 'list' | 'figures';

type Named = Pick<Workflow, 'slug'>;

/** The board with these filters. */
export const boardPath = (workflow: Named, filters: URLSearchParams): string => pathOf(workflow, '', filters);

/** The list with these. */
export const listPath = (workflow: Named, filters: URLSearchParams): string =>
  pathOf(workflow, '/list', filters);

/** What its figures say about these. */
export const figuresPath = (workflow: Named, filters: URLSearchParams): string =>
  pathOf(workflow, '/figures', filters);

/** One of them. */
export const pathAs = (at: PageOfTasks): typeof listPath =>
  ({ board: boardPath, list: listPath, figures: figuresPath })[at];

/** What is said to figures only. */
export const ofFigures: ReadonlySet<string> = new Set(['_weeks', 'group', '_time', '_imports']);

/** What leads to the board or list that a form of filters asks for. */
export const filterPath = (workflow: Named): string => pathOf(workflow, '/filter', new URLSearchParams());

function pathOf({ slug }: Named, page: string, filters: URLSearchParams): string {
  const path = `/workflows/${encodeURIComponent(slug)}${page}`;
  return filters.size === 0 ? path : `${path}?${filters.toString()}`;
}
