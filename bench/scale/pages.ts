import { type Ask, tasksPath } from '../cases.js';
import { type Answer, type Connection } from '../connection.js';
import { requireSuccess } from '../drive.js';
import { type Kind, type Query } from './kinds.js';

export interface KindTimes {
  readonly kind: Kind;
  /** The milliseconds of each page, in ascending order. */
  readonly times: readonly number[];
}

/** Requests so many pages of 100 tasks: for each query of the kind in turn, its first page and later ones. */
export async function timeKind(
  connection: Connection,
  ask: Ask,
  kind: Kind,
  requests: number,
): Promise<KindTimes> {
  const times: number[] = [];
  const depth = Math.ceil(requests / kind.queries.length);
  for (let turn = 0; times.length < requests; turn++) {
    const query = kind.queries[turn % kind.queries.length];
    let path = query && pathOf(query);
    for (let page = 0; path !== undefined && page < depth && times.length < requests; page++) {
      const { milliseconds, next } = await timePage(connection, ask, path);
      times.push(milliseconds);
      path = next;
    }
  }
  return { kind, times: times.sort((one, other) => one - other) };
}

function pathOf(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of query) parameters.append(name, value);
  parameters.append('_limit', '100');
  return `${tasksPath}?${parameters.toString()}`;
}

async function timePage(
  connection: Connection,
  ask: Ask,
  path: string,
): Promise<{ milliseconds: number; next: string | undefined }> {
  const request = ask('GET', path);
  const begun = performance.now();
  const answer = await connection.send(request);
  const milliseconds = performance.now() - begun;
  requireSuccess(request, answer);
  return { milliseconds, next: nextOf(answer) };
}

function nextOf({ head }: Answer): string | undefined {
  const address = /\r\nlink: *<([^>]*)>; *rel="next"/i.exec(head)?.[1];
  if (address === undefined) return undefined;
  const { pathname, search } = new URL(address);
  return pathname + search;
}
