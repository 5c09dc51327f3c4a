import { jest } from '@jest/globals';
import { type EntityManager } from 'typeorm';
import { Secrets } from '../../../src/access/secrets.js';
import { DeliveryRunner } from '../../../src/webhooks/delivery-runner.js';

/** A database with these rows by the names of statements, each once, and the names of what it was asked. */
function databaseOf(rows: Readonly<Record<string, object>> = {}): {
  readonly db: EntityManager;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const query = ({ name }: { readonly name: string }): Promise<object> => {
    const row = asked.includes(name) ? undefined : rows[name];
    asked.push(name);
    return Promise.resolve({ rows: row ? [row] : [], fields: [] });
  };
  const connect = (): Promise<object> => Promise.resolve({ query });
  return { db: { queryRunner: { connect } } as unknown as EntityManager, asked };
}

/** Runs a claimed receiver to its end. */
async function runOn(
  db: EntityManager,
  more: Readonly<Record<string, unknown>> = {},
  isLost = (): boolean => false,
): Promise<void> {
  const { signal } = new AbortController();
  const lease = { signal, isLost, end: () => undefined };
  const receiver = { workspaceId: 1, origin: 'https://hooks.test', fence: 1 };
  const { feed, workspaces, outbound, secrets } = more;
  const parts = [{ manager: db }, feed, workspaces, outbound, secrets, { webhookDelaysMs: [0] }];
  const runner = Reflect.construct(DeliveryRunner, parts) as DeliveryRunner;
  await runner.run(receiver, { lease, stopping: signal, outside: (wait) => wait() });
}

it('webhooks are read after the deliveries that are due, so that both secrets sign what follows a rotation', async () => {
  const { db, asked } = databaseOf();
  await runOn(db);
  expect(asked.slice(0, 2)).toEqual(['due-webhook-deliveries', 'webhooks-of-receiver']);
});

it('a run whose lease has ended while it read what to send does not send it', async () => {
  const delivery = {
    place: '1',
    webhookId: 'told',
    eventId: '0-0-0-0-0',
    eventPlace: null,
    createdAt: new Date(0),
  };
  const webhook = { id: 'told', url: 'https://hooks.test/', headers: {}, secret: Buffer.alloc(32) };
  const { db } = databaseOf({ 'due-webhook-deliveries': delivery, 'webhooks-of-receiver': webhook });
  let isLost = false;
  const get = (): Promise<object> => {
    isLost = true;
    return Promise.resolve({ slug: 'acme' });
  };
  const request = jest.fn();
  const parts = {
    feed: { envelopes: () => Promise.resolve(new Map()) },
    workspaces: { get },
    outbound: { request },
    secrets: new Secrets(new Map()),
  };
  await runOn(db, parts, () => isLost);
  expect([isLost, request.mock.calls]).toEqual([true, []]);
});
