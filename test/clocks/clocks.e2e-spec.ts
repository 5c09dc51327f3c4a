import { walk } from '../support/pages.js';
import { postBatch } from '../support/batch.js';
import { recalculateClocks } from '../../src/automation/clocks/clock-changes.job.js';
import { Workspaces } from '../../src/workflows/model/workspaces.js';
import { type OwnWorkspace, ownWorkspaces } from '../support/own-workspaces.js';

// A clock is a deadline, with reminders and escalations.
const tickets = '/api/v1/workflows/tickets/tasks';

const definition = (slug: string, clocks: string, calendars = ''): string => `
workspace: { id: ${slug}, name: Acme, timezone: Europe/Berlin }
users: [{ email: mina@acme.test }]
${calendars}
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Review }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Close By, type: date }
      - { name: Nudges, type: number, default: 0 }
      - { name: Escalated, type: checkbox }
    actions:
      - id: nudge
        name: Nudge
        steps: [{ name: Add, type: update_fields, set: { Nudges: { expression: 'task["Nudges"] + 1' } } }]
      - { id: escalate, name: Escalate, stages: [Review], steps: [{ name: Note, type: update_fields, set: { Escalated: true } }] }
    clocks:
${clocks}
`;

const review = `      - id: review
        starts: { stages: [Review] }
        pauses: { stages: [Waiting] }
        budget: 10 hours
        rungs: [{ at: 50%, run: nudge }, { at: 100%, run: escalate }, { at: 100% + 1 hour, run: nudge }, { at: 100% + 4 hours, run: nudge }]`;

interface Clock {
  readonly due_at: string | null;
  readonly next: { readonly at: string; readonly run: string } | null;
}

let own: OwnWorkspace;
const { service, start: startWorkspace } = await ownWorkspaces();

/** Starts a workspace of its own, whose tickets have these clocks. */
async function start(clocks: string, calendars = ''): Promise<void> {
  own = await startWorkspace((slug) => definition(slug, clocks, calendars));
}

const clocksOf = (id: string): Promise<Clock[]> => own.api.read<Clock[]>(`${tickets}/${id}/clocks`);

/** The first clock of a task, which is in this state once all is done. */
async function clock(id: string, state: string): Promise<Clock> {
  await own.settle();
  const [first] = await clocksOf(id);
  expect(first).toMatchObject({ state });
  return first as Clock;
}

/** Lets so many hours pass. */
async function letPass(hours: number): Promise<void> {
  await own.settle();
  await own.settle({ after: hours * 3_600_000 });
}

const task = (id: string): Promise<Record<string, unknown>> => own.api.read(`${tickets}/${id}`);

it('a clock starts when its task enters a stage, and is due when its budget is used up', async () => {
  await service.settle({ at: '2027-01-04T09:00:00Z', kind: 'none' });
  await start(review);
  await own.api.post(tickets, { ID: '1' }).expect(201);
  await own.api.post(tickets, { ID: '1', Stage: 'Review' }).expect(200);
  const { due_at, next } = await clock('1', 'running');
  expect(due_at).toMatch(/^2027-01-04T19:0/);
  expect(next?.run).toBe('nudge');
  expect(await own.api.read(`${tickets}?_fields=ID,_due&_sort=_due`)).toEqual([{ ID: '1', _due: due_at }]);
});

it('tasks are listed by due time, page by page, and tasks without due time are last', async () => {
  await start('      - { id: close, due: { field: Close By }, rungs: [] }');
  const days = ['2099-06-10', '2099-06-08', null, '2099-06-09'];
  for (const [n, day] of days.entries())
    await own.api.post(tickets, { ID: `${n}`, 'Close By': day }).expect(201);
  await own.settle();
  const pages = await walk(own.api, `${tickets}?_sort=_due&_limit=1&_fields=ID`);
  expect(pages.flat()).toEqual(['1', '3', '0', '2'].map((ID) => ({ ID })));
});

