import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import build from './build.mjs';
import { timeFunctions } from './time-functions.mjs';

/** Builds, and makes a migrated template database in a throw-away PostgreSQL. */
export default async function setUp() {
  build();
  const postgres = await startPostgres();
  // Files that the tests of one run share.
  const folder = await mkdtemp(join(tmpdir(), 'wts-test-run-'));
  process.env.WTS_TEST_FOLDER = folder;
  globalThis.releaseTestPostgres = async () => {
    await postgres.release();
    await rm(folder, { recursive: true });
  };
  process.env.WTS_TEST_DATABASE_URL = postgres.url;
}

async function startPostgres() {
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
