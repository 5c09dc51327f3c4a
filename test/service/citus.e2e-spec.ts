import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { distributeCommand } from '../../src/cli/distribute.command.js';
import { wts } from '../support/command-line.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** Tables that every node of a Citus holds whole, for they are read before anybody knows the workspace. */
const copied = ['api_keys', 'workspaces'];
/** TypeORM's own, which stays on the coordinator. */
const kept = ['migrations'];

/** Volatile functions in statements on tables: Citus refuses them in UPDATE, DO UPDATE and in what such a statement asks. */
const refused = [
  'events/events.repository.ts: clock_timestamp, number_events, pg_control_system',
  'executions/claims.repository.ts: clock_timestamp',
  'executions/executions.repository.ts: clock_timestamp, set_config',
  'links/find-links.ts: assert_definition',
  'task-store/assert-definition.ts: assert_definition, pg_try_advisory_xact_lock_shared',
  'task-store/bulk-upsert.ts: assert_definition, nextval',
  'task-store/task-keys.ts: assert_definition',
  'task-store/task-row.ts: clock_timestamp',
  'task-store/task.repository.ts: assert_definition',
  'task-store/task.sql.ts: clock_timestamp, set_config',
  'webhooks/deliveries.repository.ts: clock_timestamp, gen_random_uuid',
  'webhooks/receivers.repository.ts: clock_timestamp, number_events',
  'webhooks/webhooks.repository.ts: clock_timestamp, gen_random_uuid',
  'workspace/webhook-rows.ts: clock_timestamp',
];
/** And in statements on no table, which Citus runs on the node that was asked: locks, notifications and settings are of one node. */
const ofOneNode = [
  'cli/erase-workspace.ts: set_config',
  'database/data-source.ts: set_config',
  'database/migrate.ts: pg_advisory_lock, pg_advisory_unlock',
  'database/notifications.ts: pg_notify',
  'database/pool.ts: pg_cancel_backend',
  'database/sql.ts: set_config',
  'demo/write-demo.ts: set_config',
  'http/idempotency.ts: pg_try_advisory_xact_lock',
  'tasks/batch/batch-writer.ts: pg_advisory_xact_lock',
  'workspace/workspace.repository.ts: pg_advisory_xact_lock',
];

const FIRST_AFTER_DISTRIBUTE = '1795220080600';

// What Citus asks of tables, functions and statements: docs/decisions/spread-by-workspace.md. The lists may get shorter.
describe('the rules of Citus', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  async function names(text: string): Promise<string[]> {
    const rows = await database.dataSource.query<{ name: string }[]>(text);
    return rows.map(({ name }) => name);
  }

  it('a table is spread by its workspace_id, which stands in each of its unique keys', async () => {
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

  it('a table that all nodes hold refers to none that is spread, and has no trigger, which each node would run', async () => {
    const list = copied.map((name) => `'${name}'`).join();
    const keys = `
      SELECT conname AS name FROM pg_constraint
      WHERE contype = 'f' AND conrelid::regclass::text IN (${list}) AND confrelid::regclass::text NOT IN (${list})`;
    const triggers = `SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text IN (${list})`;
    expect([...(await names(keys)), ...(await names(triggers))]).toEqual([]);
  });

  it('a foreign key with the workspace in it changes no other row, but one that "wts distribute" makes anew', async () => {
    const changing = `
      SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
      AND (confupdtype <> 'a' OR (confdeltype IN ('n', 'd') AND confdelsetcols IS NULL))`;
    expect(await names(changing)).toEqual([
      'links_workspace_id_relationship_id_kind_from_workflow_id_t_fkey',
    ]);
  });

  it('few functions read tables: on Citus each row of a statement would plan for all nodes anew', async () => {
    const reading = `
      SELECT DISTINCT p.proname AS name FROM pg_proc p JOIN pg_class c
        ON c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
        AND p.prosrc ~ ('\\m(FROM|JOIN|INTO|UPDATE) ' || c.relname || '\\M')
      WHERE p.pronamespace = 'public'::regnamespace AND p.prorettype <> 'trigger'::regtype ORDER BY 1`;
    expect(await names(reading)).toEqual([
      'assert_definition',
      'ids_about',
      'linked_tasks',
      'number_events',
      'record_about',
      'seen_linked_tasks',
      'tasks_with_words',
    ]);
  });

  it('no further statement calls a volatile function', async () => {
    const volatile = new Set(
      await names(
        `SELECT DISTINCT proname AS name FROM pg_proc WHERE provolatile = 'v' AND prorettype <> 'trigger'::regtype`,
      ),
    );
    expect(callsIn(join(import.meta.dirname, '../../src'), volatile)).toEqual(
      [...refused, ...ofOneNode].sort(),
    );
  });

  it('a migration gives one command at a time, since tables can be spread already', () => {
    const folder = join(import.meta.dirname, '../../migrations');
    const later = readdirSync(folder).filter((file) => file.endsWith('.ts') && file > FIRST_AFTER_DISTRIBUTE);
    const several = /;\s+(?:--.*\s+)*(?:ALTER|CREATE|DROP|INSERT|UPDATE|DELETE|COMMENT|SELECT|WITH)\b/;
    const isWrong = (file: string): boolean =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/`[^`]*`|'[^'\n]*'/g)].some(([text]) =>
        several.test(text.replace(/\$\$[^]*?\$\$/g, '')),
      );
    expect(later.filter(isWrong)).toEqual([]);
  });

  it('"wts distribute" says that there is no Citus, and does nothing', async () => {
    const none =
      'This database has no Citus: the extension "citus" is not installed in it. DATABASE_URL has to name the coordinator.\n';
    for (const args of [['--check'], [], ['--trial']])
      expect(await wts(distributeCommand(), args, database.url)).toEqual({ code: 1, out: '', err: none });
  });
});

/** The files below a folder whose SQL calls these functions, each with what it calls. */
function callsIn(folder: string, functions: ReadonlySet<string>): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  return files
    .map((file) => [file, called(readFileSync(join(folder, file), 'utf8'), functions)] as const)
    .filter(([, names]) => names.length > 0)
    .map(([file, names]) => `${file.replaceAll('\\', '/')}: ${names.join(', ')}`)
    .sort();
}

function called(code: string, functions: ReadonlySet<string>): string[] {
  const texts = [...code.matchAll(/`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/g)].map(([text]) => text);
  const statements = texts.filter((text) =>
    /\b(SELECT|UPDATE|INSERT|DELETE|SET|WHERE|CASE|updated_at)\b/.test(text),
  );
  const names = statements.flatMap((text) =>
    [...text.matchAll(/\b([a-z_]+)\(/g)].map(([, name = '']) => name),
  );
  return [...new Set(names.filter((name) => functions.has(name)))].sort();
}
