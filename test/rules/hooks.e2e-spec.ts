import request from 'supertest';
import { type Event } from '../events/following.js';
import { sendRaw } from '../support/raw-request.js';
import {
  erp,
  type HooksSetting,
  hooksOfFile,
  received,
  recordedRuns,
  rulePath,
  secret,
  send,
  sendSigned,
} from './hooks.js';
import { settledTask, tickets } from './rules.js';

// A rule on hook is called by other systems.
let setting: HooksSetting;
const startHooks = await hooksOfFile();

interface Shown {
  readonly series: readonly {
    readonly name: string;
    readonly points: readonly (readonly [string, number])[];
  }[];
}

const HOUR = 3_600_000;
const vendor = (id: unknown, more = {}): object => ({ vendor: { id }, ...more });

it('starts the action on the task that `task` finds in the body, with exact numbers and two events', async () => {
  const exact = 'body["sum"] == 0.3 && body["big"] > 9007199254740992';
  setting = await startHooks(
    erp(`, when: 'body["kind"] == "blocked" && task["Risk"] == "High" && ${exact}'`),
  );
  await setting.api.post(tickets, { ID: '17', Risk: 'High' }).expect(201);
  await setting.api.post(tickets, { ID: 'v2', Risk: 'Low' }).expect(201);
  const { body } = await send(setting, vendor('v2', { kind: 'blocked' })).expect(202);
  expect(body).toEqual({});
  await send(setting, vendor('17', { kind: 'other' })).expect(202);
  const numbers = '"kind":"blocked","sum":0.30,"big":9007199254740993';
  await sendSigned(setting, `{"vendor":{"id":17},${numbers}}`).expect(202);
  expect(await recordedRuns(setting)).toMatchObject([{ starter_id: 'erp', unique_value: '17' }]);
  const events = await setting.api.read<Event[]>('/api/v1/events');
  const hook = events.findLast(({ type }) => type === 'hook.received');
  expect(hook?.data).toMatchObject({
    ...{ actor: { kind: 'system' }, task: null, cause: null },
    hook: { rule: 'erp', webhook_id: 'msg_1' },
  });
  expect(events.find(({ type }) => type === 'task.updated')?.data).toMatchObject({
    actor: { kind: 'rule', id: 'erp' },
    cause: { kind: 'rule', id: 'erp', event: hook?.id },
    changes: { Stage: { to: 'Review' } },
  });
});

describe('`create`', () => {
  const creating = erp(
    `, create: { Risk: High, Value: { expression: 'body["sum"] * 2' }, Note: { expression: 'body["text"]' } }`,
  );

  it('creates the missing task once for many simultaneous calls, and runs the action for each', async () => {
    setting = await startHooks(creating, ['id: next, on: created, run: count']);
    const call = () => send(setting, vendor('new', { sum: 20.25, text: 'x' })).expect(202);
    await Promise.all(Array.from({ length: 8 }, call));
    const runs = (await recordedRuns(setting)).filter(({ starter_id }) => starter_id === 'erp');
    expect(runs.map(({ unique_value }) => unique_value)).toEqual(Array.from({ length: 8 }, () => 'new'));
    expect(await setting.api.read(tickets)).toMatchObject([
      { ID: 'new', Risk: 'High', Note: 'x', Stage: 'Review', Count: '1', Value: '40.50' },
    ]);
    const events = await setting.api.read<Event[]>('/api/v1/events');
    expect(events.find(({ type }) => type === 'task.created')?.data).toMatchObject({
      actor: { kind: 'rule', id: 'erp' },
      cause: { kind: 'rule', id: 'erp', chain: [{ rule: 'erp' }] },
    });
    // A task that a hook creates is not an imported one, which figures leave out.
    const { series } = await setting.api.read<Shown>('/api/v1/workflows/tickets/metrics/throughput');
    expect(series.find(({ name }) => name === 'In')?.points.at(-1)?.[1]).toBe(1);
  });

  it('records why a task cannot be created, and continues', async () => {
    setting = await startHooks(creating);
    for (const body of [
      vendor('a', { sum: 1, text: 'x'.repeat(900_000) }),
      vendor('b', { text: 'no sum' }),
      vendor('c', { sum: 'many', text: 'x' }),
      vendor('d', { sum: 1, text: 'good' }),
    ])
      await send(setting, body).expect(202);
    expect(await settledTask(setting, `${tickets}/d`)).toMatchObject({ Stage: 'Review' });
    const runs = await recordedRuns(setting);
    expect(runs.slice(-3, -1).map(({ result }) => result)).toEqual(['failed', 'failed']);
    expect(runs.at(-2)?.because).not.toBe('the hook was called');
  });
});

