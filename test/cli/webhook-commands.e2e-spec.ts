import { webhookCommands } from '../../src/cli/webhook.commands.js';
import { type Ended, wts } from '../support/command-line.js';
import { eventsOf, type Setting, startSetting } from '../webhooks/webhooks.js';

const tasks = '/api/v1/workflows/vendors/tasks';
const hooks = '/api/v1/webhooks';

describe('wts webhook list|test|replay|enable|pause|secret|rotate', () => {
  let setting: Setting;

  beforeAll(async () => {
    setting = await startSetting();
    const webhook = { id: 'told', url: `${setting.receiver.url}/told`, events: ['task.created'] };
    await setting.api.post(hooks, webhook).expect(201);
  });
  afterAll(() => setting.stop());

  const run = (...args: string[]): Promise<Ended> =>
    wts(webhookCommands(), [...args, '--workspace', 'acme'], setting.service.config.databaseUrl ?? '');
  const told = (): string[] =>
    eventsOf(setting.receiver.of('/told')).map(({ type, data }) => data.task?.unique_id ?? type);
  const create = (ID: string) => setting.api.post(tasks, { ID }).expect(201);

  it('a webhook is shown with its state, rests and goes on "from: where_it_stopped | now"', async () => {
    expect((await run('pause', 'told')).out).toBe('told is paused\n');
    expect((await run('list')).out).toMatch(
      /^ID +STATE .*\ntold +paused +api +http:.*\/told +task\.created\n$/,
    );
    await create('meanwhile');
    expect((await run('enable', 'told')).out).toBe('told is active\n');
    await setting.service.settle();
    expect(told()).toContain('meanwhile');
    await run('pause', 'told');
    await create('skipped');
    await run('enable', 'told', '--from', 'now');
    await create('later');
    await setting.service.settle();
    expect(told()).toContain('later');
    expect(told()).not.toContain('skipped');
  });

  it('the secret is printed alone; a new one is made, and what is not there is said', async () => {
    const secret = (await run('secret', 'told')).out;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
    const rotated = await run('rotate', 'told');
    expect(rotated.err).toContain('the former secret also signs for 24 hours');
    expect((await run('secret', 'told')).out).toBe(rotated.out);
    expect(rotated.out).not.toBe(secret);
    expect(await run('pause', 'nothing')).toMatchObject({
      code: 1,
      err: 'There is no webhook "nothing" in acme. See: wts webhook list --workspace acme\n',
    });
  });
});
