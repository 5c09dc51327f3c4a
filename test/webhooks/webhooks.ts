import { type SettleOptions, startService } from '../support/service.js';
import { startReceiver, type Call } from '../support/receiver.js';
import { testOptions } from '../support/test-options.js';

export const hooks = '/api/v1/webhooks';
export const tasks = '/api/v1/workflows/vendors/tasks';

export interface ShownDelivery {
  readonly id: string;
  readonly event: string;
  readonly type: string;
  readonly state: string;
  readonly tries: number;
  readonly status: number | null;
  readonly cause: string | null;
}

export const definition = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Value, type: currency, decimals: 2 }
      - { name: Notes, type: text }
  - id: others
    name: Others
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }]
`;

/** A service whose webhooks lead to a receiver on this machine; pauses between tries are short. */
export async function startSetting() {
  const service = await startService({
    WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
    // There is no other process. A lease that ends while this one has no turn would have a delivery come twice.
    ...testOptions({ webhookDelaysMs: [0, 30_000, 30_000, 30_000], leaseMs: 120_000 }),
    WTS_SECRET_ACME__TEAM: 's3cret',
  });
  const receiver = await startReceiver();
  afterAll(async () => {
    await service.stop();
    receiver.stop();
  });
  const api = await service.clientOf(definition, 'admin');
  return {
    ...{ service, receiver, api },

    /** Subscribes under a path of the receiver, which tells the tests apart; answers the id of the webhook. */
    subscribe: async (path: string, further = {}): Promise<string> => {
      const usual = { url: `${receiver.url}/${path}/end`, events: ['task.created', 'task.updated'] };
      return (await api.send<{ id: string }>(hooks, { ...usual, ...further })).id;
    },
    create: (ID: string, values = {}) => api.post(tasks, { ID, ...values }).expect(201),
    update: (ID: string, values: object) => api.put(tasks, { ID, ...values }).expect(200),
    read: (id: string) => api.read<object>(`${hooks}/${id}`),

    /** The deliveries to a webhook, the newest first. */
    deliveries: (id: string, state = '') =>
      api.read<ShownDelivery[]>(`${hooks}/${id}/deliveries${state && `?state=${state}`}`),

    /** What a path was told once all is sent that is due. */
    told: async (path: string, options?: SettleOptions): Promise<Envelope[]> => {
      await service.settle(options);
      return eventsOf(receiver.of(path));
    },

    /** Lets all tries of deliveries come. */
    tryOn: async (): Promise<void> => {
      for (let tries = 0; tries < 4; tries += 1) await service.settle({ after: 60_000 });
    },
  };
}

/** What came under a path, as the envelopes of events. */
export function eventsOf(calls: readonly Call[]): Envelope[] {
  return calls.map(({ body }) => JSON.parse(body) as Envelope);
}

export interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly workflow: string | null;
    readonly task: { readonly unique_id: string; readonly version: number } | null;
    readonly changes?: Readonly<Record<string, unknown>>;
    readonly webhook?: { readonly id: string };
  };
}
