import { type RequestAddress } from '../../http/paged-list.js';
import { type TaskList } from '../../http/replies.js';

// Pages read the lists of the API's services, a page at a time.

/** Of a page. */
export const ROWS_OF_LIST = 50;

/** Where a list is asked for by nobody's request. */
export const nowhere: RequestAddress = {
  origin: 'http://localhost',
  path: '/',
  query: new URLSearchParams(),
};

/** What a page of a list is asked for: one state, if any, behind a cursor. */
export function pageOf<State>(state: State | undefined, after: string | undefined) {
  return {
    _limit: String(ROWS_OF_LIST),
    ...(state !== undefined && { state }),
    ...(after !== undefined && { _after: after }),
  };
}

export async function rowsOf<Row>({ texts }: TaskList): Promise<readonly Row[]> {
  let text = '';
  for await (const piece of texts) text += piece;
  return JSON.parse(`[${text}]`) as readonly Row[];
}

export function cursorOf({ next }: TaskList): string | undefined {
  return next === undefined ? undefined : (new URL(next).searchParams.get('_after') ?? undefined);
}
