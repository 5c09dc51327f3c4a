import request from 'supertest';
import { sealCause } from '../../src/common/sealed-cause.js';
import { generateApiKey } from '../../src/access/api-keys.js';
import { type Cause } from '../../src/common/origin.js';
import { startReceiver } from '../support/receiver.js';
import { startService, type Client } from '../support/service.js';
import { tickets } from './rules.js';

// The chain of rules travels through other systems, so that a loop over one ends too.
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

// What the secret of an api_call to the service itself must be.
const ownKey = generateApiKey();
let slug: string;
let api: Client;
const receiver = await startReceiver();
const service = await startService({
  WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
  WTS_SECRET_STRAIGHT__TOKEN: ownKey,
  ...Object.fromEntries(['ECHOED', 'FORGED', 'HOOKED'].map((name) => [`WTS_SECRET_${name}__TOKEN`, 'x'])),
});
afterAll(() => service.stop());
afterAll(() => {
  receiver.stop();
});

interface RunRow {
  readonly result: string;
  readonly cause: Cause;
}

/** The runs once all is done, the first one first. */
async function runs(): Promise<RunRow[]> {
  await service.settle({ workspace: slug });
  return service.dataSource.query(
    `SELECT result, cause FROM runs WHERE workspace_id = (SELECT id FROM workspaces WHERE slug = $1) ORDER BY place`,
    [slug],
  );
}

const results = async (): Promise<string[]> => (await runs()).map(({ result }) => result);

/** A workspace whose rule calls this address, or the receiver, when its task changes. */
async function start(name: string, url = `${receiver.url}/${name}`): Promise<void> {
  slug = name;
  api = await service.clientOf(definition(slug, url, 'TOKEN'), 'admin');
  await api.post(tickets, { ID: '1' }).expect(201);
}

/** Changes a task as another system that continues this cause. */
async function echo(header: string | undefined, note: string): Promise<void> {
  const post = request(service.url)
    .post(tickets)
    .set('Authorization', `Bearer ${await service.key(slug)}`)
    .send({ ID: '1', Note: note });
  await (header === undefined ? post : post.set('WTS-Cause', header)).expect(200);
}

it('ends a rule that calls the service itself, which changes the task again', async () => {
  receiver.answer('/echoed', async (response, { headers, body }) => {
    // Another system that writes what it hears, and echoes the header.
    await request(service.url)
      .post(tickets)
      .set('Authorization', `Bearer ${await service.key(slug)}`)
      .set('WTS-Cause', String(headers['wts-cause']))
      .send(JSON.parse(body) as object);
    response.end('{}');
  });
  await start('echoed');
  await api.put(tickets, { ID: '1', Note: 'first' }).expect(200);
  expect(await results()).toEqual(['started', 'loop']);
  expect(receiver.of('/echoed')).toHaveLength(1);
  const body = await api.read<Told[]>('/api/v1/events');
  const [continued] = body.filter(({ data }) => data.cause?.id === 'again' && data.actor.kind === 'key');
  expect(continued?.data.cause?.chain).toMatchObject([{ rule: 'again' }]);
  expect(body.map(({ type }) => type)).toContain('rule.loop');
});

interface Told {
  readonly type: string;
  readonly data: { readonly actor: { readonly kind: string }; readonly cause: Cause | null };
}

it('takes forged, foreign and old ones for none', async () => {
  await start('forged');
  await echo(undefined, 'a');
  const [{ cause }] = (await runs()) as [RunRow];
  const good = String(receiver.of('/forged')[0]?.headers['wts-cause']);
  expect(good).toMatch(/^[\w-]{100,}$/);
  const keyOf = async (workspace: string): Promise<Buffer> => {
    const [row] = await service.dataSource.query<[{ cursor_key: Buffer }]>(
      'SELECT cursor_key FROM workspaces WHERE slug = $1',
      [workspace],
    );
    return row.cursor_key;
  };
  await service.apply(definition('other', receiver.url, 'TOKEN'));
  const [key, foreignKey] = [await keyOf('forged'), await keyOf('other')];
  const old = sealCause({ cursorKey: key }, cause, Date.now() - 601_000);
  const foreign = sealCause({ cursorKey: foreignKey }, cause);
  const forged = `${good.slice(0, -3)}${good.endsWith('AAA') ? 'BBB' : 'AAA'}`;
  const ignored = [old, foreign, forged, '', 'x', JSON.stringify(cause), good.repeat(4), `${good}, ${good}`];
  for (const [at, header] of ignored.entries()) await echo(header, `ignored ${at}`);
  expect(await results()).toEqual(['started', ...ignored.map(() => 'started')]);
  // The same that is good, and not too old.
  await echo(sealCause({ cursorKey: key }, cause, Date.now() - 540_000), 'continued');
  expect((await results()).at(-1)).toBe('loop');
});

it('goes with webhooks of what rules have led to, and with no others', async () => {
  await start('hooked');
  const hook = { id: 'w', url: `${receiver.url}/webhook`, events: ['task.updated'] };
  await api.post('/api/v1/webhooks', hook).expect(201);
  await echo(undefined, 'a');
  await service.settle({ workspace: slug });
  const calls = receiver.of('/webhook');
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
  expect((await results()).at(-1)).toBe('loop');
});
