import { Client } from 'pg';

/** A connection that counts as one user of the server for as long as it lives; the kernel ends it with our process. */
export interface Session {
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
export async function openSession(port: number, password: string): Promise<Session> {
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
  return { ended, claim: () => claim(client), leave: () => leave(client), close };
}

/** Whether asking again is pointless: a wrong password, a missing database, a statement that is refused. */
export function isFinal(error: unknown): boolean {
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

async function claim(client: Client): Promise<boolean> {
  // A little patience: the connection of a server that has just been killed ends a moment after it.
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
