import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';

export interface TestDatabase {
  readonly url: string;
  readonly dataSource: DataSource;
  drop(): Promise<void>;
}

/** A migrated database of one's own, copied from the run's template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = new URL(process.env['WTS_TEST_DATABASE_URL'] ?? '');
  const template = server.pathname.slice(1);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const dataSource = await createDataSource({ url, poolSize: 60, onIdleError: () => undefined });
  await dataSource.initialize();
  return {
    url,
    dataSource,
    async drop() {
      if (dataSource.isInitialized) await dataSource.destroy();
      await administer(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function administer(server: URL, statement: string): Promise<void> {
  const client = new pg.Client({
    connectionString: Object.assign(new URL(server), { pathname: '/postgres' }).href,
  });
  await client.connect();
  await client.query(statement);
  await client.end();
}
