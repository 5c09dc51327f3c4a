import { type EntityManager } from 'typeorm';
import { ReceiverRun, type RunSignals, type SenderParts } from '../../../src/webhooks/receiver-run.js';

/** A database without rows. */
function emptyDatabase(): { readonly db: EntityManager; readonly asked: () => number } {
  let count = 0;
  const query = (): Promise<object> => Promise.resolve({ rows: [], fields: [] });
  const connect = (): Promise<object> => {
    count += 1;
    return Promise.resolve({ query });
  };
  return { db: { queryRunner: { connect } } as unknown as EntityManager, asked: () => count };
}

it('a run that has ended looks for no deliveries, though a ring comes before its lease is given back', async () => {
  const { db, asked } = emptyDatabase();
  const { signal } = new AbortController();
  const lease = { signal, isLost: () => false, end: () => undefined };
  const signals: RunSignals = { lease, stopping: signal, cutting: signal };
  const receiver = { workspaceId: 1, origin: 'https://hooks.test', fence: 1 };
  const run = new ReceiverRun({ db } as SenderParts, receiver, signals);
  await run.run();
  const before = asked();
  expect(before).toBeGreaterThan(0);
  run.wake();
  expect(asked()).toBe(before);
});
