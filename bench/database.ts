import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { entities } from '../src/features.js';
import { readConfig } from '../src/config.js';
import { migrate } from '../src/common/database/migrate.js';
import { acquireEmbeddedPostgres } from '../packages/local-postgres/local-postgres.js';
import { type AtEnd } from './lifetime.js';

/** A migrated database for the run. */
export interface BenchDatabase {
  readonly url: string;
  readonly db: pg.Client;
}

/** A throw-away PostgreSQL, or a new database on the server of `DATABASE_URL`; removed at the end. */
export async function openBenchDatabase(atEnd: AtEnd): Promise<BenchDatabase> {
  const url = await createDatabase(await openServer(atEnd), atEnd);
  await migrate(url, entities);
  const db = await connect(url, atEnd);
  // Autovacuum could run in the middle of a turn; instead, every turn is prepared in the same way.
  await db.query('ALTER TABLE tasks SET (autovacuum_enabled = off)');
  return { url, db };
}

/** The address of a server: that of `DATABASE_URL`, or of a throw-away PostgreSQL, which is removed at the end. */
export async function openServer(atEnd: AtEnd): Promise<string> {
  const { databaseUrl } = readConfig();
  if (databaseUrl !== undefined) return databaseUrl;
  const starting = acquireEmbeddedPostgres({ dataDir: '', ephemeral: true });
  atEnd(async () => (await starting).release());
  return (await starting).url;
}

export async function createDatabase(server: string, atEnd: AtEnd): Promise<string> {
  const admin = await connect(server, atEnd);
  const name = `wts_bench_${randomBytes(6).toString('hex')}`;
  await admin.query(`CREATE DATABASE ${name}`);
  atEnd(() => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

export async function connect(url: string, atEnd: AtEnd): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  atEnd(() => client.end());
  return client;
}

/** Cleans up dead rows and pending GIN entries before the next turn. */
export async function clean(db: pg.Client): Promise<void> {
  await db.query('VACUUM tasks');
  await db.query(`
    SELECT gin_clean_pending_list(i.indexrelid)
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
    WHERE i.indrelid = 'tasks'::regclass AND a.amname = 'gin'`);
}
