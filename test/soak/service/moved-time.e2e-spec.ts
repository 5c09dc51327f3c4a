import { writeFile } from 'node:fs/promises';
import { readConfig } from '../../../src/config.js';
import { type MovedClock, movedClock } from '../../support/moved-clock.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { type Client, startService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';

// time.md, 3.8 and 8: tests set an offset (WTS_CLOCK). It moves tasks, events and all that is due, never leases, deadlines and keys.
const DAY = 86_400_000;
const tickets = '/api/v1/workflows/tickets/tasks';
const definition = `
workspace: { id: acme, name: Acme }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Day, type: text }
      - { name: Nudged, type: checkbox }
    actions:
      - { id: today, name: Today, steps: [{ name: Write, type: update_fields, set: { Day: { expression: 'today()' } } }] }
      - { id: nudge, name: Nudge, steps: [{ name: Write, type: update_fields, set: { Nudged: true } }] }
    clocks:
      - { id: answer, starts: { stages: [New] }, budget: 3 days, rungs: [{ at: 100%, run: nudge }] }
`;

describe('WTS_CLOCK', () => {
  let clock: MovedClock;
  let service: TestService;
  let api: Client;
  let other: OtherProcess | undefined;
  beforeEach(async () => {
    clock = await movedClock(10 * DAY);
    service = await startService(clock.environment);
    await service.apply(definition);
    api = service.client(await service.key('acme'));
  });
  afterEach(async () => {
    await other?.kill();
    other = undefined;
    await service.stop();
    await clock.remove();
  });

  const shown = async (): Promise<Record<string, string>> => {
    const [task] = (await api.get(`${tickets}?_fields=Day,Nudged,_created,_updated,_due`)).body as [
      Record<string, string>,
    ];
    return task;
  };
  const ahead = (instant: string | undefined): number =>
    Math.round((Date.parse(instant ?? '') - Date.now()) / DAY);

  it('moves tasks, events, clocks and today(), by what its file says now', async () => {
    await api.post(tickets, { ID: '1' }).expect(201);
    await api.post('/api/v1/workflows/tickets/executions', { task_id: '1', action_id: 'today' }).expect(202);
    await until('it is performed, and due', async () => {
      const { Day, _due } = await shown();
      return Boolean(Day && _due);
    });
    const task = await shown();
    expect([ahead(task['_created']), ahead(task['_updated']), ahead(task['_due'])]).toEqual([10, 10, 13]);
    expect(task['Day']).toBe(task['_updated']?.slice(0, 10));
    const { body } = (await api.get('/api/v1/events').expect(200)) as { body: { timestamp: string }[] };
    expect(body.map(({ timestamp }) => ahead(timestamp))).toEqual(body.map(() => 10));
    await clock.move(service.dataSource, 13.5 * DAY);
    await until(async () => String((await shown())['Nudged']) === 'true');
  });

  it('is one time for all processes, also for one that starts later', async () => {
    await clock.move(service.dataSource, -2 * DAY);
    other = await startOtherProcess(service.config.databaseUrl ?? '', {
      ...clock.environment,
      WTS_ROLE: 'api',
    });
    const headers = {
      Authorization: `Bearer ${await service.key('acme')}`,
      'Content-Type': 'application/json',
    };
    await fetch(`${other.url}${tickets}`, { method: 'POST', headers, body: '{"ID":"1"}' });
    expect(ahead((await shown())['_created'])).toBe(-2);
  });
});

it('WTS_CLOCK without WTS_TEST_MODE is refused, and so is a file that says no duration', async () => {
  expect(() => readConfig({ WTS_CLOCK: 'clock' })).toThrow(
    'WTS_CLOCK must not be set without WTS_TEST_MODE=1: it moves the time of tasks, for tests',
  );
  const clock = await movedClock();
  await writeFile(clock.environment.WTS_CLOCK, 'P1M');
  await expect(startService(clock.environment)).rejects.toThrow(
    'must hold an ISO 8601 duration such as P3DT2H, not P1M',
  );
  await clock.remove();
});
