import { Webhook } from 'standardwebhooks';
import { DataSource, type EntityManager } from 'typeorm';
import { readEvents } from '../../src/events/events.repository.js';
import { dueDeliveries, recordTry } from '../../src/webhooks/deliveries.repository.js';
import { dueWebhooks, webhookLeases } from '../../src/webhooks/due-webhooks.js';
import { answerWith } from '../support/receiver.js';
import { rowsRead } from '../support/rows-read.js';
import { eventsOf, hooks, type ShownDelivery, startSetting, tasks } from './webhooks.js';

const setting = await startSetting();
const { api } = setting;

describe('deliveries of webhooks', () => {
  const sql = (text: string, values: unknown[] = []) => setting.service.dataSource.query(text, values);
  const workspaceId = async (): Promise<number> =>
    ((await sql('SELECT id FROM workspaces')) as [{ id: number }])[0].id;
  const subscribe = (id: string, more = {}): Promise<string> =>
    setting.subscribe(id, { id, events: ['task.created'], ...more });

  async function ended(id: string, state: string, count: number): Promise<ShownDelivery[]> {
    await setting.tryOn();
    const found = await setting.deliveries(id, state);
    expect(found).toHaveLength(count);
    return found;
  }

  it('a delivery has `id, event, type, state, tries, status, cause, took_ms, next_at, at`; "16 kB are read" of an answer', async () => {
    // An answer without end: its status counts.
    setting.receiver.answer('/endless', (response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    });
    await subscribe('endless');
    await setting.create('endless');
    const [delivery] = await ended('endless', 'delivered', 1);
    const [event] = await setting.api.read<{ id: string }[]>(`${tasks}/endless/history`);
    expect(delivery).toMatchObject({
      ...{ event: event?.id, type: 'task.created', state: 'delivered', tries: 1 },
      ...{ status: 200, cause: null, took_ms: expect.any(Number) as number, next_at: null },
    });
  });

  it('"at least once": what a lost sender had in hand is sent when its lease ends; what it tells late does not count', async () => {
    const { manager } = setting.service.app.get(DataSource);
    setting.receiver.answer('/lost', answerWith(503));
    await subscribe('lost');
    await setting.create('lost');
    const key = { workspaceId: await workspaceId(), id: 'lost' };
    const lost = await webhookLeases.claim(manager, key, 120_000);
    if (!lost) throw new Error('was not claimed');
    await setting.service.settle({ after: 60_000 });
    expect(setting.receiver.of('/lost')).toEqual([]);
    await setting.service.settle({ after: 61_000 });
    const [delivery] = await setting.deliveries('lost', 'pending');
    expect(delivery).toMatchObject({ tries: 1, status: 503 });
    const late = { status: 200, cause: null, tookMs: 1, waitMs: 0, isFailure: false };
    const told = { ...late, place: String(delivery?.id), state: 'delivered' as const };
    expect(await recordTry(manager, lost, told)).toBeUndefined();
    expect(await setting.deliveries('lost', 'pending')).toEqual([delivery]);
    setting.receiver.answer('/lost', answerWith(200));
    await ended('lost', 'delivered', 1);
  });

  it('"through the one outbound client, with its guard": addresses that are not allowed get nothing', async () => {
    await subscribe('inside', { url: 'http://10.0.0.1/' });
    await setting.create('inside');
    const [delivery] = await ended('inside', 'failed', 1);
    expect(delivery).toMatchObject({
      tries: 4,
      status: null,
      cause: 'its address is not allowed (WTS_OUTBOUND_ALLOW)',
    });
  });

  it('a replayed delivery is tried once and does "not touch its health"', async () => {
    await subscribe('replayed');
    for (const id of ['r1', 'r2', 'r3']) await setting.create(id);
    const [last, , first] = await ended('replayed', 'delivered', 3);
    const replay = async (body: object): Promise<unknown> =>
      (await api.post(`${hooks}/replayed/replay`, body).expect(202)).body;
    expect(await replay({ deliveries: [last?.id, first?.id, 'none'] })).toEqual({ replayed: 2 });
    await ended('replayed', 'delivered', 5);
    const told = eventsOf(setting.receiver.of('/replayed')).map(({ data }) => data.task?.unique_id);
    expect(told.slice(3).toSorted()).toEqual(['r1', 'r3']);

    setting.receiver.answer('/replayed', answerWith(500));
    expect(await replay({ deliveries: [last?.id] })).toEqual({ replayed: 1 });
    expect((await ended('replayed', 'failed', 1))[0]).toMatchObject({ tries: 1, status: 500 });
    expect(await api.read(`${hooks}/replayed`)).toMatchObject({ state: 'active', failing_since: null });
    // A list of all has every state, the newest first.
    const all = await setting.deliveries('replayed');
    expect(all.map(({ state }) => state)).toEqual(['failed', ...Array<string>(5).fill('delivered')]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(6);

    // The later event failed first. A replay of both takes them in the order of events.
    expect(await replay({ deliveries: [first?.id] })).toEqual({ replayed: 1 });
    await ended('replayed', 'failed', 2);
    expect(await replay({})).toEqual({ replayed: 2 });
    const [newest, before] = await setting.deliveries('replayed');
    expect([before, newest]).toMatchObject([{ event: first?.event }, { event: last?.event }]);
  });

  it('"after `rotate` both sign for 24 h", and then only the new secret', async () => {
    await subscribe('signed');
    const old = await api.read<{ secret: string }>(`${hooks}/signed/secret`);
    const now = (await api.post(`${hooks}/signed/secret/rotate`)).body as { secret: string };
    expect(now.secret).not.toBe(old.secret);
    expect(JSON.stringify(await api.read(hooks))).not.toMatch(/whsec_/);
    const signers = async (ID: string): Promise<boolean[]> => {
      await setting.create(ID);
      await setting.service.settle();
      const call = setting.receiver.of('/signed').at(-1);
      const headers = call?.headers as Record<string, string>;
      return [old, now].map(({ secret }) => isSigned(secret, call?.body ?? '', headers));
    };
    expect(await signers('signed-1')).toEqual([true, true]);
    await setting.service.settle({ after: 24 * 3_600_000 });
    expect(await signers('signed-2')).toEqual([false, true]);
  });

  it('"deliveries stay 30 days", even many; pending deliveries stay', async () => {
    await sql(
      `INSERT INTO webhook_deliveries (workspace_id, webhook_id, event_id, type, state, next_at, created_at, finished_at)
      SELECT workspace_id, id, gen_random_uuid(), 'task.created', s.state, 'infinity', now() - interval '31 days',
        CASE WHEN s.state <> 'pending' THEN
          now() - interval '31 days' + s.n * interval '1 minute' + (s.n > 1440)::integer * interval '1 hour' END
      FROM webhooks CROSS JOIN (
        SELECT CASE n WHEN 0 THEN 'pending' ELSE 'failed' END AS state, n FROM generate_series(0, 2000) n
      ) s WHERE id = 'signed'`,
    ); // prettier-ignore
    await setting.service.settle();
    const states = await sql(
      `SELECT state, count(*)::integer, min(finished_at) > now() - interval '30 days' AS "isYoung"
      FROM webhook_deliveries WHERE webhook_id = 'signed' GROUP BY state ORDER BY state`,
    ); // prettier-ignore
    expect(states).toEqual([
      { state: 'delivered', count: 2, isYoung: true },
      { state: 'failed', count: 2000 - 1440, isYoung: true },
      { state: 'pending', count: 1, isYoung: null },
    ]);
  });

  it('of many large events some are read at once, and the others are sent later', async () => {
    await subscribe('large');
    await api.post(`${hooks}/large/pause`).expect(200);
    const ids = ['large0', 'large1', 'large2', 'large3', 'large4'];
    for (const id of ids) await setting.create(id);
    await sql(
      `UPDATE events SET values_to = values_to || jsonb_build_object('x', (
        SELECT string_agg(md5(n::text), '') FROM generate_series(1, 25000) n
      )) WHERE unique_value LIKE 'large%'`,
    );
    const ofLarge = `SELECT place FROM events WHERE unique_value LIKE 'large%' ORDER BY place`;
    const places = ['0', ...((await sql(ofLarge)) as { place: string }[]).map(({ place }) => place)];
    const read = await readEvents(setting.service.app.get(DataSource).manager, await workspaceId(), places);
    expect(Array.from(read.values(), (event) => event?.uniqueValue)).toEqual([undefined, ...ids.slice(0, 3)]);
    await api.post(`${hooks}/large/enable`).expect(200);
    await ended('large', 'delivered', 5);
    const sent = eventsOf(setting.receiver.of('/large')).map(({ data }) => data.task?.unique_id);
    expect(sent.sort()).toEqual(ids);
  });

  it('the query for due deliveries reads no delivery that waits', async () => {
    await sql(
      `INSERT INTO webhook_deliveries (workspace_id, webhook_id, event_id, type, task_id, next_at)
      SELECT workspace_id, id, gen_random_uuid(), 'task.created', n, now() + n * interval '1 hour'
      FROM webhooks CROSS JOIN generate_series(1, 3000) n WHERE id = 'signed'`,
    );
    await sql('ANALYZE webhook_deliveries');
    const webhook = { workspaceId: await workspaceId(), id: 'signed' };
    const find = async (tx: EntityManager): Promise<unknown> => {
      await dueWebhooks(tx);
      return dueDeliveries(tx, webhook, 100);
    };
    const table = 'webhook_deliveries';
    expect(await rowsRead(setting.service.dataSource, { table, plans: 'custom' }, find)).toBeLessThan(100);
  });
});

function isSigned(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
