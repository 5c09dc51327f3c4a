import { startServiceWith } from '../../support/service.js';
import { until } from '../../support/until.js';
import { testOptions } from '../../support/test-options.js';

// Rule: whoever writes clocks holds their tasks, and whoever locks several tasks does so in the order of their ids.
const HOUR = 3_600_000;
const definition = `
workspace: { id: acme, name: Acme }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Waiting }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Nudges, type: number, default: 0 }]
    actions:
      - { id: nudge, name: Nudge, steps: [{ name: Add, type: update_fields, set: { Nudges: { expression: 'task["Nudges"] + 1' } } }] }
    clocks: [{ id: answer, starts: { stages: [New] }, pauses: { stages: [Waiting] }, budget: 3 hours, rungs: [{ at: 100%, run: nudge }], again: restart }]
`;

const { service } = await startServiceWith(definition, testOptions({ leaseMs: 60_000 }));

it('followers, firings and writers of many tasks at once never have a deadlock', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `${n}`);
  const headers = {
    Authorization: `Bearer ${await service.key('acme')}`,
    'Content-Type': 'application/json',
  };
  const send = async (order: readonly string[], Stage: string): Promise<void> => {
    const sent = {
      method: 'POST',
      headers,
      body: order.map((ID) => JSON.stringify({ ID, Stage })).join('\n'),
    };
    await (await fetch(`${service.url}/api/v1/workflows/tickets/tasks/batch`, sent)).text();
  };
  await send(ids, 'New');
  for (let round = 1; round <= 15; round += 1) {
    await service.settle({ after: 4 * HOUR, kind: 'none' });
    await Promise.all([send(ids, 'Waiting'), send([...ids].reverse(), 'Done')]);
    await Promise.all([send(ids, 'New'), send([...ids].reverse(), 'New')]);
  }
  await until('all are followed', async () => {
    const [row] = await service.dataSource.query<[{ behind: number }]>(
      `SELECT (SELECT last_position FROM event_streams) - position AS behind FROM followers`,
    );
    return String(row.behind) === '0';
  });
  const [row] = await service.dataSource.query<[{ deadlocks: string }]>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  expect(row.deadlocks).toBe('0');
});
