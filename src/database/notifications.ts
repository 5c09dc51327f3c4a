import pg from 'pg';
import { type EntityManager } from 'typeorm';

/** What has changed: a workspace's definition, or one or more API keys. */
export type DefinitionChange = { readonly workspaceId: number } | { readonly keys: true };

const channel = 'wts_changes';

/** Notifies every instance of a change when the surrounding transaction commits. */
export async function announceChange(db: EntityManager, change: DefinitionChange): Promise<void> {
  await db.query('SELECT pg_notify($1, $2)', [channel, JSON.stringify(change)]);
}

/**
 * Calls back for every announced change, and with `undefined` after each (re)connection, when some may have been
 * missed. `onLoss` reports that none will arrive until then. Announcements only save time; nothing relies on them.
 */
export class ChangeListener {
  private client: pg.Client;
  private retry: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly url: string,
    private readonly onChange: (change: DefinitionChange | undefined) => void,
    private readonly onLoss: () => void,
  ) {
    this.client = this.connect();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retry);
    await end(this.client);
  }

  private connect(): pg.Client {
    const client = createClient(this.url);
    const lose = (): void => {
      this.lose(client);
    };
    client.on('error', lose).on('end', lose);
    client.on('notification', ({ payload = '' }) => {
      this.onChange(readChange(payload));
    });
    listen(client).then(() => {
      this.onChange(undefined);
    }, lose);
    return client;
  }

  /** A client may report several errors, but must be replaced only once. */
  private lose(lost: pg.Client): void {
    if (this.isClosed || lost !== this.client || this.retry) return;
    this.onLoss();
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.client = this.connect();
      void end(lost);
    }, 1000);
  }
}

function createClient(connectionString: string): pg.Client {
  return new pg.Client({
    connectionString,
    application_name: 'wts-listener',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
  });
}

async function listen(client: pg.Client): Promise<void> {
  await client.connect();
  await client.query(`LISTEN ${channel}`);
}

async function end(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}

/** The change in a notification; undefined, which means that some may have been missed, if it cannot be parsed. */
function readChange(payload: string): DefinitionChange | undefined {
  try {
    const change: unknown = JSON.parse(payload);
    return isChange(change) ? change : undefined;
  } catch {
    return undefined;
  }
}

function isChange(value: unknown): value is DefinitionChange {
  if (typeof value !== 'object' || value === null) return false;
  return ('workspaceId' in value && typeof value.workspaceId === 'number') || 'keys' in value;
}
