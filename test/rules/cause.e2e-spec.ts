import request from 'supertest';
import { sealCause } from '../../src/workspace/sealed-cause.js';
import { generateApiKey, hashApiKey } from '../../src/auth/api-keys.js';
import { type Cause } from '../../src/entities/cause.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { startService, type Client, type TestService } from '../support/service.js';
import { shows, tickets } from './rules.js';
import { until } from '../support/until.js';

// time.md, 2.4: the chain of rules travels through other systems, so that a loop over one ends too.
const definition = (slug: string, url: string, key: string): string => `
workspace: { id: ${slug}, name: ${slug} }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Count, type: number, default: 0 }
      - { name: Other, type: number, default: 0 }
      - { name: Note, type: text }
    actions:
      - id: call
        name: Call
        steps:
          - name: Tell
            type: api_call
            url: ${url}
            method: POST
            headers: { Authorization: 'Bearer {{secret.${key}}}' }
            body: { ID: '{{ID}}', Note: 'again {{Task URL}}', Count: '{{Other}}' }
          - { name: Add, type: update_fields, set: { Other: { expression: 'task["Other"] + 1' } } }
    rules: [{ id: again, on: field_changed, field: [Note, Count], run: call }]
webhooks: []
`;

let service: TestService;
let receiver: Receiver;
let api: Client;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  receiver.stop();
  await service.stop();
});

interface RunRow {
  readonly result: string;
  readonly cause: Cause;
}

const runs = (): Promise<RunRow[]> =>
  service.dataSource.query('SELECT result, cause FROM runs ORDER BY place');

/** A service whose rule tells the receiver of changes. */
async function start(): Promise<void> {
  service = await startService({ WTS_OUTBOUND_ALLOW: '127.0.0.1/32', WTS_SECRET_ACME__TOKEN: 'x' });
  await service.apply(definition('acme', `${receiver.url}/system`, 'TOKEN'));
  await service.apply(definition('other', `${receiver.url}/other`, 'TOKEN'));
  api = service.client(await service.key('acme', 'admin'));
}

/** Changes a task as another system that continues this cause. */
async function echo(header: string | undefined, note: string): Promise<void> {
  const post = request(service.url)
    .post(tickets)
    .set('Authorization', `Bearer ${await service.key('acme')}`)
    .send({ ID: '1', Note: note });
  await (header === undefined ? post : post.set('WTS-Cause', header)).expect(200);
}

/** The cause that the receiver was told. */
async function causeTold(): Promise<string> {
  const [call] = await receiver.called('/system');
  return String(call?.headers['wts-cause']);
}

it('ends a rule that calls the service itself, which changes the task again', async () => {
  receiver.answer('/system', async (response, { headers, body }) => {
    // Another system that writes what it hears, and echoes the header.
    await request(service.url)
      .post(tickets)
      .set('Authorization', `Bearer ${await service.key('acme')}`)
      .set('WTS-Cause', String(headers['wts-cause']))
      .send(JSON.parse(body) as object);
    response.end('{}');
  });
  await start();
  await api.post(tickets, { ID: '1' }).expect(201);
  await api.put(tickets, { ID: '1', Note: 'first' }).expect(200);
  await until('the loop ends', async () => (await runs()).some(({ result }) => result === 'loop'));
  expect((await runs()).map(({ result }) => result)).toEqual(['started', 'loop']);
  expect(receiver.of('/system')).toHaveLength(1);
  const { body } = (await api.get('/api/v1/events')) as { body: Told[] };
  const [continued] = body.filter(({ data }) => data.cause?.id === 'again' && data.actor.kind === 'key');
  expect(continued?.data.cause?.chain).toMatchObject([{ rule: 'again' }]);
  expect(body.map(({ type }) => type)).toContain('rule.loop');
});

interface Told {
  readonly type: string;
  readonly data: { readonly actor: { readonly kind: string }; readonly cause: Cause | null };
}

it('ends it where the api_call leads straight to the service', async () => {
  const key = generateApiKey();
  service = await startService({ WTS_OUTBOUND_ALLOW: '127.0.0.1/32', WTS_SECRET_ACME__TOKEN: key });
  await service.apply(definition('acme', `${service.url}${tickets}`, 'TOKEN'));
  api = service.client(await service.key('acme', 'admin'));
  const hash = Buffer.from(hashApiKey(key), 'hex');
  await service.dataSource.query(`UPDATE api_keys SET hash = $1 WHERE id = $2`, [hash, await idOfNewKey()]);
  await api.post(tickets, { ID: '1' }).expect(201);
  await api.put(tickets, { ID: '1', Note: 'first' }).expect(200);
  await until('the loop ends', async () => (await runs()).length > 1);
  expect((await runs()).map(({ result }) => result)).toEqual(['started', 'loop']);
  await shows(api, `${tickets}/1`, { Other: '1' });
});

/** A key of the workspace, to be given another text. */
async function idOfNewKey(): Promise<string> {
  await service.key('acme');
  const [row] = await service.dataSource.query<[{ id: string }]>(
    'SELECT id FROM api_keys ORDER BY created_at DESC LIMIT 1',
  );
  return row.id;
}

it('takes forged, foreign and old ones for none', async () => {
  await start();
  await api.post(tickets, { ID: '1' }).expect(201);
  await echo(undefined, 'a');
  const good = await causeTold();
  expect(good).toMatch(/^[\w-]{100,}$/);
  const [{ cursor_key: key }] = await service.dataSource.query<[{ cursor_key: Buffer }]>(
    `SELECT cursor_key FROM workspaces WHERE slug = 'acme'`,
  );
  const [{ cursor_key: foreignKey }] = await service.dataSource.query<[{ cursor_key: Buffer }]>(
    `SELECT cursor_key FROM workspaces WHERE slug = 'other'`,
  );
  const cause = (await runs())[0]?.cause;
  if (!cause) throw new Error('no run was recorded');
  const old = sealCause({ cursorKey: key }, cause, Date.now() - 601_000);
  const foreign = sealCause({ cursorKey: foreignKey }, cause);
  const forged = `${good.slice(0, -3)}${good.endsWith('AAA') ? 'BBB' : 'AAA'}`;
  const ignored = [old, foreign, forged, '', 'x', JSON.stringify(cause), good.repeat(4), `${good}, ${good}`];
  for (const [at, header] of ignored.entries()) {
    await echo(header, `ignored ${at}`);
    await until('the rule follows', async () => (await runs()).length === at + 2);
  }
  expect(new Set((await runs()).map(({ result }) => result))).toEqual(new Set(['started']));
  // The same that is good, and not too old.
  await echo(sealCause({ cursorKey: key }, cause, Date.now() - 540_000), 'continued');
  await until('the loop ends', async () => (await runs()).some(({ result }) => result === 'loop'));
});

it('goes with webhooks of what rules have led to, and with no others', async () => {
  await start();
  const hook = { id: 'w', url: `${receiver.url}/webhook`, events: ['task.updated'] };
  await api.post('/api/v1/webhooks', hook).expect(201);
  await api.post(tickets, { ID: '1' }).expect(201);
  await echo(undefined, 'a');
  const calls = await receiver.called('/webhook', 2);
  const told = calls.map(({ headers, body }) => [
    (JSON.parse(body) as Told).data.cause === null,
    headers['wts-cause'] === undefined,
  ]);
  expect(told.sort()).toEqual([
    [false, false],
    [true, true],
  ]);
  const header = String(calls.find(({ headers }) => headers['wts-cause'])?.headers['wts-cause']);
  await echo(header, 'from the webhook');
  await until('the loop ends', async () => (await runs()).some(({ result }) => result === 'loop'));
});
