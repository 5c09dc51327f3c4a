import { createLogger } from '../../src/common/logger.js';
import { type Answer, type Fields, follow, signIn, texts } from '../support/console.js';
import { startReceiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { told } from '../support/told.js';
import { testOptions } from '../support/test-options.js';

const workspace = (id: string, email: string): string => `
workspace: { id: ${id}, name: ${id} }
users: [{ email: ${email} }]
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: Note, type: text }
      - { name: Risk, type: singleSelect, options: [Low, High] }
    roles: [{ id: lead, name: Lead, admin: true }]
    members: [{ email: ${email}, role: lead }]
    actions: [{ id: stamp, name: Stamp }]
`;
const acme = workspace('acme', 'mina@acme.test');

const receiver = await startReceiver();
const log: string[] = [];
const service = await startService(
  { WTS_OUTBOUND_ALLOW: '127.0.0.1/32', ...testOptions({ webhookDelaysMs: [0] }) },
  createLogger('info', { write: (line) => void log.push(line) }),
);
afterAll(async () => {
  await service.stop();
  receiver.stop();
});
const api = await service.clientOf(acme, 'admin');
await service.apply(workspace('other', 'olga@other.test'));
const mina = await signIn(service, 'mina@acme.test');

const secretOf = (page: Answer): string => page.attributeOf('.shown-once input', 'value');

describe('webhooks', () => {
  const hook = '/admin/webhooks/hook';
  beforeAll(async () => {
    const url = `${receiver.url}/hook`;
    receiver.answer('/hook', (response) => response.writeHead(500).end());
    await api.post('/api/v1/webhooks', { id: 'hook', url, events: ['task.created'] });
  });

  it('show the result of each delivery, and send one or all failed deliveries again', async () => {
    await api.post('/api/v1/workflows/claims/tasks', { 'Claim ID': 'C-1' });
    await service.settle();
    expect(texts(await mina.get(`${hook}?state=failed`), '.rows li')).toHaveLength(1);
    const page = await mina.get(hook);
    expect(texts(page, '.rows li')[0]).toMatch(
      /^Failed task\.created was answered with status 500 · \d+ ms · 1 try .* Send again$/,
    );
    const [listed] = texts(await mina.get('/admin/webhooks'), '.rows li');
    expect(listed).toMatch(
      /^Failing hook http\S+ was answered with status 500 task\.created Last failure: ./,
    );
    receiver.answer('/hook', (response) => response.end());
    const delivery = page.attributeOf('input[name=delivery]', 'value');
    for (const fields of [{ delivery }, {}] as Fields[]) {
      const before = receiver.of('/hook').length;
      const { headers } = await mina.post(`${hook}/replay-failed`, fields);
      expect(headers['location']).toBe(`${hook}?done`);
      await service.settle();
      expect(receiver.of('/hook')).toHaveLength(before + 1);
    }
    expect(texts(await mina.get(`${hook}?state=delivered`), '.rows li')).toHaveLength(2);
  });

  it('are paused, resumed and tested', async () => {
    expect((await mina.post(`${hook}/pause`)).status).toBe(303);
    const paused = await mina.get(hook);
    expect(texts(paused, '.detail-head .badge')).toEqual(['Paused']);
    // As that of a rule.
    expect(texts(paused, '[action$="/enable"] button:not(.primary)')).toEqual(['Resume']);
    expect((await mina.post(`${hook}/pause`)).status).toBe(409);
    expect((await mina.post(`${hook}/enable`)).status).toBe(303);
    expect(texts(await mina.get(hook), '.detail-head .badge')[0]).not.toBe('Paused');
    expect((await follow(mina, await mina.post(`${hook}/test`))).textOf('.notice.good')).toBe('Done.');
    expect((await mina.get('/admin/webhooks/none')).status).toBe(404);
    expect((await mina.post('/admin/webhooks/none/pause')).status).toBe(404);
  });
});

describe('keys', () => {
  it('are shown by their purpose and never themselves, and revoked at once', async () => {
    const key = await service.key('acme', 'read');
    const programm = service.client(key);
    await programm.get('/api/v1/workspace').expect(200);
    const page = await mina.get('/admin/keys');
    expect(page.text).not.toContain(key.slice(4, 20));
    const links = page.html.querySelectorAll('.rows a');
    const path = links.find(({ text }) => text.includes('read'))?.getAttribute('href') ?? '';
    const id = path.split('/').at(-1) ?? '';
    expect(texts(await mina.get(path), '#ask-revoke form button')).toEqual(['Revoke']);
    expect((await (await signIn(service, 'olga@other.test')).post(`${path}/revoke`)).status).toBe(404);
    const { headers } = await mina.post(`${path}/revoke`);
    await told(service);
    expect((await mina.get(headers['location'] ?? '')).textOf('h1')).toContain('Inactive');
    expect((await mina.get('/admin/keys')).text).not.toContain(id);
    expect((await mina.get('/admin/keys?state=inactive')).text).toContain(id);
    expect((await programm.get('/api/v1/workspace')).status).toBe(401);
    expect((await mina.post(`${path}/revoke`)).status).toBe(409);
    const noted = log.filter((line) => line.includes('"msg":"administration"') && line.includes(id));
    const note = { workspace: 'acme', user: 'mina@acme.test', act: 'revoke-key', of: id };
    expect(noted.map((line): unknown => JSON.parse(line))).toMatchObject([note]);
  });

  it('are made with each scope, shown once, and not logged', async () => {
    const form = await mina.get('/admin/keys?new');
    const scopes = form.attributesOf('select[name=scope] option', 'value');
    expect(scopes).toEqual(['read', 'write', 'admin']);
    for (const scope of scopes) {
      const made = await mina.post('/admin/keys', { name: ` the ${scope} program `, scope, expires: '' });
      const key = secretOf(made);
      expect([key, made.headers['cache-control']]).toEqual([expect.stringMatching(/^wts_\w{40}$/), 'private, no-store']); // prettier-ignore
      await service
        .client(key)
        .post('/api/v1/webhooks', {})
        .expect(scope === 'admin' ? 422 : 403);
      const list = await mina.get('/admin/keys');
      expect([list.text.includes(`the ${scope} program`), list.text.includes(key)]).toEqual([true, false]);
      expect(log.join()).not.toContain(key);
    }
    expect(log.filter((line) => line.includes('"act":"make-key"'))).toHaveLength(3);
  });

  it('are refused with the fault beside the input', async () => {
    const wrong = { name: 'a\u0007b', scope: 'all', expires: '2020-01-01' };
    const page = await mina.post('/admin/keys', wrong);
    expect(texts(page, '.fault')).toEqual([
      'is not 1 to 100 characters on one line',
      'is not one of: read, write, admin',
      'is not a day in the future',
    ]);
    expect(page.attributeOf('input[name=name]', 'aria-describedby')).toBe('form-name-hint form-name-fault');
    for (const expires of ['tomorrow', '2099-02-30', '0000-01-01', '99999-01-01'])
      expect([expires, (await mina.post('/admin/keys', { name: 'x', scope: 'read', expires })).status]).toEqual([expires, 422]); // prettier-ignore
  });
});
