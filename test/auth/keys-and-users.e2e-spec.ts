import { createApiKey, listApiKeys } from '../../src/access/api-keys.js';
import { keyCommands } from '../../src/cli/key.commands.js';
import { userCommands } from '../../src/cli/user.commands.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { wts, type Ended } from '../support/command-line.js';
import { cookieOf, openBrowser } from '../support/console.js';
import { startServiceWith } from '../support/service.js';
import { atOneMoment } from '../support/stopped-time.js';

const definition = `
workspace: { id: acme, name: Acme }
users:
  - { email: Mina@acme.test, first_name: Mina, last_name: Ray }
  - { email: theo@acme.test }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Owner, type: person }]
    actions: [{ id: finish, name: Finish, steps: [{ name: Close, type: move_to_stage, stage: Done }] }]
`;
const tasks = '/api/v1/workflows/things/tasks';
const executions = '/api/v1/workflows/things/executions';

const { service, api } = await startServiceWith(definition);
const run = (name: 'key' | 'user', ...args: string[]): Promise<Ended> =>
  wts(name === 'key' ? keyCommands() : userCommands(), args, service.config.databaseUrl ?? '');

describe('keys by the command line', () => {
  async function make(expiresAt: Date | null = null): Promise<{ readonly id: string; readonly key: string }> {
    const { manager } = service.dataSource;
    const { id: workspaceId } = await manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });
    const key = await createApiKey(manager, { workspaceId, name: 'ci', scope: 'read', expiresAt });
    return { id: (await listApiKeys(manager)).at(-1)?.id ?? '', key };
  }

  const status = async (key: string): Promise<number> => (await service.client(key).get(tasks)).status;

  it('a key is refused when it has expired, even if it was just used', async () => {
    const { key } = await make(new Date(Date.now() + 3_600_000));
    expect(await status(key)).toBe(200);
    await atOneMoment(async () => {
      expect(await status(key)).toBe(401);
    }, 3_600_000);
  });

  it('list tells which keys are in force, until when, and when they were used last', async () => {
    const used = await make();
    const today = (): string => new Date().toISOString().slice(0, 10);
    const before = today();
    await status(used.key);
    const past = await make(new Date('2026-01-02T03:04:05Z'));
    const { out } = await run('key', 'list');
    const lines = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(lines[0]).toEqual(['ID', 'WORKSPACE', 'NAME', 'SCOPE', 'STATE', 'LAST USED']);
    // Midnight may have come meanwhile.
    const ofUsed = [before, today()].map((day) => [used.id, 'acme', 'ci', 'read', 'in force', day]);
    expect(ofUsed).toContainEqual(lines.find(([id]) => id === used.id));
    expect(lines).toContainEqual([past.id, 'acme', 'ci', 'read', 'ended 2026-01-02', 'never']);
    expect(out).not.toContain('\u001b');
  });
});

describe('users by the command line', () => {
  const user = (name: string, ...args: string[]): Promise<Ended> =>
    run('user', name, '--workspace', 'acme', ...args);
  const finish = { action_id: 'finish', performed_by: 'mina@acme.test' };

  it('add makes a user who can be named at once', async () => {
    await api.post(tasks, { ID: 'a', Owner: 'New@acme.test' }).expect(422);
    const added = await user('add', '--email', 'new@acme.test', '--first-name', 'Nia');
    expect(added).toEqual({ code: 0, out: 'new@acme.test is a user of acme\n', err: '' });
    const { body } = await api.post(tasks, { ID: 'a', Owner: 'New@acme.test' }).expect(201);
    expect(body).toMatchObject({ Owner: 'new@acme.test' });
  });

  it('deactivate keeps what the user did, and lets nothing more be done: on running services, too', async () => {
    await api.post(tasks, { ID: 'b', Owner: 'mina@acme.test', 'Assigned To': 'mina@acme.test' }).expect(201);
    expect(await user('deactivate', '--email', 'MINA@acme.test')).toMatchObject({
      code: 0,
      out: 'deactivated MINA@acme.test\n  1 open task stays assigned to them\n',
    });
    const errors = ['performed_by is not a user of this workspace'];
    await api.post(executions, { ...finish, task_id: 'b' }).expect(422, { status: 'Fail', errors });
    await api.post(tasks, { ID: 'c', Owner: 'mina@acme.test' }).expect(422);
    const kept = { Owner: 'Mina@acme.test', 'Assigned To': 'Mina@acme.test' };
    expect(await api.read(`${tasks}/b`)).toMatchObject(kept);
    expect(await user('deactivate', '--email', 'mina@acme.test')).toMatchObject({
      code: 0,
      out: 'no changes: mina@acme.test was not active\n',
    });
  });

  it('add lets a user act again, under the names that were there', async () => {
    expect(await user('add', '--email', 'mina@acme.test')).toMatchObject({ code: 0 });
    const { out } = await user('list');
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['E-MAIL', 'NAME', 'STATE'],
      ['Mina@acme.test', 'Mina Ray', 'active'],
      ['theo@acme.test', 'active'],
      ['new@acme.test', 'Nia', 'active'],
      [''],
    ]);
    await api.post(executions, { ...finish, task_id: 'b' }).expect(202);
  });

  it('refuses an unknown user, an invalid e-mail and an unknown workspace, and writes nothing', async () => {
    expect((await user('deactivate', '--email', 'nobody@acme.test')).err).toBe(
      'There is no user "nobody@acme.test" in acme. See: wts user list --workspace acme\n',
    );
    const invalid = await user('add', '--email', 'nobody');
    expect([invalid.code, invalid.err]).toEqual([1, expect.stringContaining('is not an e-mail')]);
    expect(await run('user', 'add', '--workspace', 'nope', '--email', 'x@x.test')).toMatchObject({
      code: 1,
      err: 'There is no workspace "nope". See: wts workspace list\n',
    });
    expect(await service.dataSource.query('SELECT slug FROM workspaces')).toEqual([{ slug: 'acme' }]);
    expect(await service.dataSource.query('SELECT count(*) FROM users')).toEqual([{ count: '3' }]);
  });

  it('link signs in a user of several workspaces to the named one', async () => {
    await service.apply('workspace: { id: beta, name: Beta }\nusers: [{ email: theo@acme.test }]');
    const unclear = await run('user', 'link', 'theo@acme.test');
    expect(unclear.err).toBe('"theo@acme.test" is a user of several workspaces: choose with --workspace.\n');
    const nobody = await run('user', 'link', 'nobody@acme.test', '--workspace', 'beta');
    expect(nobody.err).toContain('There is no active user "nobody@acme.test" in beta.');
    const { code, out, err } = await run('user', 'link', 'Theo@acme.test', '--workspace', 'beta');
    expect([code, err]).toEqual([0, '']);
    const browser = openBrowser(service);
    const { status, headers } = await browser.post(new URL(out).pathname);
    expect(status).toBe(303);
    browser.cookie = cookieOf(headers);
    expect((await browser.get('/account')).text).toContain('Beta');
  });
});
