import { type View } from '../../workflows/model/kinds/views.kind.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type SignedIn } from '../reader.js';

export function filtersOf(query: URLSearchParams): URLSearchParams {
  return withoutNames(query, ofPages);
}

export const DONE = '_done';

/** The parameter that says what Undo would restore (see `undoOf`). */
export const UNDO = '_undo';

/** The URL parameters with the result of the last operation. */
export const ofAnswers: ReadonlySet<string> = new Set([DONE, UNDO]);

const ofPages: ReadonlySet<string> = new Set(['_limit', '_after', '_count', ...ofAnswers]);

export const VIEW = '_view';

/** The view that the URL names, if it is a view of this workflow. */
export const viewHere = ({ view }: SignedIn, { id }: Workflow): View | undefined =>
  view?.workflow.id === id ? view : undefined;

/** The URL parameters for columns, order and view, which do not filter tasks. */
export const ofLooks: ReadonlySet<string> = new Set(['_fields', '_sort', VIEW]);

export const askedOf = (query: URLSearchParams): URLSearchParams =>
  withoutNames(filtersOf(query), new Set([VIEW]));

export function withoutNames(query: URLSearchParams, names: ReadonlySet<string>): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => !names.has(name)));
}

export interface FilterProps {
  readonly workflow: Workflow;
  readonly filters: URLSearchParams;
  readonly at: PageOfTasks;
}

export type PageOfTasks = 'board' | 'list' | 'figures';

type Named = Pick<Workflow, 'slug'>;

export const boardPath = (workflow: Named, filters: URLSearchParams): string => pathOf(workflow, '', filters);

/** The path of the board after a change of this task. The board says in which stage the task is now. */
export const changedPath = (workflow: Named, filters: URLSearchParams, publicId: string): string =>
  boardPath(workflow, new URLSearchParams([...filters, [DONE, publicId]]));

export const listPath = (workflow: Named, filters: URLSearchParams): string =>
  pathOf(workflow, '/list', filters);

export const figuresPath = (workflow: Named, filters: URLSearchParams): string =>
  pathOf(workflow, '/figures', filters);

export const pathAs = (at: PageOfTasks): typeof listPath =>
  ({ board: boardPath, list: listPath, figures: figuresPath })[at];

export function viewPath({ id, as, workflow, query }: View): string {
  return pathAs(as)(workflow, new URLSearchParams([...new URLSearchParams(query), [VIEW, id]]));
}

/** The URL parameters that only figures use. */
export const ofFigures: ReadonlySet<string> = new Set(['_weeks', 'group', '_time', '_imports']);

export const filterPath = (workflow: Named): string => pathOf(workflow, '/filter', new URLSearchParams());

function pathOf({ slug }: Named, page: string, filters: URLSearchParams): string {
  const path = `/workflows/${encodeURIComponent(slug)}${page}`;
  return filters.size === 0 ? path : `${path}?${filters.toString()}`;
}
