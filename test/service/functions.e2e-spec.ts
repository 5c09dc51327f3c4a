import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { entities } from '../../src/features.js';
import { functionsIn, replaceFunctions } from '../../src/common/database/functions.js';
import { migrate } from '../../src/common/database/migrate.js';
import { projectFolder } from '../../src/common/version.js';
import { createTestDatabase } from '../support/database.js';
import { linesOfStart } from '../support/start-here.js';

const database = await createTestDatabase();

describe('the functions of the database', () => {
  afterAll(() => database.drop());

  it('are in one file each', async () => {
    const folder = join(projectFolder(), 'src/common/database/functions');
    const texts = (await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8'));
    const written = (await Promise.all(texts)).flatMap(functionsIn);
    const functions = await database.dataSource.query<{ name: string }[]>(
      `SELECT DISTINCT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
    );
    expect(functions.map(({ name }) => name)).toEqual(written.sort());
  });

  it('are created again only if their files have changed', async () => {
    expect(await replaceFunctions(database.dataSource)).toEqual([]);

    // As an older file would have made them.
    await database.dataSource.query(`
      CREATE OR REPLACE FUNCTION random_id() RETURNS text LANGUAGE sql VOLATILE RETURN 'always this';
      COMMENT ON FUNCTION random_id IS 'the hash of an older file';
      DROP FUNCTION tasks_with_words`);
    expect(await replaceFunctions(database.dataSource)).toEqual(['texts', 'words']);
    const [made] = await database.dataSource.query<{ id: string }[]>('SELECT random_id() AS id');
    expect(made?.id).toMatch(/^[A-Za-z0-9_-]{16}$/);
    expect(await replaceFunctions(database.dataSource)).toEqual([]);
  });

  describe('if the database has a migration that this version does not know', () => {
    const unknown = 'AddTimers9999999999999';
    const newer = 'the hash of another file';
    const query = (text: string, values?: string[]): Promise<object[]> =>
      database.dataSource.query<object[]>(text, values);
    const enter = (): Promise<object[]> =>
      query('INSERT INTO migrations (timestamp, name) VALUES (9999999999999, $1)', [unknown]);
    const remove = (): Promise<object[]> => query('DELETE FROM migrations WHERE name = $1', [unknown]);
    const madeOf = (): Promise<object[]> =>
      query(`SELECT obj_description('random_id()'::regprocedure, 'pg_proc') AS hash`);

    beforeEach(async () => {
      await query(`COMMENT ON FUNCTION random_id IS '${newer}'`);
      await enter();
    });
    afterEach(async () => {
      await remove();
      await query('DELETE FROM definition_migrations');
    });

    it('stay as they are, because a newer version made them', async () => {
      await migrate(database.url, entities);
      expect(await madeOf()).toEqual([{ hash: newer }]);
    });

    it('are created again if the unknown migration applied a definition and was removed', async () => {
      await query(`INSERT INTO workspaces (slug, name) VALUES ('acme', 'Acme')`);
      await query(
        `INSERT INTO definition_migrations (workspace_id, migration) SELECT id, $1 FROM workspaces WHERE slug = 'acme'`,
        [unknown],
      );
      await migrate(database.url, entities);
      expect(await madeOf()).not.toEqual([{ hash: newer }]);
    });

    it('are created again if migrations of this version run, because no newer version was here', async () => {
      await remove();
      await database.dataSource.undoLastMigration();
      await enter();
      await migrate(database.url, entities);
      expect(await madeOf()).not.toEqual([{ hash: newer }]);
    });

    it('a start warns once, and goes on', async () => {
      const warnings = (await linesOfStart(database.url)).filter((line) => 'migrations' in line);
      expect(warnings).toMatchObject([
        {
          level: 'warn',
          migrations: [unknown],
          msg: expect.stringMatching(/newer version .*, or .* of your own/) as string,
        },
      ]);
    });
  });
});
