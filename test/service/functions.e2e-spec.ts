import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFunctions } from '../../src/database/functions.js';
import { projectFolder } from '../../src/lib/project-folder.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

describe('the functions of the database', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('stand in one file each', async () => {
    const files = await readdir(join(projectFolder(), 'src/database/functions'));
    const functions = await database.dataSource.query<{ name: string }[]>(
      `SELECT DISTINCT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
    );
    expect(functions.map(({ name }) => `${name}.sql`)).toEqual(files.sort());
  });

  it('are made anew where their files have changed, and only there', async () => {
    expect(await replaceFunctions(database.dataSource)).toEqual([]);

    // As an older file would have made them.
    await database.dataSource.query(`
      CREATE OR REPLACE FUNCTION random_id() RETURNS text LANGUAGE sql VOLATILE RETURN 'always this';
      COMMENT ON FUNCTION random_id IS 'the hash of an older file';
      DROP FUNCTION ids_about`);
    expect(await replaceFunctions(database.dataSource)).toEqual(['ids_about', 'random_id']);
    const [made] = await database.dataSource.query<{ id: string }[]>('SELECT random_id() AS id');
    expect(made?.id).toMatch(/^[A-Za-z0-9_-]{16}$/);
    expect(await replaceFunctions(database.dataSource)).toEqual([]);
  });
});
