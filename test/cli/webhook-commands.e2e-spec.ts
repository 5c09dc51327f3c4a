import { webhookCommands } from '../../src/cli/webhook.commands.js';
import { answerWith } from '../support/receiver.js';
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

  it('a task that is created is told, and so is a test', async () => {
    await create('first');
    expect((await run('test', 'told')).out).toBe('the workers of the service send a test to told\n');
    await setting.service.settle();
    expect(told().toSorted()).toEqual(['first', 'webhook.test']);
  });

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

  it('what was delivered or has failed is sent once more', async () => {
    setting.receiver.answer('/told', answerWith(500));
    await create('failed');
    for (let tries = 0; tries < 4; tries += 1) await setting.service.settle({ after: 60_000 });
    expect((await setting.api.get(`${hooks}/told/deliveries?state=failed`)).body).toHaveLength(1);
    setting.receiver.answer('/told', answerWith(200));
    const count = (id: string): number => told().filter((one) => one === id).length;
    const before = count('failed');
    expect((await run('replay', 'told', '--failed')).out).toBe('1 event will be sent again\n');
    await setting.service.settle();
    expect(count('failed')).toBe(before + 1);
    const times = ['--from', '2020-01-01T00:00:00Z', '--to', '2999-01-01T00:00:00Z'];
    expect((await run('replay', 'told', ...times)).out).toBe('4 events will be sent again\n');
    await setting.service.settle();
    expect([count('first'), count('later')]).toEqual([2, 2]);
    const said = 'Name the events with one of --delivery, --from with --to, and --failed.\n';
    for (const wrong of [[], ['--failed', '--delivery', 'x'], times.slice(2)])
      expect(await run('replay', 'told', ...wrong)).toMatchObject({ code: 1, err: said });
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
