import { type Ask } from '../ask.js';
import { tasksPath } from '../cases.js';
import { type Answer, type Connection, textOf } from '../connection.js';
import { requireSuccess } from '../drive.js';
import { type Kind, type Query } from './kinds.js';

/** One page: its request, its time and its result. */
export interface PageTime {
  readonly path: string;
  readonly milliseconds: number;
  readonly tasks: number;
}

export interface KindTimes {
  readonly kind: Kind;
  /** In ascending order of time. */
  readonly pages: readonly PageTime[];
}

/** Requests so many pages of 100 of a kind in turn: for each of its queries, the first page and later ones. */
export async function timeKind(
  connection: Connection,
  ask: Ask,
  kind: Kind,
  requests: number,
): Promise<KindTimes> {
  const pages: PageTime[] = [];
  const depth = Math.ceil(requests / kind.queries.length);
  for (let turn = 0; pages.length < requests; turn++) {
    const query = kind.queries[turn % kind.queries.length];
    let path = query && pathOf(query);
    for (let page = 0; path !== undefined && page < depth && pages.length < requests; page++) {
      const { time, next } = await timePage(connection, ask, path);
      pages.push(time);
      path = next;
    }
  }
  return { kind, pages: pages.sort((one, other) => one.milliseconds - other.milliseconds) };
}

/** The page at this percentile of time. */
export function percentile({ pages }: KindTimes, percent: number): PageTime {
  const page = pages[Math.ceil((pages.length * percent) / 100) - 1];
  if (!page) throw new Error('nothing was measured');
  return page;
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
): Promise<{ time: PageTime; next: string | undefined }> {
  const request = ask('GET', path);
  const begun = performance.now();
  const answer = await connection.send(request);
  const milliseconds = performance.now() - begun;
  requireSuccess(request, answer);
  const tasks = (JSON.parse(textOf(answer)) as unknown[]).length;
  return { time: { path, milliseconds, tasks }, next: nextOf(answer) };
}

function nextOf({ head }: Answer): string | undefined {
  const address = /\r\nlink: *<([^>]*)>; *rel="next"/i.exec(head)?.[1];
  if (address === undefined) return undefined;
  const { pathname, search } = new URL(address);
  return pathname + search;
}
