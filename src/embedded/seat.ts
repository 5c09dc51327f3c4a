import { type Cluster } from './cluster.js';
import { findOrStart } from './postmaster.js';
import { isFinal, openSession, type Session } from './session.js';
import { until } from './until.js';

/** Our place among the users of a server that runs. */
export interface Seat {
  port: number;
  session: Session;
}

const PATIENCE = 120_000;

/**
 * Finds or starts the server, on this port unless that is 0, and joins its users, however many start and stop it at
 * the same time.
 */
export async function takeSeat(
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
  await until(attempt, PATIENCE);
  if (seat) return seat;
  const reason = obstacle instanceof Error ? obstacle.message : String(obstacle);
  throw new Error(
    `The PostgreSQL of ${cluster.folder.data} cannot be reached (${reason}); see ${cluster.folder.log}.`,
  );
}
