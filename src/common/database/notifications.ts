import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { databaseUrl } from './data-source.js';
import { sql } from './sql.js';

/** The id of a workspace whose definition has changed, or `keys` if API keys have changed. */
export type DefinitionChange = number | 'keys';

/** The channels of LISTEN and NOTIFY: changes of definitions and keys, and news of background work. */
type Channel = 'wts_changes' | 'wts_jobs';

/** Notifies every process of a change when the surrounding transaction commits. */
export async function announceChange(db: EntityManager, change: DefinitionChange): Promise<void> {
  await notify(db, 'wts_changes', String(change));
}

export async function notify(db: EntityManager, channel: Channel, payload: string): Promise<void> {
  await sql(db, tell, [channel, payload]);
}

const tell = {
  name: 'notify',
  scope: 'no workspace' as const,
  text: 'SELECT pg_notify($1, $2)',
};

/**
 * Is called with the payload of each notification. Is called with undefined after each connection, because
 * earlier notifications may have been lost.
 */
type Hear = (payload: string | undefined) => void;

/** The connection that receives notifications. Without notifications, all work still runs, but later. */
@Injectable()
export class Listener implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly url: string;
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private isClosed = false;
  private readonly listeners = new Map<string, Hear>();
  private lost: () => void = () => undefined;

  constructor(dataSource: DataSource) {
    this.url = databaseUrl(dataSource);
  }

  on(channel: Channel, hear: Hear): void {
    this.listeners.set(channel, hear);
  }

  /** Sets the callback for a lost connection. Until the next connection, no notification arrives. */
  onLoss(lost: () => void): void {
    this.lost = lost;
  }

  onApplicationBootstrap(): void {
    this.open();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retry);
    await end(this.client);
  }

  private open(): void {
    const client = createClient(this.url);
    this.client = client;
    const lose = (): void => {
      this.lose(client);
    };
    client.on('error', lose).on('end', lose);
    client.on('notification', ({ channel, payload }) => this.listeners.get(channel)?.(payload));
    listen(client, [...this.listeners.keys()]).then(() => {
      for (const hear of this.listeners.values()) hear(undefined);
    }, lose);
  }

  /** A client may report several errors but must be replaced only once. */
  private lose(lost: pg.Client): void {
    if (this.isClosed || lost !== this.client || this.retry) return;
    this.lost();
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.open();
      void end(lost);
    }, RETRY_MS);
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

const RETRY_MS = 1000;

async function listen(client: pg.Client, channels: readonly string[]): Promise<void> {
  await client.connect();
  for (const channel of channels) await client.query(`LISTEN ${channel}`);
}

async function end(client: pg.Client | undefined): Promise<void> {
  await client?.end().catch(() => undefined);
}
