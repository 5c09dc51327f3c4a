import { type SignedIn } from '../reader.js';

/** What a page is about: a task of a workflow, a workflow, the executions that the reader administers, what others have to do, their inbox, nothing but its badge, or what is the reader's own. */
export interface LivePage {
  readonly workflow?: string;
  readonly task?: string;
  readonly of?: 'executions' | 'inbox' | 'badge' | 'team';
}

/** Where a page asks for what has changed since its reader's request. */
export function livePath({ inbox: { position, mark } }: SignedIn, page: LivePage): string {
  const query = { ...page, after: String(position), inbox: mark };
  return `/live?${new URLSearchParams(query).toString()}`;
}