// Rule: a task is written once where a field says when it is due.
it('a clock with a deadline in a field is known at once, and does not write the task again', async () => {
  await start('      - { id: close, due: { field: Close By, at: "17:00" }, rungs: [] }');
  await own.api.post(tickets, { ID: '1', 'Close By': '2099-06-10' }).expect(201);
  const rows = [
    { ID: '2', 'Close By': '2099-06-11' },
    { ID: '3' },
    { ID: '4', 'Close By': '2099-06-12', Stage: 'Done' },
  ];
  await postBatch(`${service.url}${tickets}/batch`, await service.key(own.slug), rows);
  const due = (): Promise<unknown> => own.api.read(`${tickets}?_fields=ID,_due`);
  const rowsWritten = (): Promise<unknown> =>
    service.dataSource.query('SELECT id, xmin FROM tasks WHERE workspace_id = $1 ORDER BY id', [
      own.workspaceId,
    ]);
  const [written, known] = [await rowsWritten(), await due()];
  expect(known).toEqual([
    { ID: '1', _due: '2099-06-10T15:00:00.000Z' },
    { ID: '2', _due: '2099-06-11T15:00:00.000Z' },
    { ID: '3', _due: null },
    { ID: '4', _due: null },
  ]);
  await own.settle();
  expect((await clocksOf('1')).map(({ due_at }) => due_at)).toEqual(['2099-06-10T15:00:00.000Z']);
  expect([await rowsWritten(), await due()]).toEqual([written, known]);
});

it('the due time is removed with a clock that has not run', async () => {
  await start('      - { id: close, due: { field: Close By }, rungs: [] }');
  await own.api.post(tickets, { ID: '1', 'Close By': '2099-06-10' }).expect(201);
  await service.apply(definition(own.slug, '      []'), { isPruning: true });
  await own.settle();
  expect(await own.api.read(`${tickets}?_fields=ID,_due`)).toEqual([{ ID: '1', _due: null }]);
});

it('the due time remains known while an apply changes the clocks of older tasks', async () => {
  const clock = (at: string): string =>
    `      - { id: close, due: { field: Close By, at: "${at}" }, rungs: [] }`;
  await start(clock('17:00'));
  await own.api.post(tickets, { ID: '1', 'Close By': '2099-06-10' }).expect(201);
  await service.apply(definition(own.slug, clock('18:00')));
  await own.api.post(tickets, { ID: '2', 'Close By': '2099-06-10' }).expect(201);
  await recalculateClocks(service.dataSource, service.app.get(Workspaces), () => false);
  const due = (): Promise<unknown> => own.api.read(`${tickets}?_fields=ID,_due`);
  const both = ['1', '2'].map((ID) => ({ ID, _due: '2099-06-10T16:00:00.000Z' }));
  expect(await due()).toEqual(both);
  await own.settle();
  expect(await due()).toEqual(both);
});

it('a clock that always fails is set aside after three tries, and the others fire', async () => {
  await start('      - { id: close, due: { field: Close By }, rungs: [{ at: 100%, run: nudge }] }');
  for (const ID of ['bad-1', 'bad-2', 'bad-3', 'good'])
    await own.api.post(tickets, { ID, 'Close By': '2031-06-10' }).expect(201);
  await own.settle();
  await service.dataSource
    .query(`UPDATE clocks c SET row = '{"state": "running", "endedAt": null}' FROM tasks t
    WHERE t.id = c.task_id AND t.unique_value LIKE 'bad-%'`);
  const fired = own.settle({ at: '2031-06-11T00:00:00Z' });
  await expect(fired).rejects.toThrow('background work failed');
  expect((await task('good'))['Nudges']).toBe('1');
  const aside = await service.dataSource.query<unknown[]>(
    "SELECT FROM events_set_aside WHERE follower = 'clocks'",
  );
  expect(aside).toHaveLength(3);
  // They wait for an hour.
  await own.settle({ at: '2031-06-11T00:59:00Z' });
  const again = own.settle({ at: '2031-06-11T01:01:00Z' });
  await expect(again).rejects.toThrow('background work failed');
});

it.each([
  ['a task made with a date of the past', [{ 'Close By': '2030-06-01' }]],
  ['a date of the past that is filled in later', [{}, { 'Close By': '2030-06-01' }]],
])('a late clock escalates once: %s', async (_, changes) => {
  await service.settle({ at: '2030-06-10T08:00:00Z', kind: 'none' });
  await start(
    '      - { id: close, due: { field: Close By }, rungs: [{ at: -1 day }, { at: 100%, run: nudge }] }',
  );
  for (const change of changes) await own.api.post(tickets, { ID: '1', ...change });
  await own.settle();
  await own.settle({ at: '2030-06-11T08:00:00Z' });
  expect((await task('1'))['Nudges']).toBe('1');
  expect(await own.api.read('/api/v1/events?type=clock.fired')).toMatchObject([
    { data: { clock: { rung: '100%', due_at: '2030-06-01T22:00:00.000Z' } } },
  ]);
});

