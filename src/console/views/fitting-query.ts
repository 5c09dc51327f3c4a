import { said } from '../parts/sayings.js';
import { InvalidFields } from '../../lib/field-errors.js';
import { type Message, ofField } from '../../lib/message.js';
import { parseListQuery } from '../../schema/list-query.js';
import { type TaskSchema } from '../../schema/task-schema.js';
import { pathAs, VIEW } from '../board/addresses.js';
import { type Notice } from '../parts/notices.js';
import { type SignedIn } from '../reader.js';
import { type Workflow } from '../../workspace/workspace.js';
import { type View } from './views.js';

/** What of the query of a view the tasks of its workflow still understand, and what is wrong with the rest. */
function fittingQuery(
  schema: TaskSchema,
  query: URLSearchParams,
): { readonly fits: URLSearchParams; readonly faults: readonly Message[] } {
  const all = [...query];
  // Each by itself: what does not fit must not take the others with it.
  const judged = all.map((pair) => ({ pair, faults: faultsIn(schema, new URLSearchParams([pair])) }));
  const fits = new URLSearchParams(
    judged.filter(({ faults }) => faults.length === 0).map(({ pair }) => pair),
  );
  const together = faultsIn(schema, fits);
  return {
    fits: together.length === 0 ? fits : new URLSearchParams(),
    faults: [...judged.flatMap(({ faults }) => faults), ...together],
  };
}

function faultsIn(schema: TaskSchema, query: URLSearchParams): Message[] {
  try {
    parseListQuery(schema, query);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    return error.fields.flatMap(([name, messages]) => messages.map((message) => ofField(name, message)));
  }
}

/** The page of a view: a board or list that knows from which view it came. */
export function pathOfView({ id, workflow, as, query }: View): string {
  const { fits } = fittingQuery(workflow.schema, new URLSearchParams(query));
  fits.set(VIEW, id);
  return pathAs(as)(workflow, fits);
}

/** The view that a page of this workflow came from. */
export const viewHere = ({ view }: SignedIn, { id }: Workflow): View | undefined =>
  view?.workflow.id === id ? view : undefined;

/** That the view of the page no longer fits, if it does not. */
export function unfitNotice(to: SignedIn, workflow: Workflow): Notice | undefined {
  const view = viewHere(to, workflow);
  if (!view) return undefined;
  const { faults } = fittingQuery(workflow.schema, new URLSearchParams(view.query));
  if (faults.length === 0) return undefined;
  return {
    tone: 'waiting',
    lines: [{ text: to.words.lists.views.unfit(view.name) }, ...faults.map(said)],
  };
}
