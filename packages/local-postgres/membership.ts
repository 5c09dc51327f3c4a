import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Cluster } from './cluster.js';
import { findOrStart } from './server.js';
import { until } from './process.js';

/** A seat that is taken again whenever it is lost, until it is given up. */
export interface Membership {
  port: number;
  claim(): Promise<boolean>;
  /** Gives the seat up; runs `stop` if nobody else has a seat, while nobody can take one. */
  leave(stop: () => Promise<void>): Promise<void>;
}

/**
 * Joins the users of the cluster's server. If the server dies or restarts, takes a new seat, which starts the server
 * again on the same port, so that pools recover by reconnecting. Obstacles such as a full disk may be temporary, so
 * it tries until the seat is given up.
 */
export async function join(
  cluster: Cluster,
  password: string,
  log: (line: string) => void,
): Promise<Membership> {
  const first = await takeSeat(cluster, password);
  const { port } = first;
  const leaving = new AbortController();
  const { signal } = leaving;
  const hasLeft = (): boolean => signal.aborted;
  let claimed = false;
  let current = Promise.resolve<Seat | undefined>(first);

  const watch = (seat: Seat): Seat => {
    void seat.session.ended.then(() => {
      if (!hasLeft()) current = retake();
    });
    return seat;
  };
  const retake = async (): Promise<Seat | undefined> => {
    log('The embedded PostgreSQL has closed the connection; joining it again.');
    const tell = atMostEvery(COMPLAINT_INTERVAL_MS, log);
    for (let pauseMs = 100; !hasLeft(); pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      try {
        return watch(await sitDown());
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (!hasLeft()) tell(`The embedded PostgreSQL is gone; trying again: ${reason}`);
      }
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  };
  const sitDown = async (): Promise<Seat> => {
    const seat = await takeSeat(cluster, password, port, hasLeft);
    if (seat.port !== port) log('The embedded PostgreSQL came back on another port: restart this process.');
    if (claimed && !(await claim(seat))) log('Another server has taken over the data folder.');
    return seat;
  };

  watch(first);
  return {
    port,
    claim: async () => (claimed = (await (await current)?.session.claim()) ?? false),
    leave: async (stop) => {
      leaving.abort();
      const seat = await current;
      if (!seat) return;
      // From here on, a broken connection means that the server is being stopped.
      if (await seat.session.leave().catch(() => false)) await stop();
      await seat.session.close().catch(() => undefined);
    },
  };
}

/** A caller that cannot claim has no use for the seat, and takes another one. */
async function claim({ session }: Seat): Promise<boolean> {
  try {
    return await session.claim();
  } catch (error) {
    await session.close().catch(() => undefined);
    throw error;
  }
}

function atMostEvery(ms: number, log: (line: string) => void): (line: string) => void {
  let last = -Infinity;
  return (line) => {
    if (performance.now() - last < ms) return;
    last = performance.now();
    log(line);
  };
}

const MAX_PAUSE_MS = 5000;
const COMPLAINT_INTERVAL_MS = 60_000;

/** A place among the users of a running server. */
interface Seat {
  port: number;
  session: Session;
}

const START_TIMEOUT_MS = 120_000;

/**
 * Finds or starts the server, on this port unless it is 0, and joins its users, even if others start and stop it at
 * the same time.
 */
async function takeSeat(
  cluster: Cluster,
  password: string,
  port = 0,
  giveUp: () => boolean = () => false,
): Promise<Seat> {
  let seat: Seat | undefined;
  let obstacle: unknown = 'a server is starting or stopping';
  const attempt = async (): Promise<boolean> => {
    const found = await findOrStart(cluster, port);
    if (!found) return giveUp();
    try {
      seat = { port: found.port, session: await openSession(found.port, password) };
    } catch (error) {
      if (isFinal(error)) throw error;
      obstacle = error;
    }
    return seat !== undefined || giveUp();
  };
  await until(attempt, START_TIMEOUT_MS);
  if (seat) return seat;
  const reason = obstacle instanceof Error ? obstacle.message : String(obstacle);
  throw new Error(
    `The PostgreSQL of ${cluster.folder.data} cannot be reached (${reason}); see ${cluster.folder.log}.`,
  );
}

/** A connection that counts as one user of the server while it lives; the kernel ends it together with this process. */
interface Session {
  ended: Promise<void>;
  /** Claims the role of the server process of this cluster; false if another process has it. */
  claim(): Promise<boolean>;
  /** Stops counting. Returns true to the last user: no other user can join until the connection ends. */
  leave(): Promise<boolean>;
  close(): Promise<void>;
}

const NAMESPACE = 0x777473;
const USERS = `${NAMESPACE}, 1`;
const SERVER = `${NAMESPACE}, 2`;

/** Joins the users of the server on that port; throws while it is starting or stopping. */
async function openSession(port: number, password: string): Promise<Session> {
  const client = clientFor(port, password);
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  // An error of an idle connection ends it, which `ended` reports.
  client.on('error', () => undefined);
  const close = (): Promise<void> => client.end();
  try {
    await client.connect();
    await client.query(`SELECT pg_advisory_lock_shared(${USERS})`);
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  return { ended, claim: () => claimSession(client), leave: () => leave(client), close };
}

/** Whether repeating is pointless: a wrong password, a missing database or a refused statement. */
function isFinal(error: unknown): boolean {
  return /^(28|3D|42)...$/.test(String(Reflect.get(Object(error), 'code')));
}

function clientFor(port: number, password: string): Client {
  return new Client({
    ...{ host: '127.0.0.1', port, user: 'wts', password, ssl: false },
    // Not in `wts`, because a database with connections cannot be a template.
    ...{ database: 'postgres', application_name: 'wts embedded' },
    ...{ connectionTimeoutMillis: 5_000, statement_timeout: 10_000, keepAlive: true },
  });
}

async function claimSession(client: Client): Promise<boolean> {
  // Waits a little: the connection of a killed server ends slightly later.
  await client.query('SET lock_timeout = 1000');
  return client.query(`SELECT pg_advisory_lock(${SERVER})`).then(
    () => true,
    (error: unknown) => {
      if (Reflect.get(Object(error), 'code') === '55P03') return false;
      throw error;
    },
  );
}

async function leave(client: Client): Promise<boolean> {
  await client.query(`SELECT pg_advisory_unlock_shared(${USERS})`);
  const { rows } = await client.query<{ last: boolean }>(`SELECT pg_try_advisory_lock(${USERS}) AS last`);
  return rows[0]?.last === true;
}
