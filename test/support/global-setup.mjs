import './typescript.mjs';

/** Starts one throw-away PostgreSQL for the whole run, with a migrated database to copy from. */
export default async function setUp() {
  const { acquireEmbeddedPostgres } = await import('../../src/embedded/embedded-postgres.ts');
  const { createDataSource } = await import('../../src/database/data-source.ts');
  const { migrate } = await import('../../src/database/migrate.ts');
  const postgres = await acquireEmbeddedPostgres({ dataDir: '', ephemeral: true });
  const dataSource = await createDataSource({ url: postgres.url, poolSize: 2, onIdleError: () => undefined });
  await dataSource.initialize();
  await migrate(dataSource);
  await dataSource.destroy();
  process.env.WTS_TEST_DATABASE_URL = postgres.url;
  globalThis.releaseTestPostgres = () => postgres.release();
}
