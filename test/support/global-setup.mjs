import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import build from './build.mjs';
import { timeFunctions } from './time-functions.mjs';

/**
 * Builds, and makes a migrated template database: in a throw-away PostgreSQL, or on the configured Citus.
 */
export default async function setUp() {
  build();
  const postgres = await (process.env.WTS_TEST_CITUS_URL ? onCitus(process.env.WTS_TEST_CITUS_URL) : onOne());
  // Files that the tests of one run share.
  const folder = await mkdtemp(join(tmpdir(), 'wts-test-run-'));
  process.env.WTS_TEST_FOLDER = folder;
  globalThis.releaseTestPostgres = async () => {
    await postgres.release();
    await rm(folder, { recursive: true });
  };
  process.env.WTS_TEST_DATABASE_URL = postgres.url;
}

async function onOne() {
  const { acquireEmbeddedPostgres } = await import('../../dist/packages/local-postgres/local-postgres.js');
  const { migrate } = await import('../../dist/src/common/database/migrate.js');
  const { entities } = await import('../../dist/src/features.js');
  const postgres = await acquireEmbeddedPostgres({ dataDir: '', ephemeral: true });
  await prepareTime(postgres.url);
  await migrate(postgres.url, entities);
  return postgres;
}

/** Statements of the service find these functions before those of PostgreSQL, so that a test can move the time. */
async function prepareTime(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    ALTER ROLE CURRENT_USER SET search_path = public, moved_time, pg_catalog;
    CREATE SCHEMA moved_time; ${timeFunctions(0)}`);
  await client.end();
}

async function onCitus(coordinator) {
  const { prepareCitus } = await import('./citus.mjs');
  const { createDataSource } = await import('../../dist/src/common/database/data-source.js');
  const { distribute } = await import('../../dist/packages/citus/distribution.js');
  const { migrate } = await import('../../dist/src/common/database/migrate.js');
  const { entities } = await import('../../dist/src/features.js');
  const spread = async (url) => {
    const options = { url, entities, poolSize: 2, isUnlimited: true, onIdleError: () => undefined };
    const dataSource = await createDataSource(options);
    await dataSource.initialize();
    await distribute(dataSource).finally(() => dataSource.destroy());
  };
  const postgres = await prepareCitus(coordinator, {
    migrate: (url) => migrate(url, entities),
    distribute: spread,
  });
  // The servers on which each test's database also has to be created and dropped.
  process.env.WTS_TEST_CITUS_WORKERS = postgres.nodes.join(' ');
  return postgres;
}
