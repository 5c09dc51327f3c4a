import { type Client, createClient, NotFound, NotPossible, PreconditionFailed, ValidationError, verifyWebhook } from '../../../packages/client/client.js'; // prettier-ignore
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';
import { patience } from '../../support/until.js';
import { type Fault, startCuttingProxy } from './cutting-proxy.js';

const definition = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: theo@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }, { name: Approved, end: true }]
    fields:
      - { name: Vendor ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Amount, type: number }
      - { name: constructor, type: text }
    actions:
      - id: approve
        name: Approve
        requirements: { assigned: true }
        fields: [{ field: Risk, required: true }]
        steps: [{ name: Approve, type: move_to_stage, stage: Approved }]
  - id: numbers
    name: Numbers
    stages: [{ name: New }]
    fields: [{ name: No, type: uniqueId, autoincrement: true }, { name: Text, type: text }]
  - { id: plain, name: Plain, stages: [{ name: New }], fields: [{ name: Text, type: text }] }
`;

const refusal = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('the client in TypeScript', () => {
  let service: TestService;
  let receiver: Receiver;
  let key: string;
  let wts: Client;

  beforeAll(async () => {
    service = await startService({ WTS_OUTBOUND_ALLOW: '127.0.0.1/32', WTS_WEBHOOK_DELAYS: '0,0.05,0.05' });
    receiver = await startReceiver();
    await service.apply(definition);
    key = await service.key('acme', 'admin');
    wts = createClient({ url: service.url, key });
  });
  afterAll(async () => {
    receiver.stop();
    await service.stop();
  });

  it('tells the story of the service: save, act, wait, follow, webhook', async () => {
    const vendors = wts.workflow('vendors');
    await wts.request('POST', '/api/v1/webhooks', {
      body: { id: 'mine', url: `${receiver.url}/hook`, events: ['task.updated'] },
    });
    const { body } = await wts.request<{ secret: string }>('GET', '/api/v1/webhooks/mine/secret');
    const after = await wts.events.now();

    const amount = '12345678901234567890123456789012345678';
    const vendor = { 'Vendor ID': 'V-1', Amount: amount, constructor: 'a field' };
    const made = await vendors.tasks.save(vendor);
    expect(made).toMatchObject({ isCreated: true, task: { Stage: 'New', Amount: amount } });
    expect(Object.entries(made.task)).toContainEqual(['constructor', 'a field']);
    // Read, changed and written, a task loses nothing.
    const { task, etag } = await vendors.tasks.get('V-1');
    const saved = await vendors.tasks.update({ ...task, 'Assigned To': 'mina@acme.test' }, { ifMatch: etag });
    expect(saved.task).toEqual({ ...task, 'Assigned To': 'mina@acme.test' });
    expect(Object.entries(saved.task)).toContainEqual(['constructor', 'a field']);
    expect(await refusal(vendors.tasks.update(task, { ifMatch: etag }))).toBeInstanceOf(PreconditionFailed);
    expect(await refusal(vendors.tasks.create(vendor))).toBeInstanceOf(PreconditionFailed);
    expect(await refusal(vendors.tasks.update({ 'Vendor ID': 'V-9' }))).toBeInstanceOf(NotFound);
    const wrong = await refusal(vendors.tasks.save({ 'Vendor ID': 'V-2', Risk: 'Huge' }));
    expect(wrong).toBeInstanceOf(ValidationError);
    expect(wrong).toMatchObject({ status: 422, errors: { Risk: ['is not one of: Low, High'] } });
    expect((wrong as ValidationError).requestId).toMatch(/./);

    await vendors.tasks.save({ 'Vendor ID': 'V-2' });
    const unmet = await refusal(vendors.act('V-2', 'approve', { fields: { Risk: 'Low' } }));
    expect(unmet).toBeInstanceOf(NotPossible);
    expect(unmet).toMatchObject({ unmet: ['Must be assigned'] });
    const asked = { fields: { Risk: 'High' }, wait: 25, performedBy: 'mina@acme.test' };
    expect(await refusal(vendors.act('V-1', 'approve', { wait: 25 }))).toBeInstanceOf(ValidationError);
    expect(await vendors.act('V-1', 'approve', asked)).toMatchObject({ status: 'Success', errors: [] });
    expect(await vendors.actions('V-2')).toMatchObject([{ id: 'approve', available: false }]);

    for (const by of ['poll', 'sse'] as const) {
      const told: string[] = [];
      const stop = new AbortController();
      for await (const { event } of wts.events.follow({
        after,
        by,
        workflows: ['vendors'],
        signal: stop.signal,
      })) {
        told.push(`${event.type} ${event.data.task?.unique_id}`);
        if (told.length === 6) stop.abort();
      }
      // What an execution changes may stand before its end, or behind.
      expect(told.slice(0, 4)).toEqual(['task.created V-1', 'task.updated V-1', 'task.created V-2', 'execution.started V-1']); // prettier-ignore
      expect(told.slice(4).sort()).toEqual(['execution.succeeded V-1', 'task.updated V-1']);
    }

    const calls = await receiver.called('/hook', 2);
    const events = await Promise.all(
      calls.map((call) => verifyWebhook(call.body, call.headers, body.secret)),
    );
    expect(events.map(({ data }) => data.changes)).toMatchObject([
      { 'Assigned To': { from: null, to: 'mina@acme.test' } },
      { Stage: { from: 'New', to: 'Approved' }, Risk: { from: null, to: 'High' } },
    ]);
  });

  // Rule: through a proxy that cuts before and after the body, storms of 429 and slow answers.
  it('makes exactly 400 tasks by 400 creates, whatever is cut, and follows them without a gap', async () => {
    const faults: readonly Fault[] = ['none', 'none', 'none', 'none', 'none', 'late', 'lost', 'unanswered', 'unanswered', 'cut', 'storm', 'busy']; // prettier-ignore
    const proxy = await startCuttingProxy(service.url, () => faults[Math.floor(Math.random() * faults.length)] ?? 'none'); // prettier-ignore
    const through = createClient({ url: proxy.url, key, deadline: patience });
    // One numbers its tasks and the other names none: nothing but the key of the call tells two of a kind.
    const [numbers, plain] = [through.workflow('numbers').tasks, through.workflow('plain').tasks];
    const before = (await all(wts.workflow('numbers').tasks.list())).length;
    const after = await through.events.now();
    let left = 200;
    const shown: unknown[] = [];
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        const [{ task }] = await Promise.all([numbers.create({ Text: 'one' }), plain.save({ Text: 'one' })]);
        shown.push(task['No']);
      }
    };
    await Promise.all(Array.from({ length: 40 }, work));
    const told = new Set<string>();
    const stop = new AbortController();
    for await (const { event } of through.events.follow({ after, limit: 50, wait: 1, signal: stop.signal })) {
      told.add(event.id);
      if (told.size === 400) stop.abort();
    }
    proxy.stop();
    expect([...proxy.faults.keys()].sort()).toEqual([...new Set(faults)].sort());
    expect(await all(wts.workflow('numbers').tasks.list())).toHaveLength(before + 200);
    expect(new Set(shown).size).toBe(200);
    expect(await all(wts.workflow('plain').tasks.list())).toHaveLength(200);
  });
});
