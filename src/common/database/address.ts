import { resolve } from 'node:path';
import pg from 'pg';
import { type Config } from '../../config.js';

/** The configured database as it may be shown to operators: never with a secret. */
export function shownDatabase({
  databaseUrl,
  ephemeral,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'ephemeral' | 'dataDir'>): string {
  if (databaseUrl !== undefined) return shownAddress(databaseUrl);
  return ephemeral ? 'a throw-away PostgreSQL' : `the embedded PostgreSQL in ${resolve(dataDir)}`;
}

/** The address of a database without its secrets: the user, the server and the database name. */
export function shownAddress(databaseUrl: string): string {
  // Parsed as the driver does, with its environment variables. The part behind `?` is left out: it may hold a password.
  const { user = '', host, port, database = '' } = new pg.Client({ connectionString: databaseUrl });
  const place = host.includes(':') ? `[${host}]` : encodeURIComponent(host);
  return `postgres://${encodeURIComponent(user)}@${place}:${port}/${encodeURIComponent(database)}`;
}
