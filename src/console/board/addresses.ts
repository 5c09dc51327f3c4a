import { type View } from '../../workflows/model/kinds/views.kind.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type SignedIn } from '../reader.js';

/** The filters in a page's address. */
export function filtersOf(query: URLSearchParams): URLSearchParams {
  return withoutNames(query, ofPages);
}

/** The parameter that tells the outcome for the chosen tasks. */
export const DONE = '_done';

/** The parameter that names the tasks whose former value can be restored. */
export const UNDO = '_undo';

/** The parameters of an address that tell of the last operation. */
export const ofAnswers: ReadonlySet<string> = new Set([DONE, UNDO]);

const ofPages: ReadonlySet<string> = new Set(['_limit', '_after', '_count', ...ofAnswers]);

/** The parameter that names a view. */
export const VIEW = '_view';

/** The path of a view. */
export const viewPath = (id: string): string => `/views/${encodeURIComponent(id)}`;

/** The view that a page of this workflow came from. */
export const viewHere = ({ view }: SignedIn, { id }: Workflow): View | undefined =>
  view?.workflow.id === id ? view : undefined;

/** The parameters that select no tasks. */
export const ofLooks: ReadonlySet<string> = new Set(['_fields', VIEW]);

/** The parameters for lists of the API. */
export const askedOf = (query: URLSearchParams): URLSearchParams =>
  withoutNames(filtersOf(query), new Set([VIEW]));

/** The parameters without these. */
export function withoutNames(query: URLSearchParams, names: ReadonlySet<string>): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => !names.has(name)));
}

/** The board or list of some filters. */
export interface FilterProps {
  readonly workflow: Workflow;
  readonly filters: URLSearchParams;
  readonly at: PageOfTasks;
}

/** The pages that filters apply to. */
export type PageOfTasks = 'board' | 'list' | 'figures';

type Named = Pick<Workflow, 'slug'>;

/** The board with these filters. */
export const boardPath = (workflow: Named, filters: URLSearchParams): string => pathOf(workflow, '', filters);

/** The list with these filters. */
export const listPath = (workflow: Named, filters: URLSearchParams): string =>
  pathOf(workflow, '/list', filters);

/** The figures for these filters. */
export const figuresPath = (workflow: Named, filters: URLSearchParams): string =>
  pathOf(workflow, '/figures', filters);

/** The page for choosing a field to filter the figures by. */
export const figuresFilterPath = (workflow: Named, filters: URLSearchParams): string =>
  pathOf(workflow, '/figures/filter', filters);

/** The path of one of these pages. */
export const pathAs = (at: PageOfTasks): typeof listPath =>
  ({ board: boardPath, list: listPath, figures: figuresPath })[at];

/** The parameters of figures only. */
export const ofFigures: ReadonlySet<string> = new Set(['_weeks', 'group', '_time', '_imports']);

/** The path that takes a form of filters, and redirects to its board or list. */
export const filterPath = (workflow: Named): string => pathOf(workflow, '/filter', new URLSearchParams());

function pathOf({ slug }: Named, page: string, filters: URLSearchParams): string {
  const path = `/workflows/${encodeURIComponent(slug)}${page}`;
  return filters.size === 0 ? path : `${path}?${filters.toString()}`;
}
