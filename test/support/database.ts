import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type DataSource } from 'typeorm';
import { entities } from '../../src/features.js';
import { type Proxy, startProxy } from './proxy.js';
import { patience } from './until.js';
import { createDataSource } from '../../src/common/database/data-source.js';
import { databaseErrorCode } from '../../src/common/database-error.js';

export interface TestDatabase {
  readonly url: string;
  readonly dataSource: DataSource;
  readonly proxy: Proxy | undefined;
  drop(): Promise<void>;
}

/** A migrated database for one test, copied from the run's template. */
export async function createTestDatabase({
  isProxied = false,
  /** The port of a pooler in front of PostgreSQL, if there is one. */
  poolerPort = 0,
  /** Statements that run before any other connection. */
  prepared = [] as readonly string[],
  /** How long a statement waits for a lock: longer than the 5 s of a server, as many write the same on a slow machine. */
  lockTimeout = '5min',
  /** The database that is copied: that of the run, or another that nobody uses. */
  template = serverOf().pathname.slice(1),
} = {}): Promise<TestDatabase> {
  const server = serverOf();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await createDatabase(server, name, template);
  for (const statement of prepared)
    await administer(Object.assign(new URL(server), { pathname: `/${name}` }), statement);
  const port = poolerPort === 0 ? Number(server.port) : poolerPort;
  const proxy = isProxied ? await startProxy(server.hostname, port) : undefined;
  const hostname = proxy || poolerPort !== 0 ? '127.0.0.1' : server.hostname;
  const place = { pathname: `/${name}`, hostname, port: String(proxy?.port ?? port) };
  const url = Object.assign(new URL(server), place).href;
  const dataSource = await open(url, lockTimeout);
  return {
    url,
    dataSource,
    proxy,
    async drop() {
      if (dataSource.isInitialized) await dataSource.destroy();
      await proxy?.cut();
      await dropDatabase(server, name);
    },
  };
}

const serverOf = (): URL => new URL(process.env['WTS_TEST_DATABASE_URL'] ?? '');

async function open(url: string, lockTimeout: string): Promise<DataSource> {
  // On a slow machine a statement may take long, and a transaction may stay open while something else is done.
  const limits = { statementMs: patience, idleTransactionMs: patience };
  const onIdleError = (): void => undefined;
  const dataSource = await createDataSource({ url, entities, poolSize: 20, ...limits, onIdleError });
  const { extra } = dataSource.options as { readonly extra: PoolSettings };
  const onConnect: PoolSettings['onConnect'] = async (client) => {
    await extra.onConnect(client);
    await client.query(`SET lock_timeout = '${lockTimeout}'`);
  };
  return dataSource.setOptions({ extra: { ...extra, onConnect } }).initialize();
}

interface PoolSettings {
  readonly onConnect: (client: pg.Client) => Promise<void>;
}

/** Waits for an autovacuum of the template, which PostgreSQL itself does for only 5 s. */
async function createDatabase(server: URL, name: string, template: string): Promise<void> {
  const statement = `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await administer(postgresOf(server), statement);
      return;
    } catch (error) {
      if (attempt === 6 || databaseErrorCode(error) !== objectInUse) throw error;
    }
  }
}

const objectInUse = '55006';

/** Ends remaining connections. An autovacuum cannot be ended by tests, but gives way to a plain drop. */
async function dropDatabase(server: URL, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const how = attempt % 2 === 1 ? ' WITH (FORCE)' : '';
    try {
      await administer(postgresOf(server), `DROP DATABASE ${name}${how}`);
      return;
    } catch (error) {
      if (attempt === 6) throw error;
    }
  }
}

function postgresOf(server: URL): URL {
  return Object.assign(new URL(server), { pathname: '/postgres' });
}

async function administer(database: URL, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.href });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
