import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Logger } from '../lib/logger.js';
import { connectionFault } from './connection-fault.js';

/** Waits for up to a minute until the PostgreSQL of `DATABASE_URL` lets us in; a fault that does not pass ends the wait at once. */
export async function waitForDatabase(url: string, logger: Logger): Promise<void> {
  const deadline = Date.now() + CONNECT_TIMEOUT_MS;
  let told: string | undefined;
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, 5000)) {
    const error = await tryToConnect(url);
    if (error === undefined) {
      if (told !== undefined) logger.info('PostgreSQL (DATABASE_URL) can be used now');
      return;
    }
    const fault = connectionFault(error);
    if (fault?.mayPass !== true || Date.now() + pauseMs > deadline) throw fault ?? error;
    if (told !== fault.message) logger.warn(`${fault.message}; trying again`);
    told = fault.message;
    await pause(pauseMs);
  }
}

async function tryToConnect(url: string): Promise<Error | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // What it has to say is told by `connect`.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end().catch(() => undefined);
  }
}

const CONNECT_TIMEOUT_MS = 60_000;
