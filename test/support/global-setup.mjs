import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import build from './build.mjs';
import { startPgBouncer } from './pgbouncer.mjs';

/**
 * Builds, and makes a migrated database to copy, in one throw-away PostgreSQL, with a PgBouncer before it if asked for one,
 * or in the Citus that is named.
 */
export default async function setUp() {
  build();
  const postgres = await (process.env.WTS_TEST_CITUS_URL ? onCitus(process.env.WTS_TEST_CITUS_URL) : onOne());
  // What the tests of one run tell each other.
  const folder = await mkdtemp(join(tmpdir(), 'wts-test-run-'));
  process.env.WTS_TEST_FOLDER = folder;
  let pooler;
  globalThis.releaseTestPostgres = async () => {
    await pooler?.stop();
    await postgres.release();
    await rm(folder, { recursive: true });
  };
  process.env.WTS_TEST_DATABASE_URL = postgres.url;
  if (process.env.WTS_TEST_PGBOUNCER === '1') {
    pooler = await startPgBouncer(postgres.url);
    process.env.WTS_TEST_POOLER_PORT = String(pooler.port);
  }
}

async function onOne() {
  const { acquireEmbeddedPostgres } = await import('../../dist/packages/local-postgres/local-postgres.js');
  const { migrate } = await import('../../dist/src/database/migrate.js');
  const postgres = await acquireEmbeddedPostgres({ dataDir: '', ephemeral: true });
  await migrate(postgres.url);
  return postgres;
}

async function onCitus(coordinator) {
  const { prepareCitus } = await import('./citus.mjs');
  const { createDataSource } = await import('../../dist/src/database/data-source.js');
  const { distribute } = await import('../../dist/packages/citus/distribution.js');
  const { migrate } = await import('../../dist/src/database/migrate.js');
  const spread = async (url) => {
    const options = { url, poolSize: 2, isUnlimited: true, onIdleError: () => undefined };
    const dataSource = await createDataSource(options);
    await dataSource.initialize();
    await distribute(dataSource).finally(() => dataSource.destroy());
  };
  const postgres = await prepareCitus(coordinator, { migrate, distribute: spread });
  // Where each test's database has to be made and dropped besides.
  process.env.WTS_TEST_CITUS_WORKERS = postgres.nodes.join(' ');
  return postgres;
}
