import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Command } from 'commander';
import pg from 'pg';
import { definitionCommands } from '../../src/cli/definition.commands.js';
import { keyCommands } from '../../src/cli/key.commands.js';
import { migrateCommand } from '../../src/cli/database.commands.js';
import { shownAddress } from '../../src/common/database/open-database.js';
import { noWorkspaceYet } from '../../src/cli/service/welcome.js';
import { commandNamed, type Ended, wts as runHere } from '../support/command-line.js';
import { launch, type Launched } from '../support/launch.js';
import { startServiceWith } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const definitions = (name: string): Command => commandNamed(name, definitionCommands());
const program = resolve(import.meta.dirname, '../../dist/wts.js');

const { service } = await startServiceWith([]);
const folder = await temporaryFolder();

describe('the command line', () => {
  const settings = { PATH: process.env['PATH'], DATABASE_URL: service.config.databaseUrl };
  /** Types a command in an empty folder. */
  const wts = (args: readonly string[]): Launched =>
    launch([process.execPath, program, ...args], { cwd: folder, env: settings });

  it('names the database without the password, on standard error', async () => {
    const url = new URL(service.config.databaseUrl ?? '');
    const { exit, out, err } = wts(['workspace', 'list']);
    expect([await exit, out()]).toEqual([0, 'ID  NAME  VERSION\n']);
    expect(err()).toBe(`database: postgres://wts@127.0.0.1:${url.port}${url.pathname}\n${noWorkspaceYet}\n`);
  });

  it.each([
    [
      'postgres://me:secret@db.test/app?password=secret&sslmode=verify-full',
      'postgres://me@db.test:5432/app',
    ],
    ['postgres://me:se%40cret@[2001:db8::1]:6000/app', 'postgres://me@[2001:db8::1]:6000/app'],
    ['postgres://me:secret@/app?host=/run/postgresql', 'postgres://me@%2Frun%2Fpostgresql:5432/app'],
  ])('shows %s as an address without a secret', (url, shown) => {
    expect(shownAddress(url)).toBe(shown);
  });

  it('never creates a database: it names the folder that has none, and how to name another', async () => {
    const { code, out, err } = await runHere(definitions('export'), ['acme'], '', folder);
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(
      `There is no database in ${join(folder, '.data')}, and only a start of the service creates one. Run the command in the folder where the service was started, or set WTS_DATA_DIR to its data folder, or DATABASE_URL to your PostgreSQL.\n`,
    );
    expect(readdirSync(folder)).toEqual([]);
    process.env['WTS_EPHEMERAL'] = '1';
    const throwAway = await runHere(definitions('export'), ['acme'], '', folder);
    delete process.env['WTS_EPHEMERAL'];
    expect(throwAway.err).toContain(
      'With WTS_EPHEMERAL=1, only the service can use its database, not a command',
    );
  });

  it('migrates only by `migrate`, and otherwise names the missing migrations', async () => {
    const name = `empty_${Date.now()}`;
    const url = Object.assign(new URL(service.config.databaseUrl ?? ''), { pathname: `/${name}` }).href;
    await service.dataSource.query(`CREATE DATABASE ${name}`);
    try {
      const run = (index: number, ...args: string[]): Promise<Ended> => {
        const command = index === 0 ? definitions('export') : migrateCommand();
        return runHere(command, args, url);
      };
      const never = 'The service was never started on this database. Start it, or run: wts migrate\n';
      expect(await run(0, 'acme')).toEqual({ code: 1, out: '', err: never });
      expect(await tablesOf(url)).toEqual([]);
      expect((await run(1)).out).toMatch(/^(migrated: \w+\d{13}\n){10,}$/);
      expect(await run(1)).toMatchObject({ code: 0, out: 'no changes: every migration has run\n' });
      expect((await run(0, 'acme')).err).toBe('There is no workspace "acme". See: wts workspace list\n');
    } finally {
      await service.dataSource.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  it('reads a definition from standard input, and ends quietly if a reader such as `head -1` has ended', async () => {
    const applied = wts(['apply', '-']);
    applied.child.stdout?.destroy();
    applied.child.stdin?.end(first);
    expect([await applied.exit, applied.err()]).toEqual([0, expect.not.stringMatching(/EPIPE|\n {4}at /)]);
    expect((await service.dataSource.query<object[]>('SELECT slug FROM workspaces'))[0]).toEqual({ slug: 'acme' }); // prettier-ignore
    const wrong = wts(['validate', '-']);
    wrong.child.stdin?.end(first.replace('type: text', 'type: txt'));
    expect([await wrong.exit, wrong.err()]).toEqual([1, expect.stringMatching(/^standard input:\d+.*type/)]);
  });

  // Only Linux has a disk that is always full.
  (process.platform === 'linux' ? it : it.skip)(
    'says in a line that its output cannot be written',
    async () => {
      const typed = `'${process.execPath}' '${program}' workspace list > /dev/full`;
      const { exit, err } = launch(['sh', '-c', typed], { cwd: folder, env: settings });
      expect([await exit, err()]).toEqual([1, expect.stringMatching(/^database: .*\nThe output cannot be written: ENOSPC[^\n]*\n$/)]); // prettier-ignore
    },
  );

  it('validate says that only plan checks changes', async () => {
    await writeFile(join(folder, 'changes.yaml'), 'workspace: { id: acme }\nworkflows: [{ id: orders, name: Orders }]\n'); // prettier-ignore
    const { code, err } = await runHere(definitions('validate'), ['changes.yaml'], '', folder);
    expect([code, err]).toEqual([1, expect.stringMatching(/^changes.yaml:2: .*: needs at least one stage\nIf the file holds only changes to an existing workspace, check it with `plan`/)]); // prettier-ignore
  });

  it('a refusal of a value names the option', async () => {
    const here = (command: Command, ...args: string[]): Promise<Ended> =>
      runHere(command, args, service.config.databaseUrl ?? '');
    const typed = 'create --workspace acme --name x --expires 2027';
    const key = await here(keyCommands(), ...typed.split(' '));
    expect(key.err).toContain(
      'It must be a span such as 90d or 12h, or a day in the future such as 2099-12-31.',
    );
  });
});

const first = `
workspace: { id: acme, name: Acme }
workflows:
  - id: orders
    name: Orders
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Note, type: text }]
`;

async function tablesOf(connectionString: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<object>("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  await client.end();
  return rows;
}
