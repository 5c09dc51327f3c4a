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

  it('an expired key is refused, even if it was just used', async () => {
    const { key } = await make(new Date(Date.now() + 3_600_000));
    expect(await status(key)).toBe(200);
    await atOneMoment(async () => {
      expect(await status(key)).toBe(401);
    }, 3_600_000);
  });

  it('list shows which keys are valid, until when, and when they were last used', async () => {
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
  const finish = { action_id: 'finish', performed_by: 'mina@acme.test' };
  const applied = (user: string): Promise<unknown> =>
    service.apply(`workspace: { id: acme }\nusers: [${user}]`);

  it('a deactivated user keeps what they did, and may do nothing more', async () => {
    await api.post(tasks, { ID: 'b', Owner: 'mina@acme.test', 'Assigned To': 'mina@acme.test' }).expect(201);
    await applied('{ email: Mina@acme.test, active: false }');
    const errors = ['performed_by is not a user of this workspace'];
    await api.post(executions, { ...finish, task_id: 'b' }).expect(422, { status: 'Fail', errors });
    await api.post(tasks, { ID: 'c', Owner: 'mina@acme.test' }).expect(422);
    const kept = { Owner: 'Mina@acme.test', 'Assigned To': 'Mina@acme.test' };
    expect(await api.read(`${tasks}/b`)).toMatchObject(kept);
    await applied('{ email: Mina@acme.test, active: true }');
    const { out } = await run('user', 'list', '--workspace', 'acme');
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['E-MAIL', 'NAME', 'STATE'],
      ['Mina@acme.test', 'Mina Ray', 'active'],
      ['theo@acme.test', 'active'],
      [''],
    ]);
    await api.post(executions, { ...finish, task_id: 'b' }).expect(202);
  });

  it('link signs in a user of several workspaces to the named workspace', async () => {
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
