import { LRUCache } from 'lru-cache';
import { type EntityManager } from 'typeorm';
import { type JobParts, type JobKind, leasedBy } from '../../common/ops/job-kind.js';
import {
  type ClaimedFollower,
  dueFollowers,
  type FollowerKey,
  followerLeases,
  movePosition,
  noteFailure,
  setAside,
} from './followers.repository.js';
import {
  endOfFeed,
  someAreBehind,
  type FeedRow,
  readFeed,
  type RecordedEvent,
} from '../events.repository.js';
import { type AnyFollower, type BulkFollower, type Follower, type FollowerTurn } from '../follower.js';
import { Doorbell } from '../../common/ops/doorbell.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { pauses } from '../../../packages/fair/turn.js';
import { databaseErrorCode, isDatabaseGone, isPassing } from '../../common/database-error.js';
import { TryAgain, reasonOf } from '../../common/errors.js';

const PLACES = 8;

/** The job that processes the next events of a workspace for one of these followers. */
export function followFeeds(followers: readonly AnyFollower[]): JobKind<FollowerKey, ClaimedFollower> {
  // Maps each bulk follower to the time at which its last run ended.
  const bulkEnds = new LRUCache<string, number>({ max: 10_000 });
  return {
    name: 'follow',
    next: `CASE WHEN ${someAreBehind('position', 'followers')} THEN service_now() END`,
    places: PLACES,
    // A workspace with endless events leaves half of the places to other workspaces.
    shares: { ofWorkspace: PLACES / 2 },
    ...leasedBy(followerLeases),
    async due({ db, config }) {
      const due = await dueFollowers(db);
      if (config.background === 'asked') return due;
      const before = performance.now() - BULK_MS;
      return due.filter((key) => (bulkEnds.get(followerLeases.nameOf(key)) ?? -Infinity) < before);
    },
    async run(parts, claimed, { stopping }) {
      const follower = followers.find(({ name }) => name === claimed.name);
      if (!follower) return;
      let at: ClaimedFollower | undefined = claimed;
      while (at && !stopping.aborted) {
        const position: number | undefined = await followTurn(parts, at, follower, claimed.failures > 0);
        at = position === undefined ? undefined : { ...claimed, position, failures: 0 };
      }
      if ('followAll' in follower) bulkEnds.set(followerLeases.nameOf(claimed), performance.now());
    },
  };
}

/** The fewest milliseconds between two runs of a bulk follower. */
const BULK_MS = 500;

/** The limits of one transaction in positions and milliseconds, so that other work does not wait long. */
const MAX_POSITIONS = 100;
const MAX_BULK_POSITIONS = 2000;
const MAX_MS = 100;
/** If a follower fails this often on an event, the event is set aside. Ended or hung processes count, too. */
const MAX_FAILURES = 3;

/**
 * Follows the next events, or only one event if `oneByOne`. Writes rows and position in one transaction.
 * Returns the position at which the next turn begins, or undefined at the end of the feed and after a
 * failure.
 */
async function followTurn(
  parts: JobParts,
  claimed: ClaimedFollower,
  follower: AnyFollower,
  oneByOne: boolean,
): Promise<number | undefined> {
  const { db, config, logger } = parts;
  const { failures } = claimed;
  const next = await nextRows(db, claimed, follower, oneByOne);
  const { rows } = next;
  if (rows.length === 0) return undefined;
  if (failures >= MAX_FAILURES)
    return skipEvent(parts, claimed, rows, `the follower or its process failed ${failures} times`);
  const begun = performance.now();
  try {
    if ('followAll' in follower) return await followRange(parts, claimed, follower, next);
    return await followRows(parts, claimed, follower, next);
  } catch (error) {
    const cause = causeOf(error, performance.now() - begun, config.idleTransactionMs);
    if (cause === undefined) throw error;
    logger.error({ err: error, ...claimed, follower: follower.name }, 'a follower failed on an event');
    if (failures + 1 < MAX_FAILURES) await noteFailure(db, claimed);
    else await skipEvent(parts, claimed, rows, cause);
    return undefined;
  }
}

interface NextRows {
  readonly rows: readonly FeedRow[];
  /** Whether more rows may follow. */
  readonly isFull: boolean;
}

