import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import build from './build.mjs';
import { startPgBouncer } from './pgbouncer.mjs';

/** Builds, and starts one throw-away PostgreSQL with a migrated database to copy, and a PgBouncer before it if asked for one. */
export default async function setUp() {
  build();
  const { acquireEmbeddedPostgres } = await import('../../dist/packages/local-postgres/local-postgres.js');
  const { migrate } = await import('../../dist/src/database/migrate.js');
  const postgres = await acquireEmbeddedPostgres({ dataDir: '', ephemeral: true });
  // What the tests of one run tell each other.
  const folder = await mkdtemp(join(tmpdir(), 'wts-test-run-'));
  process.env.WTS_TEST_FOLDER = folder;
  let pooler;
  globalThis.releaseTestPostgres = async () => {
    await pooler?.stop();
    await postgres.release();
    await rm(folder, { recursive: true });
  };
  await migrate(postgres.url);
  process.env.WTS_TEST_DATABASE_URL = postgres.url;
  if (process.env.WTS_TEST_PGBOUNCER === '1') {
    pooler = await startPgBouncer(postgres.url);
    process.env.WTS_TEST_POOLER_PORT = String(pooler.port);
  }
}
