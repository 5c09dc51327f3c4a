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
  private unasked: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly url: string,
    private readonly onChange: (change: DefinitionChange | undefined) => void,
    private readonly onLoss: () => void,
    private readonly unaskedMs = UNASKED_MS,
  ) {
    this.client = this.connect();
  }

  /**
   * Tries to take a lock that one process can hold; returns whether this process holds it. It is released when the
   * connection closes, or after 10 minutes without a call. Throws if PostgreSQL does not answer within 1 s.
   */
  async holds(lock: string): Promise<boolean> {
    const { client } = this;
    const { rows } = await client.query<{ isMine: boolean }>({ ...takeLock, values: [lock] });
    clearTimeout(this.unasked);
    const release = (): void => void client.query(releaseLocks).catch(() => undefined);
    this.unasked = setTimeout(release, this.unaskedMs).unref();
    return rows[0]?.isMine === true;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.unasked);
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

// Taking a lock again that this session holds is harmless, and shows that the connection works.
const takeLock = { text: 'SELECT pg_try_advisory_lock($1) AS "isMine"', query_timeout: 1000 };
const releaseLocks = 'SELECT pg_advisory_unlock_all()';
const UNASKED_MS = 600_000;

async function listen(client: pg.Client): Promise<void> {
  await client.connect();
  await client.query(endLostSession);
  await client.query(`LISTEN ${channel}`);
}

/** If the machine that holds a lock goes away, PostgreSQL releases the lock within 12 s. */
const endLostSession = `
  SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 10000`;

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