/** Reads the next rows. After a failure, reads one row, to find the event at fault. */
async function nextRows(
  db: EntityManager,
  { workspaceId, position }: ClaimedFollower,
  follower: AnyFollower,
  oneByOne: boolean,
): Promise<NextRows> {
  if ('followAll' in follower && !oneByOne) return readRange(db, workspaceId, position);
  const limit = oneByOne ? 1 : MAX_POSITIONS;
  const types = 'types' in follower ? follower.types : undefined;
  const rows = await readFeed(db, workspaceId, position, limit, { types });
  return { rows, isFull: rows.length === limit };
}

/**
 * Returns one row without an event. The row's position is the end of the range that a bulk follower shall
 * read. Returns no row if there are no events after `after`.
 */
async function readRange(db: EntityManager, workspaceId: number, after: number): Promise<NextRows> {
  const end = await endOfFeed(db, workspaceId);
  const position = Math.min(end, after + MAX_BULK_POSITIONS);
  return { rows: position > after ? [{ position, tag: 0, event: undefined }] : [], isFull: position < end };
}

/**
 * Why the event cannot be followed, or undefined for a temporary error. A transaction that takes too long
 * counts as the fault of its event.
 */
function causeOf(error: unknown, tookMs: number, idleMs: number): string | undefined {
  const isTooLong = isDatabaseGone(error) && idleMs > 0 && tookMs >= idleMs;
  if (isTooLong) return `its transaction was idle for more than ${idleMs / 1000} s`;
  const isOfEvent = !isPassing(error) || ['25P03', '57014'].includes(databaseErrorCode(error) ?? '');
  if (!isOfEvent) return undefined;
  return reasonOf(error);
}

async function followRows(
  parts: JobParts,
  claimed: ClaimedFollower,
  follower: Follower,
  { rows, isFull }: NextRows,
): Promise<number | undefined> {
  const { db, config } = parts;
  const { workspaceId } = claimed;
  const workspace = await parts.provider(Workspaces).inForce(workspaceId);
  const events = rows.flatMap(({ event }) => event ?? []);
  const rings: (readonly [kind: string, job: object])[] = [];
  const end = rows.at(-1)?.position ?? claimed.position;
  const followed = await db.transaction(async (tx) => {
    const ring = (kind: string, job: object): void => void rings.push([kind, job]);
    const turn = { tx, workspace, config, ring, pause: pauses({ workspaceId }) };
    const last = await followEach(turn, follower, rows, events);
    await move(tx, claimed, last);
    return last;
  });
  for (const [kind, job] of rings) parts.provider(Doorbell).ring(kind, job);
  return isFull || followed < end ? followed : undefined;
}

/** Follows these events, but begins none after `MAX_MS`. Returns the position of the last row it reached. */
async function followEach(
  turn: FollowerTurn,
  follower: Follower,
  rows: readonly FeedRow[],
  events: readonly RecordedEvent[],
): Promise<number> {
  const begun = await follower.begin(turn, events);
  const endsAt = performance.now() + MAX_MS;
  let last = 0;
  for (const { position, event } of rows) {
    if (event) {
      await begun.follow(event);
      await turn.pause();
    }
    last = position;
    if (performance.now() > endsAt) break;
  }
  await begun.end?.();
  return last;
}

async function followRange(
  { db }: JobParts,
  claimed: ClaimedFollower,
  follower: BulkFollower,
  { rows, isFull }: NextRows,
): Promise<number | undefined> {
  const [after, to] = [claimed.position, rows.at(-1)?.position ?? claimed.position];
  await db.transaction(async (tx) => {
    // Moves the position first, which locks the follower's row. A rebuild of the follower's data then waits.
    await move(tx, claimed, to);
    await follower.followAll(tx, claimed.workspaceId, { after, to });
  });
  return isFull ? to : undefined;
}

/** Moves the position. Throws if another process has claimed the follower and now follows the same events. */
async function move(tx: EntityManager, claimed: ClaimedFollower, position: number): Promise<void> {
  if (!(await movePosition(tx, claimed, position)))
    throw new TryAgain('a follower was claimed by another process');
}

/** Sets the event aside. Returns the event's position, after which the follower continues. */
async function skipEvent(
  { db, logger }: JobParts,
  claimed: ClaimedFollower,
  [row]: readonly FeedRow[],
  cause: string,
): Promise<number> {
  const { position = claimed.position, event } = row ?? {};
  await db.transaction(async (tx) => {
    await move(tx, claimed, position);
    if (event) await setAside(tx, claimed, event, cause.slice(0, 1000));
  });
  logger.error(
    { ...claimed, event: event?.id },
    'an event was set aside: the follower continues with the next event',
  );
  return position;
}
