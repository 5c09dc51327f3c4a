import { Webhook } from 'standardwebhooks';
import { isMeant } from '../../src/webhooks/enter-deliveries.js';
import { EventFeed } from '../../src/events/event-feed.js';
import { answerWith, startReceiver } from '../support/receiver.js';
import { type Envelope, eventsOf, hooks, startSetting } from './webhooks.js';

const setting = await startSetting();
const { api } = setting;

describe('webhooks', () => {
  it('"POST of the envelope with webhook-id (the event\'s id), webhook-timestamp, webhook-signature"', async () => {
    const id = await setting.subscribe('signed', { headers: { 'X-Team': '{{secret.TEAM}}' } });
    await setting.create('signed', { Value: 5 });
    const [event] = await setting.told('/signed');
    const [call] = setting.receiver.of('/signed');
    expect(event).toMatchObject({
      type: 'task.created',
      data: {
        workflow: 'vendors',
        task: { unique_id: 'signed' },
        changes: { Value: { from: null, to: '5.00' } },
      },
    });
    expect(call).toMatchObject({ method: 'POST', headers: { 'webhook-id': event?.id, 'x-team': 's3cret' } });
    const { secret } = await api.read<{ secret: string }>(`${hooks}/${id}/secret`);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const headers = Object.fromEntries(
      Object.entries(call?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    expect(new Webhook(secret).verify(call?.body ?? '', headers)).toEqual(event);
  });

  it('"CEL, as in conditions; also before": for one workflow', async () => {
    const own = { workflows: ['vendors'] };
    await setting.subscribe('changed', { ...own, when: 'task["Value"] != before["Value"]' });
    await setting.subscribe('when', { ...own, when: 'task["Value"] > 1000 && before["Value"] != 2000' });
    await setting.create('w', { Value: 1 });
    await setting.update('w', { Notes: 'no' });
    await setting.update('w', { Value: 2000 });
    await setting.update('w', { Value: 3000 });
    await setting.update('w', { Value: 4000, Notes: 'yes' });
    const changed = (await setting.told('/changed')).filter(({ data }) => data.task?.unique_id === 'w');
    expect(changed.map(({ data }) => data.changes?.['Value'])).toEqual([
      { from: null, to: '1.00' },
      { from: '1.00', to: '2000.00' },
      { from: '2000.00', to: '3000.00' },
      { from: '3000.00', to: '4000.00' },
    ]);
    const met = await setting.told('/when');
    expect(met.map(({ data }) => data.changes?.['Value'])).toEqual([
      { from: '1.00', to: '2000.00' },
      { from: '3000.00', to: '4000.00' },
    ]);
  });

  it('a condition judges the task as the event left it, however often the task changes later', async () => {
    await setting.create('then', { Value: 1, Notes: 'first' });
    const last = { Value: 3, Notes: 'third' };
    for (const change of [
      { Value: 2 },
      { Notes: 'second' },
      { Value: null },
      { Notes: null },
      { Stage: 'Done' },
      last,
    ])
      await setting.update('then', change);
    const webhook = { id: 'then', workspaceId: 1, workflows: null, beginsAt: new Date(0) };
    const events: string[] = ['task.created', 'task.updated'];
    const meets = async (condition: string): Promise<number[]> => {
      const { rows, names } = await setting.service.app.get(EventFeed).readRecorded(1, 0, events);
      const own = rows.flatMap(({ event }) => (event?.uniqueValue === 'then' ? [event] : []));
      const { manager } = setting.service.dataSource;
      const met = await Promise.all(own.map((event) => isMeant(manager, { ...webhook, events, when: condition }, event, names))); // prettier-ignore
      return met.flatMap((isMet, at) => (isMet ? [at] : []));
    };
    await setting.service.settle();
    const met: readonly [string, readonly number[]][] = [
      ['true', [0, 1, 2, 3, 4, 5, 6]],
      ['task["Value"] == 1 && task["Notes"] == "first"', [0]],
      ['task["Value"] == 2 && task["Notes"] == "first" && before["Value"] == 1', [1]],
      ['task["Notes"] == null', [4, 5]],
      ['task["Stage"] == "Done" && before["Stage"] == "New"', [5]],
      ['task["Value"] == 3 && before["Value"] == null', [6]],
    ];
    for (const [condition, at] of met) expect([condition, await meets(condition)]).toEqual([condition, at]);
  });

  it('"webhook-id the same on every try", "2xx is success; 3xx is not followed and fails", in order per task', async () => {
    const id = await setting.subscribe('again');
    setting.receiver.answer('/again', (response, call, earlier) => {
      const status = [302, 500, 204][earlier] ?? 200;
      answerWith(status, '', { location: `${setting.receiver.url}/elsewhere` })(response, call, earlier);
    });
    await setting.create('again');
    await setting.update('again', { Value: 1 });
    await setting.update('again', { Value: 2 });
    await setting.tryOn();
    const events = await setting.told('/again');
    const [first = '', , , ...rest] = events.map((event) => event.id);
    expect(events.map((event) => event.id)).toEqual([first, first, first, ...rest]);
    expect(rest).toHaveLength(2);
    const versions = events.map(({ data }) => data.task?.version ?? 0);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(setting.receiver.of('/elsewhere')).toEqual([]);
    const list = await setting.deliveries(id, 'delivered');
    expect(list).toHaveLength(3);
    expect(list.at(-1)).toMatchObject({
      event: first,
      type: 'task.created',
      tries: 3,
      status: 204,
      cause: null,
    });
    expect(await setting.read(id)).toMatchObject({ state: 'active', failing_since: null });
  });

  it('"A delivery at the end of its tries is `failed`, and later events of that task pass at once"', async () => {
    const id = await setting.subscribe('bad');
    setting.receiver.answer('/bad', (response, call, earlier) => {
      const isFirst = eventsOf([call])[0]?.type === 'task.created';
      answerWith(isFirst ? 500 : 200, isFirst ? 'a secret of the receiver' : '')(response, call, earlier);
    });
    await setting.create('bad');
    await setting.update('bad', { Value: 1 });
    await setting.tryOn();
    expect((await setting.told('/bad')).map(({ type }) => type)).toEqual([
      ...['task.created', 'task.created', 'task.created', 'task.created', 'task.updated'],
    ]);
    const [failed] = await setting.deliveries(id, 'failed');
    expect(failed).toMatchObject({ tries: 4, status: 500, cause: 'was answered with status 500' });
    expect(JSON.stringify(failed)).not.toContain('a secret');

    setting.receiver.answer('/bad', answerWith(200));
    await api.post(`${hooks}/${id}/replay`, {}).expect(202, { replayed: 1 });
    expect((await setting.told('/bad')).at(-1)?.id).toBe(failed?.event);
  });

  const uniqueIds = (events: readonly Envelope[]): unknown[] =>
    events.map(({ data }) => data.task?.unique_id);

  it('"In order per task until a delivery has failed for 5 minutes; then that task\'s later events go on"', async () => {
    const id = await setting.subscribe('stuck');
    setting.receiver.answer('/stuck', answerWith(503, '', { 'retry-after': '3600' }));
    await setting.create('stuck');
    await setting.update('stuck', { Value: 1 });
    expect(await setting.told('/stuck')).toHaveLength(1);
    setting.receiver.answer('/stuck', answerWith(200));
    await setting.create('free');
    expect(uniqueIds(await setting.told('/stuck', { after: 290_000 }))).toEqual(['stuck', 'free']);
    expect((await setting.told('/stuck', { after: 11_000 })).map(({ type }) => type)).toEqual([
      ...['task.created', 'task.created', 'task.updated'],
    ]);
    expect(await setting.deliveries(id, 'pending')).toMatchObject([{ tries: 1, status: 503 }]);
  });

  it('a receiver that was away for a few minutes "gets everything, in order per task"', async () => {
    const id = await setting.subscribe('away');
    // It is there again before the delivery has failed for 5 minutes; its next try comes a little later than that.
    setting.receiver.answer('/away', answerWith(503, '', { 'retry-after': '350' }));
    await setting.create('away');
    await setting.update('away', { Value: 1 });
    expect(await setting.told('/away')).toHaveLength(1);
    expect(await setting.read(id)).toMatchObject({ failing_since: expect.any(String) as string });
    setting.receiver.answer('/away', answerWith(200));
    await setting.create('there');
    expect(uniqueIds(await setting.told('/away', { after: 310_000 }))).toEqual(['away', 'there']);
    const events = await setting.told('/away', { after: 41_000 });
    expect(events.slice(2).map(({ type }) => type)).toEqual(['task.created', 'task.updated']);
  });

  it('"Disabled when nothing has succeeded for 5 days"; `enable` continues at the same event', async () => {
    const id = await setting.subscribe('gone');
    const watcher = await setting.subscribe('watched', { events: ['webhook.disabled'] });
    setting.receiver.answer('/gone', answerWith(500));
    await setting.create('gone');
    await setting.tryOn();
    expect(await setting.deliveries(id, 'failed')).toHaveLength(1);
    await setting.create('last');
    await setting.service.settle({ after: 5 * 24 * 3_600_000 });
    expect(await setting.read(id)).toMatchObject({ state: 'disabled' });
    await setting.create('meanwhile');
    const before = setting.receiver.of('/gone').length;
    expect(await setting.told('/watched')).toMatchObject([
      { type: 'webhook.disabled', data: { webhook: { id } } },
    ]);
    expect(await api.read('/api/v1/events?type=webhook.disabled')).toMatchObject([
      { data: { webhook: { id } } },
    ]);
    await api.post(`${hooks}/${id}/test`).expect(202);
    expect(await setting.told('/gone')).toHaveLength(before + 1);
    setting.receiver.answer('/gone', answerWith(200));
    const enabled = await api.send(`${hooks}/${id}/enable`, {});
    expect(enabled).toMatchObject({ state: 'active', failing_since: null });
    const ids = uniqueIds(await setting.told('/gone'));
    // Different tasks have no order.
    expect(ids.slice(before + 1).toSorted()).toEqual(['last', 'meanwhile']);
    await api.delete(`${hooks}/${watcher}`).expect(204);
  });

  it('"`webhook.test` goes to its receiver only", and deliveries are listed page by page', async () => {
    const id = await setting.subscribe('tested');
    await api.post(`${hooks}/${id}/test`).expect(202);
    const [event] = await setting.told('/tested', { after: 10_000 });
    expect(event).toMatchObject({ type: 'webhook.test', data: { task: null, webhook: { id } } });
    await setting.create('tested');
    await setting.service.settle();
    const page = await api.get(`${hooks}/${id}/deliveries?_limit=1`).expect(200);
    expect(page.body).toMatchObject([{ type: 'task.created' }]);
    expect(page.headers['link']).toContain('rel="next"');
  });

  it('a receiver that hangs delays no others: "Five at once per webhook at most"', async () => {
    const hanging = await startReceiver();
    let [open, most] = [0, 0];
    hanging.answer('/', (response) => {
      most = Math.max(most, (open += 1));
      response.once('close', () => (open -= 1));
    });
    await api.post(hooks, { url: hanging.url, events: ['task.created'], id: 'hanging' }).expect(201);
    await setting.subscribe('live');
    const names = Array.from({ length: 8 }, (_, index) => `beside-${index}`);
    for (const name of names) await setting.create(name);
    const running = setting.service.settle();
    await setting.receiver.called('/live', 8);
    await hanging.called('/', 5);
    expect(most).toBe(5);
    hanging.stop();
    await running;
    await api.delete(`${hooks}/hanging`).expect(204);
  });

  it('a failing webhook queues 1,000 deliveries, and "What comes meanwhile is not lost"', async () => {
    const { dataSource } = setting.service;
    const id = await setting.subscribe('bounded');
    setting.receiver.answer('/bounded', answerWith(503, '', { 'retry-after': '3600' }));
    await setting.create('bounded');
    await setting.service.settle();
    await dataSource.query(
      `INSERT INTO webhook_deliveries (workspace_id, webhook_id, event_id, type, next_at)
      SELECT workspace_id, id, gen_random_uuid(), 'task.created', now() + interval '1 hour'
      FROM webhooks CROSS JOIN generate_series(1, 999) WHERE id = $1`, [id],
    ); // prettier-ignore
    for (const name of ['held-1', 'held-2', 'held-3']) await setting.create(name);
    expect(uniqueIds(await setting.told('/bounded'))).toEqual(['bounded']);
    // "one more each minute", which finds that it is there again; then the rest comes.
    expect(uniqueIds(await setting.told('/bounded', { after: 61_000 }))).toEqual(['bounded', 'held-1']);
    setting.receiver.answer('/bounded', answerWith(200));
    const all = ['bounded', 'held-1', 'held-2', 'held-3'];
    expect(uniqueIds(await setting.told('/bounded', { after: 61_000 }))).toEqual(all);
    await api.delete(`${hooks}/${id}`).expect(204);
  });
});
