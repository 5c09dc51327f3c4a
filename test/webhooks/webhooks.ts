import { type Test } from 'supertest';
import { type Client, type SettleOptions, startService, type TestService } from '../support/service.js';
import { type Receiver, startReceiver, type Call } from '../support/receiver.js';
import { testOptions } from '../support/test-options.js';

/** A service whose webhooks lead to a receiver on this machine. */
export interface Setting {
  readonly service: TestService;
  readonly receiver: Receiver;
  /** With a key of scope `admin`. */
  readonly api: Client;
  /** Subscribes under a path of the receiver, which tells the tests apart; answers the id of the webhook. */
  subscribe(path: string, further?: object): Promise<string>;
  create(ID: string, values?: object): Test;
  update(ID: string, values: object): Test;
  read(id: string): Promise<object>;
  /** The deliveries to a webhook, the newest first. */
  deliveries(id: string, state?: string): Promise<ShownDelivery[]>;
  /** What a path was told once all is sent that is due. */
  told(path: string, options?: SettleOptions): Promise<Envelope[]>;
  /** Lets all tries of deliveries come. */
  tryOn(): Promise<void>;
  stop(): Promise<void>;
}

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

/** Pauses between tries are short here. */
export async function startSetting(environment: Record<string, string> = {}): Promise<Setting> {
  const service = await startService({
    WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
    // There is no other process. A lease that ends while this one has no turn would have a delivery come twice.
    ...testOptions({ webhookDelaysMs: [0, 30_000, 30_000, 30_000], leaseMs: 120_000 }),
    WTS_SECRET_ACME__TEAM: 's3cret',
    ...environment,
  });
  const receiver = await startReceiver();
  const api = await service.clientOf(definition, 'admin');
  return {
    ...{ service, receiver, api },
    async subscribe(path, further) {
      const wanted = {
        url: `${receiver.url}/${path}/end`,
        events: ['task.created', 'task.updated'],
        ...further,
      };
      return ((await api.post(hooks, wanted).expect(201)).body as { id: string }).id;
    },
    create: (ID, values) => api.post(tasks, { ID, ...values }).expect(201),
    update: (ID, values) => api.put(tasks, { ID, ...values }).expect(200),
    read: async (id) => api.read<object>(`${hooks}/${id}`),
    async deliveries(id, state = '') {
      return api.read<ShownDelivery[]>(`${hooks}/${id}/deliveries${state && `?state=${state}`}`);
    },
    async told(path, options) {
      await service.settle(options);
      return eventsOf(receiver.of(path));
    },
    async tryOn() {
      for (let tries = 0; tries < 4; tries += 1) await service.settle({ after: 60_000 });
    },
    async stop() {
      await service.stop();
      receiver.stop();
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
    readonly current?: { readonly version: number; readonly task: object } | null;
    readonly webhook?: { readonly id: string };
  };
}