it('records a run as unavailable without a task, and as failed if `task` cannot be evaluated', async () => {
  setting = await startHooks();
  for (const body of [vendor('nobody'), {}, vendor([1]), vendor(null)]) await send(setting, body).expect(202);
  const runs = await recordedRuns(setting);
  expect(runs.map(({ result }) => result)).toEqual(['unavailable', 'failed', 'failed', 'unavailable']);
  expect(runs[0]?.because).toContain('there is no task');
  expect(runs[3]?.because).toBe('the body names no task');
});

it('counts a `webhook-id` once in 24 hours, even at the same time, and every call without an id', async () => {
  setting = await startHooks();
  const body = JSON.stringify(vendor('v1'));
  const sendMany = () => Promise.all(Array.from({ length: 6 }, () => sendSigned(setting, body).expect(202)));
  await sendMany();
  await sendSigned(setting, body, { id: 'msg_2' }).expect(202);
  expect(await received(setting)).toBe(2);
  await setting.settle({ after: 25 * HOUR });
  await sendMany();
  expect(await received(setting)).toBe(3);
  for (let n = 0; n < 2; n += 1) await send(setting, vendor('v1')).expect(202);
  expect(await received(setting)).toBe(5);
});

it('refuses a sender without the secret, and stores nothing', async () => {
  setting = await startHooks();
  const body = JSON.stringify(vendor('v1'));
  const plain = (given: string, to = setting.path) =>
    request(setting.service.url).post(to).set('X-Hook-Secret', given).send(body);
  for (const sent of [
    plain('').unset('X-Hook-Secret'),
    plain(''),
    plain(`${secret}x`),
    sendSigned(setting, body, { key: `whsec_${Buffer.from('another one').toString('base64')}` }),
    sendSigned(setting, body, { at: new Date(Date.now() - 600_000) }),
    sendSigned(setting, body, { at: new Date(Date.now() + 600_000) }),
    sendSigned(setting, body).set('webhook-id', 'other'),
    sendSigned(setting, body).set('webhook-signature', 'v1,'),
    sendSigned(setting, body).set('webhook-signature', `v2,x v1a,y ${'v1,z '.repeat(500)}`),
  ])
    await sent.expect(401);
  for (const path of [`${setting.path.slice(0, -1)}_`, '/hooks/x']) await plain(secret, path).expect(404);
  expect(await received(setting)).toBe(0);
  setting = await startHooks(erp().replace('ERP_HOOK', 'NOT_SET'));
  await send(setting, vendor('v1')).expect(401);
});

it('answers hostile bodies by 400 or 413, or keeps them, and never fails', async () => {
  setting = await startHooks(
    erp(`, when: 'body["a"] == 1 || true', create: { Note: { expression: 'body["note"]' } }`),
  );
  const post = (body: string | Buffer, type = 'application/json') =>
    sendRaw(setting.service.url, {
      ...{ method: 'POST', path: setting.path, body },
      headers: [
        ['X-Hook-Secret', secret],
        ['Content-Type', type],
      ],
    });
  const refused = ['', '{', '{"a":1,"a":2}', '"\\ud800', Buffer.from([0x22, 0xff, 0x22]), '['.repeat(5000)];
  for (const body of refused) expect((await post(body)).status).toBe(400);
  expect((await post(`"${'x'.repeat(1_000_001)}"`)).status).toBe(413);
  const nul = '\\u0000';
  const taken = [
    'null',
    '[]',
    '{"vendor":{"id":{}}}',
    `{"vendor":{"id":"${nul}"}}`,
    '{"vendor":{"id":"\\ud800"}}',
    `{"vendor":{"id":"${'x'.repeat(5000)}"}}`,
    '{"vendor":{"id":1e999999999}}',
    `{"vendor":{"id":"n","x":1},"note":"${nul}"}`,
    '{"__proto__":{"id":"p"},"constructor":1,"vendor":{"id":"p"},"note":"p"}',
  ];
  for (const body of taken) expect([body, (await post(body)).status]).toEqual([body, 202]);
  expect((await post('{"vendor":{"id":"t"},"note":"t"}', 'text/plain')).status).toBe(202);
  expect(await settledTask(setting, `${tickets}/t`)).toMatchObject({ Stage: 'Review' });
  expect(await setting.service.dataSource.query('SELECT FROM events_set_aside')).toEqual([]);
  expect(await settledTask(setting, `${tickets}/p`)).toMatchObject({ Note: 'p' });
});

