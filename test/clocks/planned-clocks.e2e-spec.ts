import { type Effect } from '../../src/workflows/model/effect.js';
import { startServiceWith } from '../support/service.js';

// "`plan` counts: 41 running clocks: 12 due earlier, 3 overdue at once".
const tickets = '/api/v1/workflows/tickets/tasks';

const definition = (clocks: string, risk = 'name: Risk', hours = '00:00-23:59'): string => `
workspace: { id: acme, name: Acme }
calendars: [{ id: office, timezone: UTC, hours: { mon-sun: '${hours}' } }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: Review }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { ${risk}, type: singleSelect, options: [Low, High] }
    clocks: [${clocks}]
`;

const review = (budget: string): string =>
  `{ id: review, starts: { stages: [Review] }, pauses: { stages: [Waiting] }, budget: ${budget} }`;

const { service, api } = await startServiceWith(definition(review('100 hours')));
for (const [at, Risk] of ['Low', 'High', 'High', 'High'].entries())
  await api.post(tickets, { ID: `${at + 1}`, Risk, Stage: 'Review' }).expect(201);
await api.post(tickets, { ID: '3', Stage: 'Waiting' }).expect(200);
await api.post(tickets, { ID: '4', Stage: 'Done' }).expect(200);
await service.settle();
// Two of them run for 50 hours.
await service.settle({ after: 50 * 3_600_000 });

async function effectsOf(yaml: string): Promise<string[]> {
  const { effects } = await service.plan(yaml);
  return effects.map(({ what, name, message }: Effect) => `${what} ${name}: ${message}`);
}

it.each([
  ['80 hours', '2 due earlier'],
  ['40 hours', '2 due earlier, 2 overdue at once'],
  [
    '{ field: Risk, of: { High: 40 hours }, else: 200 hours }',
    '1 due earlier, 1 due later, 1 overdue at once',
  ],
])(
  'clocks that run are counted by what becomes of them; ended and paused ones are due no earlier: %s',
  async (budget, counts) => {
    const told = [`clock tickets / review: 3 running clocks: ${counts}`];
    expect(await effectsOf(definition(review(budget)))).toEqual(told);
  },
);

it('tasks that stand in its stage get a new clock; one that is removed ends', async () => {
  const other = '{ id: short, while: { stages: [Review] }, budget: 30 minutes }';
  expect(await effectsOf(definition(`${review('100 hours')}, ${other}`))).toEqual([
    'clock tickets / short: 2 tasks get it: 2 overdue at once',
  ]);
  const { effects } = await service.plan(definition(other), { isPruning: true });
  expect(effects.map(({ name, message }) => `${name}: ${message}`)).toEqual([
    'tickets / short: 2 tasks get it: 2 overdue at once',
    'tickets / review: 3 running clocks end',
  ]);
});

it('lists the effects of a calendar under the calendar, only for clocks that use it', async () => {
  const working = '{ id: work, starts: { stages: [Review] }, calendar: office, budget: 200 working_hours }';
  const both = `${review('100 hours')}, ${working}`;
  await service.apply(definition(both));
  await service.settle();
  expect(await effectsOf(definition(both, 'name: Risk', '09:00-10:00'))).toEqual([
    'calendar office: tickets / work: 2 running clocks: 2 due later',
  ]);
});

it('another time zone, or another time of day, moves what ends with a day', async () => {
  await service.settle({ at: '2030-06-10T08:00:00Z', kind: 'none' });
  const zoned = (zone: string, due = 'field: By'): string => `
workspace: { id: zoned, name: Zoned, timezone: ${zone} }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: By, type: date }]
    clocks:
      - { id: close, due: { ${due} }, rungs: [{ at: 100% }] }
      - { id: kept, starts: { field: By }, budget: 2 days, rungs: [{ at: 100% }] }
`;
  const client = await service.clientOf(zoned('Europe/Berlin'));
  await client.post(tickets, { ID: '1', By: '2030-06-20' }).expect(201);
  await service.settle({ workspace: 'zoned' });
  const ends = async (): Promise<unknown> =>
    (await client.read<{ due_at: string }[]>(`${tickets}/1/clocks`)).map(({ due_at }) => due_at.slice(0, 16));
  expect(await ends()).toEqual(['2030-06-20T22:00', '2030-06-21T22:00']);
  expect(await effectsOf(zoned('America/New_York'))).toEqual([
    'workspace zoned: tickets / close: 1 running clock: 1 due later',
    'workspace zoned: tickets / kept: 1 running clock: 1 due later',
  ]);
  await service.apply(zoned('America/New_York'));
  await service.settle({ workspace: 'zoned' });
  expect(await ends()).toEqual(['2030-06-21T04:00', '2030-06-22T04:00']);
  expect(await effectsOf(zoned('America/New_York', "field: By, at: '17:00'"))).toEqual([
    'clock tickets / close: 1 running clock: 1 due earlier',
  ]);
  await service.apply(zoned('America/New_York', "field: By, at: '17:00'"));
  await service.settle({ workspace: 'zoned' });
  expect(await ends()).toEqual(['2030-06-20T21:00', '2030-06-22T04:00']);
});