it('a clock ends on the last day of the year 9999 at the latest', async () => {
  const calendars = 'calendars: [{ id: york, timezone: America/New_York, hours: { mon: "09:00-17:00" } }]';
  const clock =
    '      - { id: close, due: { field: Close By }, calendar: york, rungs: [{ at: -2 days }, { at: +5 days }] }';
  await start(clock, calendars);
  await own.api.post(tickets, { ID: '0', 'Close By': '0001-01-01' }).expect(201);
  await own.api.post(tickets, { ID: '1', 'Close By': '9999-12-31' }).expect(201);
  await own.settle();
  expect(await clocksOf('1')).toMatchObject([{ state: 'running', due_at: '9999-12-31T23:59:59.999Z' }]);
});

it('each rung acts once; missed rungs act later, in order', async () => {
  await start(review);
  await own.api.post(tickets, { ID: '1', Stage: 'Review' }).expect(201);
  await clock('1', 'running');
  await letPass(6);
  expect((await task('1'))['Nudges']).toBe('1');
  await letPass(5);
  expect(await task('1')).toMatchObject({ Escalated: true, Nudges: '2' });
  const why = expect.stringMatching(/^was due .* over$/) as string;
  expect(await clock('1', 'running')).toMatchObject({ overdue: true, why });
  expect(await own.api.read(`${tickets}?_overdue=review&_fields=ID`)).toEqual([{ ID: '1' }]);
  const fired = ['50%', '100%', '100% + 1 hour'].map((rung) => ({ data: { clock: { rung } } }));
  expect(await own.api.read('/api/v1/events?type=clock.fired')).toMatchObject(fired);
});

it('apply starts clocks of tasks in the stage, but fires no rung that is overdue from the start', async () => {
  await start('      []');
  await own.api.post(tickets, { ID: '1', Stage: 'Review' }).expect(201);
  await letPass(12);
  await service.apply(definition(own.slug, review));
  expect(await clock('1', 'running')).toMatchObject({ overdue: true });
  await letPass(2);
  expect(await task('1')).toMatchObject({ Nudges: '1', Escalated: false });
});

it('apply moves the ends by time zone and time of day, and ends removed clocks', async () => {
  await service.settle({ at: '2030-06-10T08:00:00Z', kind: 'none' });
  const close = (due: string): string => `      - { id: close, due: { ${due} }, rungs: [{ at: 100% }] }`;
  const kept = '\n      - { id: kept, starts: { field: Close By }, budget: 2 days, rungs: [{ at: 100% }] }';
  await start(close('field: Close By') + kept);
  await own.api.post(tickets, { ID: '1', 'Close By': '2030-06-20' }).expect(201);
  const ends = async (): Promise<unknown> => {
    await own.settle();
    return (await clocksOf('1')).map(({ due_at }) => due_at?.slice(0, 16));
  };
  expect(await ends()).toEqual(['2030-06-20T22:00', '2030-06-21T22:00']);
  const apply = (clocks: string): Promise<void> =>
    service.apply(definition(own.slug, clocks).replace('Europe/Berlin', 'America/New_York'), {
      isPruning: true,
    });
  await apply(close('field: Close By') + kept);
  expect(await ends()).toEqual(['2030-06-21T04:00', '2030-06-22T04:00']);
  await apply(close("field: Close By, at: '17:00'"));
  expect(await ends()).toEqual(['2030-06-20T21:00']);
});

it('a wrong clock is refused with its place', async () => {
  await start('      []');
  const wrong = definition(
    own.slug,
    `      - { id: a, starts: { stages: [Nowhere] }, budget: 3 working_days, rungs: [{ at: 120%, run: nothing }] }
      - { id: b, due: { field: Risk }, budget: 2 days, rungs: [{ at: 50% }] }`,
  );
  await expect(service.apply(wrong)).rejects.toThrow(
    /clocks\[0\]\.starts\.stages\[0\]: is not a stage of workflow tickets: Nowhere[\s\S]*is not an action[\s\S]*needs a calendar[\s\S]*is not 1% to 100%/,
  );
});
