import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Cluster } from './cluster.js';
import { findOrStart } from './server.js';
import { until } from './process.js';

/** A seat that is taken again when it is lost, until we leave. */
export interface Membership {
  port: number;
  claim(): Promise<boolean>;
  /** Gives the seat up; `stop` runs when nobody else has one and nobody can take one. */
  leave(stop: () => Promise<void>): Promise<void>;
}

/**
 * Joins the users of the cluster's server. When the server dies, or restarts itself, this takes the seat again and
 * with it starts the server again, on the same port, so that pools recover by connecting anew. What is in the way, as
 * a full disk, may pass: it is tried again for as long as we have not left.
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
        if (!hasLeft()) tell(`The embedded PostgreSQL is gone, and is tried again: ${reason}`);
      }
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  };
  const sitDown = async (): Promise<Seat> => {
    const seat = await takeSeat(cluster, password, port, hasLeft);
    if (seat.port !== port) log('The embedded PostgreSQL came back on another port: restart this process.');
    if (claimed && !(await claim(seat))) log('Another server has taken over the data folder meanwhile.');
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
      // A connection that breaks now belongs to a server that is stopping already.
      if (await seat.session.leave().catch(() => false)) await stop();
      await seat.session.close().catch(() => undefined);
    },
  };
}

/** Whoever cannot claim has no use for the seat, and takes another one. */
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

/** Our place among the users of a server that runs. */
interface Seat {
  port: number;
  session: Session;
}

const START_TIMEOUT_MS = 120_000;

/**
 * Finds or starts the server, on this port unless that is 0, and joins its users, however many start and stop it at
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

/** A connection that counts as one user of the server for as long as it lives; the kernel ends it with our process. */
interface Session {
  ended: Promise<void>;
  /** Takes the right to be the server process of this cluster; false when another one has it. */
  claim(): Promise<boolean>;
  /** Stops counting; true for the last user, whom no other can join before the connection ends. */
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
  // An error of an idle connection ends it, and `ended` tells.
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

/** Whether asking again is pointless: a wrong password, a missing database, a statement that is refused. */
function isFinal(error: unknown): boolean {
  return /^(28|3D|42)...$/.test(String(Reflect.get(Object(error), 'code')));
}

function clientFor(port: number, password: string): Client {
  return new Client({
    ...{ host: '127.0.0.1', port, user: 'wts', password, ssl: false },
    // Not in `wts`, which could not be a template while somebody is connected to it.
    ...{ database: 'postgres', application_name: 'wts embedded' },
    ...{ connectionTimeoutMillis: 5_000, statement_timeout: 10_000, keepAlive: true },
  });
}

async function claimSession(client: Client): Promise<boolean> {
  // Tries a little longer: the connection of a server that has just been killed ends a moment after it.
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
