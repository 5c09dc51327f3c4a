import { type Ask } from '../ask.js';
import { type Answer, type Connection, openConnection, textOf } from '../connection.js';
import { requireSuccess } from '../drive.js';
import { type Target } from '../target.js';

/** The rate at which one client reads the feed in pages of 1,000, following their links. */
export interface FeedRate {
  readonly events: number;
  readonly seconds: number;
  /** Processor time of the service per event, in microseconds. */
  readonly processor: number;
}

/** Reads the feed from its beginning, for so many seconds or to its end. */
export async function readFeed(target: Target, ask: Ask, seconds: number): Promise<FeedRate> {
  const connection = await openConnection(target.port);
  let path: string | undefined = '/api/v1/events';
  path = (await pageOf(connection, ask, path)).next;
  const [begun, used] = [performance.now(), Number(await target.ask('cpu'))];
  let events = 0;
  for (
    let count = 1;
    path !== undefined && count > 0 && performance.now() - begun < seconds * 1000;
    events += count
  )
    ({ count, next: path } = await pageOf(connection, ask, path));
  const processor = (Number(await target.ask('cpu')) - used) / events;
  connection.close();
  return { events, seconds: (performance.now() - begun) / 1000, processor };
}

/** The milliseconds of these pages, requested in turn, in ascending order. */
export async function timePages({ port }: Target, ask: Ask, paths: readonly string[]): Promise<number[]> {
  const connection = await openConnection(port);
  const times: number[] = [];
  for (const path of paths) {
    const begun = performance.now();
    await pageOf(connection, ask, path);
    times.push(performance.now() - begun);
  }
  connection.close();
  return times.sort((one, other) => one - other);
}

/** The percentile: so many percent of the values are not greater. */
export function percentileOf(sorted: readonly number[], percent: number): number {
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? NaN;
}

async function pageOf(
  connection: Connection,
  ask: Ask,
  path: string,
): Promise<{ count: number; next: string | undefined }> {
  const request = ask('GET', path);
  const answer = await connection.send(request);
  requireSuccess(request, answer);
  return { count: textOf(answer).split('"timestamp":').length - 1, next: nextOf(answer) };
}

/** The address of the next page. */
export function nextOf({ head }: Answer): string | undefined {
  const address = /\r\nlink: *<([^>]*)>; *rel="next"/i.exec(head)?.[1];
  if (address === undefined) return undefined;
  const { pathname, search } = new URL(address);
  return pathname + search;
}
