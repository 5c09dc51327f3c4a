import pg from 'pg';
import { type DataSource, type EntityManager } from 'typeorm';

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
 * (re)connection. Announcements only save time; nothing relies on them.
 */
export function listenForChanges(
  dataSource: DataSource,
  onChange: (change: Change | undefined) => void,
): Listener {
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  const reconnect = (): void => {
    if (isClosed || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      connect();
    }, 1000);
  };
  const connect = (): void => {
    const current = new pg.Client({
      connectionString: urlOf(dataSource),
      application_name: 'wts-listener',
      keepAlive: true,
    });
    client = current;
    current.on('error', reconnect);
    current.on('end', reconnect);
    current.on('notification', ({ payload }) => {
      onChange(payload === undefined ? undefined : (JSON.parse(payload) as Change));
    });
    current.connect().then(
      () =>
        current.query(`LISTEN ${channel}`).then(() => {
          onChange(undefined);
        }, reconnect),
      reconnect,
    );
  };

  connect();
  return {
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}

function urlOf({ options }: DataSource): string {
  return options.type === 'postgres' ? (options.url ?? '') : '';
}
