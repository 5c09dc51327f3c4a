import pg from 'pg';
import { type DataSource, type EntityManager } from 'typeorm';
import { databaseUrl } from './pool.js';

/** What has changed: a workspace's definition, or some key. */
export type Change = { readonly workspaceId: number } | { readonly keys: true };

const channel = 'wts_changes';

/** Tells every instance of a change, when the surrounding transaction commits. */
export async function announceChange(db: EntityManager, change: Change): Promise<void> {
  await db.query('SELECT pg_notify($1, $2)', [channel, JSON.stringify(change)]);
}

export interface Listener {
  close(): Promise<void>;
}

/**
 * Calls back for every announced change, and with `undefined` when some may have been missed: after each
 * (re)connection. `onLoss` says that none will be heard of until then. Announcements only save time; nothing relies on
 * them.
 */
export function listenForChanges(
  dataSource: DataSource,
  onChange: (change: Change | undefined) => void,
  onLoss: () => void = () => undefined,
): Listener {
  let client = connect();
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  function connect(): pg.Client {
    const current = new pg.Client({
      connectionString: databaseUrl(dataSource),
      application_name: 'wts-listener',
      connectionTimeoutMillis: 5000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
    });
    const lose = (): void => {
      // A client may report several errors, but is replaced once.
      if (isClosed || current !== client || retry) return;
      onLoss();
      retry = setTimeout(reconnect, 1000);
    };
    current.on('error', lose).on('end', lose);
    current.on('notification', ({ payload = '' }) => {
      onChange(readChange(payload));
    });
    listen(current).then(() => {
      onChange(undefined);
    }, lose);
    return current;
  }

  function reconnect(): void {
    const lost = client;
    retry = undefined;
    client = connect();
    void end(lost);
  }

  return {
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await end(client);
    },
  };
}

async function listen(client: pg.Client): Promise<void> {
  await client.connect();
  await client.query(`LISTEN ${channel}`);
}

async function end(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}

/** What an announcement says; undefined, as if some were missed, where we cannot read it. */
function readChange(payload: string): Change | undefined {
  try {
    const change: unknown = JSON.parse(payload);
    return isChange(change) ? change : undefined;
  } catch {
    return undefined;
  }
}

function isChange(value: unknown): value is Change {
  if (typeof value !== 'object' || value === null) return false;
  return ('workspaceId' in value && typeof value.workspaceId === 'number') || 'keys' in value;
}
