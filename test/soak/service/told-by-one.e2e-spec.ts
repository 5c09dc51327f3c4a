import { createApiKey } from '../../../src/auth/api-keys.js';
import { applyDefinition } from '../../../src/definitions/apply-definition.js';
import { readDefinition } from '../../../src/definitions/source/read-definition.js';
import { WorkspaceEntity } from '../../../src/entities/workspace.entity.js';
import { holdPort } from '../../../src/ops/listen.js';
import { createTestDatabase } from '../../support/database.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { until } from '../../support/until.js';

const tasks = '/api/v1/workflows/tickets/tasks';
const definition = `
workspace: { id: acme, name: Acme }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Note, type: text }
    actions:
      - { id: fill, name: Fill, steps: [{ name: Fill, type: update_fields, set: { Note: filled } }] }
    clocks: [{ id: answer, starts: { stages: [New] }, budget: 3 days, rungs: [] }]
    rules: [{ id: fill, on: created, run: fill }]
`;

const readMetrics = async (port: number): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

/** The values of all series of this name, by their labels. */
function seriesOf(text: string, name: string): Record<string, number> {
  const lines = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (.*)$`, 'gm'))];
  return Object.fromEntries(lines.map(([, labels = '', value]) => [labels, Number(value)]));
}

/** What is told of the whole database. */
const shared = [
  'wts_executions',
  'wts_execution_oldest_pending_seconds',
  'wts_webhooks',
  'wts_webhooks_failing',
  'wts_webhook_deliveries',
  'wts_deliveries_behind_seconds',
  'wts_follower_behind_seconds',
  'wts_events_set_aside',
  'wts_messages',
  'wts_due_oldest_seconds',
  'wts_database_bytes',
];

const toldOf = (text: string): string[] =>
  shared.filter((name) => Object.keys(seriesOf(text, name)).length > 0);

describe('what is told of the whole database', () => {
  it('is told by one process of two servers, so that a sum is right; when that is killed, by another within 15 s', async () => {
    const database = await createTestDatabase();
    const servers: (OtherProcess & { readonly metrics: number })[] = [];
    const start = async (processes: Record<string, string>): Promise<void> => {
      const held = await holdPort('127.0.0.1');
      await held.release();
      const environment = { WTS_METRICS_PORT: String(held.port), WTS_ROLE: 'api', ...processes };
      servers.push({ ...(await startOtherProcess(database.url, environment)), metrics: held.port });
    };
    try {
      await start({});
      await start({ WTS_PROCESSES: '2' });
      await applyDefinition(database.dataSource, readDefinition(definition, 'test.yaml'));
      const { manager } = database.dataSource;
      const { id: workspaceId } = await manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });
      const key = await createApiKey(manager, { workspaceId, name: 'test', scope: 'write', expiresAt: null });
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      const [first, second] = servers;
      if (!first || !second) throw new Error('two were started');
      await fetch(first.url + tasks, { method: 'POST', headers, body: '{"ID":"1"}' });
      const body = '{"task_id":"1","action_id":"fill"}';
      for (let n = 0; n < 3; n += 1)
        expect((await fetch(`${first.url}/api/v1/workflows/tickets/executions`, { method: 'POST', headers, body })).status).toBe(202); // prettier-ignore
      const pendingOf = (text: string): number | undefined =>
        seriesOf(text, 'wts_executions')['state="Pending"'];
      await until(async () => pendingOf(await readMetrics(first.metrics)) === 3);
      for (let n = 0; n < 2; n += 1) {
        // What cannot be read in time is left out.
        await until(async () => toldOf(await readMetrics(first.metrics)).length === shared.length);
        const text = await readMetrics(second.metrics);
        expect(toldOf(text)).toEqual([]);
        // What each has for itself everybody tells.
        expect(seriesOf(text, 'wts_database_waiting')).toEqual({ '': 0 });
        expect(Object.values(seriesOf(text, 'wts_build_info'))).toEqual([1]);
      }
      await first.kill();
      await until(async () => pendingOf(await readMetrics(second.metrics)) === 3);
      await until(async () => toldOf(await readMetrics(second.metrics)).length === shared.length);
    } finally {
      for (const server of servers) await server.kill();
      await database.drop();
    }
  });
});
