import { type DataSource, type EntityManager } from 'typeorm';
import { namesOfEvents } from '../events/event-names.js';
import { type FeedRow, readFeed, type RecordedEvent } from '../events/events.repository.js';
import { type Follower } from '../events/follower.js';
import { type Logger } from '../lib/logger.js';
import { isPassing } from '../lib/database-error.js';
import { sourceOf } from '../events/event-names.js';
import { TryAgain } from '../lib/errors.js';
import { causedBy } from '../lib/trace.js';
import { type Workspaces } from '../workspace/workspaces.js';
import { type ClaimedFollower, movePosition, noteFailure, setAside } from './followers.repository.js';

/** The parts of the service that followers need. */
export interface FollowParts {
  readonly dataSource: DataSource;
  readonly workspaces: Workspaces;
  readonly taskUrl: string;
  readonly mailsPeople: boolean;
  readonly logger: Logger;
}

/** A job to announce after the commit. */
export interface Ring {
  readonly kind: string;
  readonly job: object;
}

/** The result of a turn. */
export interface TurnEnd {
  readonly rings: readonly Ring[];
  /** The position from which to go on; absent if there are no more events. */
  readonly next?: number;
}

/** The limits of a turn in positions and milliseconds, so that other workspaces and writers need not wait for it. */
const MAX_POSITIONS = 100;
const MAX_MS = 100;
/** An event that fails so often by a fault of its own is set aside. */
const MAX_FAILURES = 5;

/** Processes the next events for a claimed follower. Its rows and its position are written in one transaction. */
export async function followTurn(
  parts: FollowParts,
  claimed: ClaimedFollower,
  follower: Follower,
): Promise<TurnEnd> {
  const db = parts.dataSource.manager;
  const { workspaceId, position, failures } = claimed;
  const { types, leavesValues } = follower;
  // After a failure, events are processed one by one, to find the one at fault.
  const limit = failures > 0 ? 1 : MAX_POSITIONS;
  const rows = await readFeed(db, workspaceId, position, limit, { types, leavesValues });
  const isFull = rows.length === limit;
  if (rows.length === 0) return { rings: [] };
  const followed: RecordedEvent[] = [];
  try {
    return await followRows(parts, claimed, follower, { rows, isFull }, followed);
  } catch (error) {
    if (isPassing(error)) throw error;
    parts.logger.error({ err: error, ...claimed, follower: follower.name }, 'a follower failed on an event');
    const failed = rows.findIndex(({ event }) => event && !followed.includes(event));
    // The events before the failed one are committed without it.
    if (failed > 0)
      return followRows(parts, claimed, follower, { rows: rows.slice(0, failed), isFull: true }, []);
    if (failures + 1 < MAX_FAILURES || rows.length > 1) await noteFailure(db, claimed);
    else await goOnWithout(parts, claimed, rows, error);
    return { rings: [] };
  }
}

async function followRows(
  { dataSource, workspaces, taskUrl, mailsPeople }: FollowParts,
  claimed: ClaimedFollower,
  follower: Follower,
  { rows, isFull }: { readonly rows: readonly FeedRow[]; readonly isFull: boolean },
  done: RecordedEvent[],
): Promise<TurnEnd> {
  const { workspaceId } = claimed;
  const workspace = await workspaces.inForce(workspaceId);
  const events = rows.flatMap(({ event }) => event ?? []);
  const names = await namesOfEvents(dataSource.manager, workspace, taskUrl, events);
  const rings: Ring[] = [];
  const endsAt = performance.now() + MAX_MS;
  const followed = await dataSource.transaction(async (tx) => {
    const ring = (kind: string, job: object): void => {
      rings.push({ kind, job });
    };
    let last = claimed.position;
    const turn = { tx, workspace, names, mailsPeople, ring };
    await follower.prepare?.(turn, events);
    for (const { position: at, event } of rows) {
      if (event) {
        await causedBy(sourceOf(event.origin).trace, () => follower.follow(turn, event));
        done.push(event);
      }
      last = at;
      if (performance.now() > endsAt) break;
    }
    await follower.finish?.(turn);
    // The process that has claimed the follower meanwhile began at the same position.
    if (!(await movePosition(tx, claimed, last))) throw new TryAgain('a follower was claimed by another');
    return last;
  });
  return { rings, ...((isFull || followed < (rows.at(-1)?.position ?? 0)) && { next: followed }) };
}

async function goOnWithout(
  { dataSource, logger }: FollowParts,
  claimed: ClaimedFollower,
  rows: readonly FeedRow[],
  error: unknown,
): Promise<void> {
  const [row] = rows;
  const event: RecordedEvent | undefined = row?.event;
  const cause = error instanceof Error ? error.message : String(error);
  await dataSource.transaction(async (tx: EntityManager) => {
    if (event) await setAside(tx, claimed, event, cause.slice(0, 1000));
    await movePosition(tx, claimed, row?.position ?? claimed.position);
  });
  logger.error({ ...claimed, event: event?.id }, 'an event was set aside: its follower continues without it');
}
