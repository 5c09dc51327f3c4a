import { resolve } from 'node:path';
import pg from 'pg';
import { type Config } from '../config.js';

/** The configured database, as those who run the service know it, and without a secret. */
export function shownDatabase({
  databaseUrl,
  ephemeral,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'ephemeral' | 'dataDir'>): string {
  if (databaseUrl !== undefined) return shownAddress(databaseUrl);
  return ephemeral ? 'a throw-away PostgreSQL' : `the embedded PostgreSQL in ${resolve(dataDir)}`;
}

/** The address of a database as it may be shown: whom we are there, the server and the name, and never a secret. */
export function shownAddress(databaseUrl: string): string {
  // As the driver reads it, with what it takes from the environment; what stands behind a `?` may hold a password, too.
  const { user = '', host, port, database = '' } = new pg.Client({ connectionString: databaseUrl });
  const place = host.includes(':') ? `[${host}]` : encodeURIComponent(host);
  return `postgres://${encodeURIComponent(user)}@${place}:${port}/${encodeURIComponent(database)}`;
}
