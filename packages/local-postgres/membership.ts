import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Cluster } from './cluster.js';
import { PassingObstacle, startServer } from './server.js';

/**
 * A place among the users of a running server. It is a connection, which the kernel ends together with this process.
 */
export class Membership {
  /** Stops the server. Set when the place is given up. */
  private stop: (() => Promise<void>) | undefined;
  private claimed = false;

  private constructor(
    private readonly cluster: Cluster,
    private readonly password: string,
    private readonly log: (line: string) => void,
    private seat: Seat,
  ) {
    this.watch();
  }

  /** Finds or starts the server, and joins its users. */
  static async join(cluster: Cluster, password: string, log: (line: string) => void): Promise<Membership> {
    return new Membership(cluster, password, log, await takeSeat(cluster, password));
  }

  get port(): number {
    return this.seat.client.port;
  }

  /** Claims the role of the server process of this cluster; false if another process has it. */
  async claim(): Promise<boolean> {
    const { client } = this.seat;
    // Waits a little, because the connection of a killed server ends slightly later.
    await client.query('SET lock_timeout = 1000');
    this.claimed = await client.query(`SELECT pg_advisory_lock(${SERVER})`).then(
      () => true,
      (error: unknown) => {
        if (Reflect.get(Object(error), 'code') === '55P03') return false;
        throw error;
      },
    );
    return this.claimed;
  }

  /** Gives the place up. Runs `stop` if nobody else has a place; nobody can take one meanwhile. */
  async leave(stop: () => Promise<void>): Promise<void> {
    this.stop = stop;
    await giveUp(this.seat, stop);
  }

  /** Gives the place up again if that happened while the server was not running. */
  private async giveUpIfLeft(): Promise<boolean> {
    if (!this.stop) return false;
    await giveUp(this.seat, this.stop);
    return true;
  }

  /** Joins again when the server has ended, which starts it on the same port, so that pools recover by reconnecting. */
  private watch(): void {
    void this.seat.ended.then(async () => {
      const { port } = this;
      let told = '';
      while (!this.stop) {
        try {
          this.seat = await takeSeat(this.cluster, this.password, port);
          if (await this.giveUpIfLeft()) return;
          if (this.claimed && !(await this.claim()))
            this.log('Another server has taken over the data folder.');
          this.watch();
          return;
        } catch (error) {
          // Obstacles such as a full disk may go away.
          const reason = error instanceof Error ? error.message : String(error);
          if (reason !== told) this.log(`The embedded PostgreSQL is gone; trying again: ${reason}`);
          told = reason;
          await pause(500, undefined, { ref: false });
        }
      }
    });
  }
}

interface Seat {
  readonly client: Client;
  readonly ended: Promise<void>;
}

/** Gives a place up. Runs `stop` if nobody else has a place; nobody can take one meanwhile. */
async function giveUp({ client }: Seat, stop: () => Promise<void>): Promise<void> {
  const isLast = await client
    .query(`SELECT pg_advisory_unlock_shared(${USERS})`)
    .then(() => client.query<{ last: boolean }>(`SELECT pg_try_advisory_lock(${USERS}) AS last`))
    .then(({ rows }) => rows[0]?.last === true)
    .catch(() => false);
  if (isLast) await stop();
  await client.end().catch(() => undefined);
}

const USERS = '7828595, 1';
const SERVER = '7828595, 2';
const START_TIMEOUT_MS = 120_000;

/** Joins the users of the server, even if others start and stop it at the same time. */
async function takeSeat(cluster: Cluster, password: string, port?: number): Promise<Seat> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      return await sitDown(await startServer(cluster, port), password);
    } catch (error) {
      if (Date.now() > deadline || !mayPass(error)) throw error;
      await pause(50);
    }
  }
}

/** A server that is starting or stopping refuses connections, or ends them. */
function mayPass(error: unknown): boolean {
  const code = String(Reflect.get(Object(error), 'code'));
  const isLost = error instanceof Error && /^(Connection terminated|timeout)/.test(error.message);
  return error instanceof PassingObstacle || isLost || /^(E[A-Z]+|57P0\d|55P03|57014)$/.test(code);
}

async function sitDown(port: number, password: string): Promise<Seat> {
  const client = new Client({
    ...{ host: '127.0.0.1', port, user: 'wts', password, ssl: false },
    // Not `wts`, because a database with connections cannot be a template.
    ...{ database: 'postgres', application_name: 'wts embedded' },
    ...{ connectionTimeoutMillis: 5_000, statement_timeout: 10_000, keepAlive: true },
  });
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  // If an idle connection fails, it ends, which `ended` reports.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`SELECT pg_advisory_lock_shared(${USERS})`);
    return { client, ended };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}
