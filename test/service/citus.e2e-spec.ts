import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { distributeCommand } from '../../src/cli/database.commands.js';
import { wts } from '../support/command-line.js';
import { createTestDatabase } from '../support/database.js';

/** Tables that every node of a Citus holds whole, for they are read before anybody knows the workspace. */
const copied = ['api_keys', 'workspaces'];
/** What stays on the coordinator: TypeORM's own, and what is of no workspace. */
const kept = ['migrations', 'sign_in_failures'];

/** What Citus itself plans: it can count the rows of all nodes, and change what all of them hold. */
const ofNoWorkspace = [
  'age-of-oldest-execution',
  'count-events-set-aside',
  'count-webhooks',
  'find-key',
  'measure-database',
  'note-use-of-key',
  'notify',
];
/** Migrations up to this one run before the tables are spread. */
const LAST_BEFORE_DISTRIBUTE = '1795219200015';

const database = await createTestDatabase();

// What Citus asks of tables and statements: docs/decisions/spread-by-workspace.md.
describe('the rules of Citus', () => {
  afterAll(() => database.drop());

  async function names(text: string): Promise<string[]> {
    const rows = await database.dataSource.query<{ name: string }[]>(text);
    return rows.map(({ name }) => name);
  }

  it('a table is distributed by its workspace_id, which is in each of its unique keys', async () => {
    const others = `
      SELECT c.relname AS name FROM pg_class c
      WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND (
        NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'workspace_id' AND a.attnotnull)
        OR NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)
        OR EXISTS (
          SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND NOT EXISTS (
            SELECT FROM pg_attribute a
            WHERE a.attrelid = c.oid AND a.attname = 'workspace_id' AND a.attnum = ANY(i.indkey::int2[])
          )
        )
      ) ORDER BY 1`;
    expect(await names(others)).toEqual([...copied, ...kept].sort());
  });

  it('a table on all nodes refers to no distributed table, and has no trigger', async () => {
    const list = copied.map((name) => `'${name}'`).join();
    const keys = `
      SELECT conname AS name FROM pg_constraint
      WHERE contype = 'f' AND conrelid::regclass::text IN (${list}) AND confrelid::regclass::text NOT IN (${list})`;
    const triggers = `SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text IN (${list})`;
    expect([...(await names(keys)), ...(await names(triggers))]).toEqual([]);
  });

  it('a foreign key with the workspace changes no other row, except one that "wts distribute" recreates', async () => {
    const changing = `
      SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
      AND (confupdtype <> 'a' OR (confdeltype IN ('n', 'd') AND confdelsetcols IS NULL))`;
    expect(await names(changing)).toEqual([
      'links_workspace_id_relationship_id_kind_from_workflow_id_t_fkey',
    ]);
  });

  it('Citus plans few statements, because it refuses many; the node runs all others', () => {
    const folder = join(import.meta.dirname, '../../src');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const found = files.filter((file) => file.endsWith('.ts')).flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/name: '([^']+)',\s+scope: 'no workspace'/g)].map(([, name]) => name),
    ); // prettier-ignore
    expect(found.sort()).toEqual(ofNoWorkspace);
  });

  it('no function takes a row of a table, because its type is that of a shard', async () => {
    const taking = `
      SELECT DISTINCT proname FROM pg_proc p, unnest(p.proargtypes) argument
      JOIN pg_type t ON t.oid = argument AND t.typrelid <> 0 WHERE p.pronamespace = 'public'::regnamespace`;
    expect(await database.dataSource.query(taking)).toEqual([]);
  });

  it('a migration runs one command at a time, because tables may be distributed already', () => {
    const folder = join(import.meta.dirname, '../../migrations');
    const later = readdirSync(folder).filter((file) => file.endsWith('.ts') && file > LAST_BEFORE_DISTRIBUTE);
    const several = /;\s+(?:--.*\s+)*(?:ALTER|CREATE|DROP|INSERT|UPDATE|DELETE|COMMENT|SELECT|WITH)\b/;
    const isWrong = (file: string): boolean =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/`[^`]*`|'[^'\n]*'/g)].some(([text]) =>
        several.test(text.replace(/\$\$[^]*?\$\$/g, '')),
      );
    expect(later.filter(isWrong)).toEqual([]);
  });

  it('"wts distribute" says that there is no Citus, and does nothing', async () => {
    const none =
      'The extension "citus" is not installed in this database: DATABASE_URL must name the coordinator.\n';
    for (const args of [['--check'], []])
      expect(await wts(distributeCommand(), args, database.url)).toEqual({ code: 1, out: '', err: none });
  });
});
