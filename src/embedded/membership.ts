import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster } from './cluster.js';
import { type Seat, takeSeat } from './seat.js';

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
    const tell = atMostEvery(complaintsMs, log);
    for (let pauseMs = 100; !hasLeft(); pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
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

const longestPauseMs = 5000;
const complaintsMs = 60_000;
