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
 * with it starts the server again, on the same port, so that pools recover by connecting anew.
 */
export async function join(
  cluster: Cluster,
  password: string,
  log: (line: string) => void,
): Promise<Membership> {
  const first = await takeSeat(cluster, password);
  const { port } = first;
  let left = false;
  let claimed = false;
  let current = Promise.resolve<Seat | undefined>(first);

  const watch = (seat: Seat): Seat => {
    void seat.session.ended.then(() => {
      if (!left) current = retake().catch(mourn);
    });
    return seat;
  };
  const retake = async (): Promise<Seat> => {
    log('The embedded PostgreSQL has closed the connection; joining it again.');
    const seat = watch(await takeSeat(cluster, password, port, () => left));
    if (seat.port !== port) log('The embedded PostgreSQL came back on another port: restart this process.');
    if (claimed && !(await seat.session.claim()))
      log('Another server has taken over the data folder meanwhile.');
    return seat;
  };
  const mourn = (error: unknown): undefined => {
    if (!left)
      log(`The embedded PostgreSQL is gone: ${error instanceof Error ? error.message : String(error)}`);
  };

  watch(first);
  return {
    port,
    claim: async () => (claimed = (await (await current)?.session.claim()) ?? false),
    leave: async (stop) => {
      left = true;
      const seat = await current;
      if (!seat) return;
      // A connection that breaks now belongs to a server that is stopping already.
      if (await seat.session.leave().catch(() => false)) await stop();
      await seat.session.close().catch(() => undefined);
    },
  };
}
