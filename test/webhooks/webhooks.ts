import { type Client, startService, type TestService } from '../support/service.js';
import { type Receiver, startReceiver, type Call } from '../support/receiver.js';

/** A service whose webhooks lead to a receiver on this machine. */
export interface Setting {
  readonly service: TestService;
  readonly receiver: Receiver;
  /** With a key of scope `admin`. */
  readonly api: Client;
  stop(): Promise<void>;
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
    WTS_WEBHOOK_DELAYS: '0,30,30,30',
    // There is no other process. A lease that ends while this one has no turn would have a delivery come twice.
    WTS_LEASE_MS: '120000',
    WTS_SECRET_ACME__TEAM: 's3cret',
    ...environment,
  });
  const receiver = await startReceiver();
  await service.apply(definition);
  return {
    service,
    receiver,
    api: service.client(await service.key('acme', 'admin')),
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