it('shows its address to administrators only', async () => {
  setting = await startHooks(erp(), ['id: other, on: created, run: fill']);
  const body = await setting.admin.read<{ url: string }>(rulePath);
  expect(body.url).toMatch(/^https:\/\/wts\.acme\.test\/hooks\/[\w-]{22}$/);
  await setting.api.get(rulePath).expect(403);
  await setting.admin.get(rulePath.replace('erp', 'other')).expect(404);
  await setting.admin.get(rulePath.replace('erp', 'nothing')).expect(404);
  // It stays as long as the rule is on hook.
  await setting.rules([erp(`, when: 'true'`)]);
  await send(setting, vendor('v1')).expect(202);
  await setting.rules(['id: erp, on: created, run: review']);
  await send(setting, vendor('v1')).expect(404);
});

it('takes 1,000 requests in a minute, counting only those with the secret', async () => {
  setting = await startHooks();
  const call = async (header: string): Promise<number> =>
    (await fetch(setting.service.url + setting.path, { method: 'POST', headers: { 'X-Hook-Secret': header }, body: '{' })).status; // prettier-ignore
  const answers = async (header: string): Promise<Set<number>> =>
    new Set(await Promise.all(Array.from({ length: 100 }, () => call(header))));
  for (let hundred = 0; hundred < 11; hundred += 1) expect(await answers('wrong')).toEqual(new Set([401]));
  await sendSigned(setting, '{').expect(400);
  expect(await call(secret)).toBe(400);
  for (let hundred = 0; hundred < 9; hundred += 1) expect(await answers(secret)).toEqual(new Set([400]));
  expect(await answers(secret)).toEqual(new Set([400, 429]));
  expect(await call('wrong')).toBe(401);
});

it('deletes bodies after seven days', async () => {
  setting = await startHooks();
  await send(setting, vendor('v1')).expect(202);
  await setting.settle({ after: 6 * 24 * HOUR });
  await send(setting, vendor('v2')).expect(202);
  await setting.settle({ after: 2 * 24 * HOUR });
  const kept = await setting.service.dataSource.query<{ body: string }[]>(
    'SELECT body FROM received_hooks WHERE workspace_id = $1',
    [setting.workspaceId],
  );
  expect(kept).toEqual([{ body: '{"vendor":{"id":"v2"}}' }]);
});

describe('the definition', () => {
  beforeAll(async () => {
    setting = await startHooks();
  });

  it.each([
    [`id: erp, on: hook, secret: -x, task: 'body["a"]', run: review`, 'names a secret that begins'],
    [
      `id: erp, on: hook, secret: X, task: 'task["ID"]', run: review`,
      'reads a task, but it must find the task',
    ],
    [`id: erp, on: hook, secret: X, task: 'body["a"] == 1', run: review`, 'gives no Unique ID'],
    [erp(', create: { ID: x }'), 'is already set by `task`'],
    [erp(', create: { Risk: Extreme }'), 'is not one of: Low'],
    [erp(`, create: { Note: { expression: 'task["Note"]' } }`), 'reads a task, but there is none yet'],
  ])('refuses %s', async (rule, message) => {
    await expect(setting.rules([rule])).rejects.toThrow(message);
  });
});
