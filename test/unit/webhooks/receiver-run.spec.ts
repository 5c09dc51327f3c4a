import { type EntityManager } from 'typeorm';
import { ReceiverRun, type RunSignals, type SenderParts } from '../../../src/webhooks/receiver-run.js';

/** A database without rows, and the names of the statements that it was asked. */
function emptyDatabase(): { readonly db: EntityManager; readonly asked: string[] } {
  const asked: string[] = [];
  const query = ({ name }: { readonly name: string }): Promise<object> => {
    asked.push(name);
    return Promise.resolve({ rows: [], fields: [] });
  };
  const connect = (): Promise<object> => Promise.resolve({ query });
  return { db: { queryRunner: { connect } } as unknown as EntityManager, asked };
}

function runOn(db: EntityManager): ReceiverRun {
  const { signal } = new AbortController();
  const lease = { signal, isLost: () => false, end: () => undefined };
  const signals: RunSignals = { lease, stopping: signal, cutting: signal };
  const receiver = { workspaceId: 1, origin: 'https://hooks.test', fence: 1 };
  return new ReceiverRun({ db } as SenderParts, receiver, signals);
}

it('a run that has ended looks for no deliveries, though a ring comes before its lease is given back', async () => {
  const { db, asked } = emptyDatabase();
  const run = runOn(db);
  await run.run();
  const before = asked.length;
  expect(before).toBeGreaterThan(0);
  run.wake();
  // It would ask a turn of the event loop later.
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toHaveLength(before);
});

it('webhooks are read after the deliveries that are due, so that both secrets sign what follows a rotation', async () => {
  const { db, asked } = emptyDatabase();
  await runOn(db).run();
  expect(asked.slice(0, 2)).toEqual(['due-webhook-deliveries', 'webhooks-of-receiver']);
});
