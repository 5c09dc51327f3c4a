import { followerLeases, movePosition } from '../../src/events/followers/followers.repository.js';
import { eventSweep } from '../../src/events/sweep-events.js';
import { JobParts } from '../../src/common/ops/job-kind.js';
import { Metrics } from '../../src/common/ops/metrics.js';
import { ownWorkspaces } from '../support/own-workspaces.js';
import { type Client } from '../support/service.js';

const tickets = '/api/v1/workflows/tickets/tasks';
const definition = (slug: string): string => `
workspace: { id: ${slug}, name: Acme }
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

let api: Client;
let workspaceId: number;
const { service, start } = await ownWorkspaces({ WTS_EVENT_DAYS: '30' });
beforeEach(async () => {
  ({ api, workspaceId } = await start(definition));
});

// A follower that is lost: its lease ends, and what it does later is refused.
it('a follower is claimed by one worker until its lease ends; without a lease, nothing is written', async () => {
  // What the definition has changed is worked off.
  await service.settle();
  await api.post(tickets, { ID: '1' }).expect(201);
  const { manager } = service.dataSource;
  const key = { workspaceId, name: 'clocks' };
  const lost = await followerLeases.claim(manager, key, 120_000);
  if (!lost) throw new Error('was not claimed');
  await service.settle({ after: 60_000 });
  expect(await followerLeases.claim(manager, key, 30_000)).toBeUndefined();
  expect(await api.read(`${tickets}/1/clocks`)).toEqual([]);
  await service.settle({ after: 61_000 });
  expect(await api.read(`${tickets}/1/clocks`)).toMatchObject([{ state: 'running' }]);
  expect(await followerLeases.renew(manager, lost, 30_000)).toBe(false);
  expect(await movePosition(manager, lost, 0)).toBe(false);
});

describe('WTS_EVENT_DAYS', () => {
  const DAY = 24 * 3_600_000;
  const sweep = (): Promise<void> => eventSweep.sweep(service.app.get(JobParts, { strict: false }));
  const idle = (days: number): Promise<void> => service.settle({ after: days * DAY, kind: 'none' });
  const dropped = async (): Promise<number> =>
    Number(/^wts_events_dropped_unread_total (\d+)/m.exec(await service.app.get(Metrics).text())?.[1]);
  async function kept(): Promise<number> {
    const [row] = await service.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::integer AS count FROM events WHERE workspace_id = $1',
      [workspaceId],
    );
    return row.count;
  }

  it('drops old events that all followers have processed, without an alarm', async () => {
    await api.post(tickets, { ID: '1' }).expect(201);
    await service.settle();
    await idle(31);
    await sweep();
    expect([await kept(), await dropped()]).toEqual([0, 0]);
  });

  it('waits for followers until events are twice as old, and then drops the events with an alarm', async () => {
    await api.post(tickets, { ID: '1' }).expect(201);
    const all = await kept();
    await idle(31);
    await sweep();
    expect(await kept()).toBe(all);
    await idle(30);
    await sweep();
    expect(await kept()).toBe(0);
    expect(await dropped()).toBeGreaterThan(0);
    // Whoever follows goes on behind them.
    await api.post(tickets, { ID: '2' }).expect(201);
    await service.settle();
    expect(await api.read(`${tickets}/2/clocks`)).toHaveLength(1);
  });
});
