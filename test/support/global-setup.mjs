import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import build from './build.mjs';

/** Builds, and starts one throw-away PostgreSQL with a migrated database to copy. */
export default async function setUp() {
  build();
  const { acquireEmbeddedPostgres } = await import('../../dist/packages/local-postgres/local-postgres.js');
  const { migrate } = await import('../../dist/src/database/migrate.js');
  const postgres = await acquireEmbeddedPostgres({ dataDir: '', ephemeral: true });
  // What the tests of one run tell each other.
  const folder = await mkdtemp(join(tmpdir(), 'wts-test-run-'));
  process.env.WTS_TEST_FOLDER = folder;
  globalThis.releaseTestPostgres = async () => {
    await postgres.release();
    await rm(folder, { recursive: true });
  };
  await migrate(postgres.url);
  process.env.WTS_TEST_DATABASE_URL = postgres.url;
}
