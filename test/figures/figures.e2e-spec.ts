import { followCommand } from '../../src/cli/follow.command.js';
import { signIn, texts } from '../support/console.js';
import { startForms } from '../forms/forms.js';
import { commandNamed, wts } from '../support/command-line.js';
import { type Client, startService, type TestService } from '../support/service.js';

const acme = (stages = '[{ name: New }, { name: Review }, { name: Done, end: true }]'): string => `
workspace: { id: acme, name: Acme, timezone: Europe/Vienna }
users: [{ email: mina@acme.test, first_name: Mina }, { email: ines@acme.test, first_name: Ines }]
workflows:
  - id: tickets
    name: Tickets
    stages: ${stages}
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Note, type: text }
    clocks: [{ id: review, starts: { stages: [Review] }, budget: 2 days }]
    roles: [{ id: lead, name: Lead, admin: true }, { id: agent, name: Agent, sees: assigned }]
    members: [{ email: mina@acme.test, role: lead }, { email: ines@acme.test, role: agent }]
calendars: [{ id: office, timezone: Europe/Vienna, hours: { mon-fri: '09:00-17:00' } }]
`;

const DAY = 24 * 60;
const tasks = '/api/v1/workflows/tickets/tasks';

let service: TestService;
let api: Client;
/** Begins on Monday, 2 March 2026, at 9:00 in Vienna. */
const at = (day: string, time = '08:00'): Promise<void> =>
  service.settle({ at: `2026-03-${day}T${time}:00Z` });
const put = async (id: string, values: object): Promise<void> => {
  await api.post(tasks, { ID: id, ...values }).expect(({ status }) => { expect(status).toBeLessThan(300); }); // prettier-ignore
};

type Points = readonly (readonly (string | number | null)[])[];
interface Shown {
  readonly definition: string;
  readonly as_of: string;
  readonly series: readonly { readonly name: string; readonly points: Points }[];
}
/** The series of a figure by their names. */
async function figure(name: string, query = '', client = api): Promise<Record<string, Points>> {
  const { body } = await client.get(`/api/v1/workflows/tickets/metrics/${name}?${query}`).expect(200);
  return Object.fromEntries((body as Shown).series.map(({ name, points }) => [name, points]));
}
/** Times in minutes, as the clock of a test goes on while it works. */
const inMinutes = (points: Points | undefined): Points =>
  (points ?? []).map(([at, p50, p85, p95, n]) => [at ?? '', ...[p50, p85, p95].map((seconds) => Math.round(Number(seconds) / 60)), n ?? 0]); // prettier-ignore
const week = 'from=2026-03-02&to=2026-03-09';

async function begin(): Promise<void> {
  service = await startService();
  await at('02');
  await service.apply(acme());
  api = service.client(await service.key('acme', 'admin'));
}

describe('a figure', () => {
  afterAll(() => service.stop());
  beforeAll(async () => {
    await begin();
    await put('1', { Risk: 'High' });
    await put('2', { Risk: 'Low', 'Assigned To': 'ines@acme.test' });
    await at('04');
    await put('1', { Stage: 'Review' });
    await at('05');
    await put('1', { Stage: 'Done' });
    await put('2', { Stage: 'Review' });
    await at('06');
    await put('3', { Risk: 'Low' });
    await at('08');
  });

  it('flow: the tasks in each stage at the end of each day of the workspace', async () => {
    expect(await figure('flow', 'from=2026-03-02&to=2026-03-08')).toEqual({
      New: [['2026-03-02', 2], ['2026-03-03', 2], ['2026-03-04', 1], ['2026-03-05', 0], ['2026-03-06', 1], ['2026-03-07', 1]],
      Review: [['2026-03-02', 0], ['2026-03-03', 0], ['2026-03-04', 1], ['2026-03-05', 1], ['2026-03-06', 1], ['2026-03-07', 1]],
      Done: [['2026-03-02', 0], ['2026-03-03', 0], ['2026-03-04', 0], ['2026-03-05', 1], ['2026-03-06', 1], ['2026-03-07', 1]],
    }); // prettier-ignore
    // By a filter that finds all tasks, it is made of other rows.
    expect(await figure('flow', `${week}&ID[ne]=9`)).toEqual(await figure('flow', week));
    expect(await figure('flow', 'from=2026-03-04&to=2026-03-06&group=Risk')).toEqual({
      High: [['2026-03-04', 1], ['2026-03-05', 0]],
      Low: [['2026-03-04', 1], ['2026-03-05', 1]],
    }); // prettier-ignore
  });

  it('throughput: the tasks that were created, ended and reopened', async () => {
    const found = { In: [['2026-03-02', 3]], Out: [['2026-03-02', 1]], Reopened: [['2026-03-02', 0]] };
    expect(await figure('throughput', week)).toEqual(found);
    expect(await figure('throughput', `${week}&ID[ne]=9`)).toEqual(found);
    expect(await figure('throughput', `${week}&group=Risk`)).toMatchObject({ 'High: Out': [['2026-03-02', 1]], 'Low: In': [['2026-03-02', 2]] }); // prettier-ignore
  });

  it('cycle_time and time_in_stage: elapsed or working time, with percentiles of real tasks', async () => {
    const finished = async (query: string): Promise<Points> => inMinutes((await figure('cycle_time', query))['Finished']); // prettier-ignore
    expect(await finished(week)).toEqual([['2026-03-02', 3 * DAY, 3 * DAY, 3 * DAY, 1]]);
    // By a filter that finds all tasks, it is made of other rows.
    expect(await figure('cycle_time', `${week}&ID[ne]=9`)).toEqual(await figure('cycle_time', week));
    // Monday to Thursday, at the opening of the office.
    expect(await finished(`${week}&_time=working`)).toEqual([['2026-03-02', 3 * 480, 3 * 480, 3 * 480, 1]]);
    const stays = await figure('time_in_stage', week);
    expect(await figure('time_in_stage', `${week}&ID[ne]=9`)).toEqual(stays);
    expect(inMinutes(stays['New'])).toEqual([['2026-03-02', 2 * DAY, 3 * DAY, 3 * DAY, 2]]);
    expect(inMinutes(stays['Review'])).toEqual([['2026-03-02', DAY, DAY, DAY, 1]]);
  });

  it('age: open tasks by stage, and tasks that are older than 85 of 100', async () => {
    const { Open = [] } = await figure('age', week);
    const minutes = Open.map(([stage, n, older, ...times]) => [stage, n, older, ...times.map((time) => Math.round(Number(time) / 60))]); // prettier-ignore
    expect(minutes).toEqual([['New', 1, 0, 2 * DAY, 3 * DAY], ['Review', 1, 1, 3 * DAY, DAY]]); // prettier-ignore
    expect(await figure('age', `${week}&_time=working&group=Risk`)).toMatchObject({ Low: [['New', 1, 0], ['Review', 1, 1]].map((row) => expect.arrayContaining(row) as unknown) }); // prettier-ignore
  });

  it('workload and clocks count tasks by assignee, and by due day', async () => {
    expect(await figure('workload')).toEqual({ Open: [['ines@acme.test', 1, 1], ['Nobody', 1, 0]] }); // prettier-ignore
    expect(await figure('clocks', 'from=2026-03-08&to=2026-03-11')).toEqual({
      Due: [['overdue', 1], ['2026-03-08', 0], ['2026-03-09', 0], ['2026-03-10', 0]],
    }); // prettier-ignore
  });

  it('says what it counts and until when, and has a table as well', async () => {
    const { body } = await api.get('/api/v1/workflows/tickets/metrics/flow');
    const { definition, as_of } = body as Shown;
    expect(definition).toMatch(
      /^Tasks in each stage at the end of each day\..*Imported tasks are left out\.$/,
    );
    expect(as_of).toMatch(/^2026-03-08T08:00/);
    const throughput = `/api/v1/workflows/tickets/metrics/throughput?${week}`;
    const table = await api.get(throughput).set('Accept', 'text/csv');
    expect(table.text).toBe('\ufeffseries,from,tasks\r\nIn,2026-03-02,3\r\nOut,2026-03-02,1\r\nReopened,2026-03-02,0\r\n'); // prettier-ignore
    expect(table.headers['content-type']).toBe('text/csv; charset=utf-8');
  });

  it.each([
    ['group=Colour', { group: ['is not one of: Stage, Assigned To, Risk'] }],
    ['group=Note', { group: ['is not one of: Stage, Assigned To, Risk'] }],
    ['Colour=red', { Colour: ['is not a field of this workflow'] }],
    ['_sort=Risk', { _sort: ['works only for lists, not for figures'] }],
    ['from=2026-02-30', { from: ['is not a date in YYYY-MM-DD format'] }],
    ['from=2026-03-02&to=2026-03-02', { to: ['is not after from'] }],
    ['from=2024-01-01&to=2026-01-01&interval=day', { to: ['makes more than 400 points'] }],
    ['interval=month&_time=slow&_imports=1', { interval: ['is not one of: day, week'], _time: ['is not one of: elapsed, working'], _imports: ['is not true or false'] }],
  ])('refuses %s', async (query, errors) => {
    await api.get(`/api/v1/workflows/tickets/metrics/flow?${query}`).expect(422, { errors });
  }); // prettier-ignore

  it('counts their own tasks for users who see no others, by key and on the page', async () => {
    const key = await service.key('acme');
    expect(await figure('workload', '', service.client(key))).toMatchObject({ Open: [['ines@acme.test', 1, 1], ['Nobody', 1, 0]] }); // prettier-ignore
    const ines = await signIn(service, 'ines@acme.test');
    const page = await ines.get('/workflows/tickets/figures');
    expect(page.status).toBe(200);
    expect(page.html.querySelector('#figure-age-name + p')?.text.trim()).toMatch(/^Review has the most open tasks: 1 of 1\./); // prettier-ignore
    const mina = await signIn(service, 'mina@acme.test');
    const all = await mina.get('/workflows/tickets/figures');
    const most = all.html.querySelector('#figure-age-name + p')?.text.trim();
    expect(most).toMatch(/^New has the most open tasks: 1 of 2\./);
  });

  it('is on a page with its chart, its definition and its table', async () => {
    const mina = await signIn(service, 'mina@acme.test');
    const { html } = await mina.get('/workflows/tickets/figures?group=Risk');
    expect(html.querySelectorAll('.figure h2').map(({ text }) => text)).toEqual(['What is late, or about to be', 'Where work piles up, and how long it has been there', 'How much is open', 'What comes in and goes out', 'How long tasks take', 'Who has how much']); // prettier-ignore
    for (const figure of html.querySelectorAll('.figure')) {
      expect(figure.querySelector('svg.chart title, .muted')?.text).not.toBe('');
      expect(figure.querySelector('.definition')?.text).not.toBe('');
      expect(figure.querySelectorAll('details table tbody tr').length).toBeGreaterThan(0);
    }
    expect(html.toString().length).toBeLessThan(60_000);
    const csv = html.querySelector('.figure a[data-turbo=false]')?.getAttribute('href') ?? '';
    expect((await mina.get(csv.replaceAll('&amp;', '&'))).headers['content-type']).toBe('text/csv; charset=utf-8'); // prettier-ignore
    expect((await mina.get('/workflows/tickets/figures?Colour=red')).status).toBe(422);
    expect(html.querySelector('#figure-flow-name + p')?.text.trim()).toMatch(/^2 open/);
  });

  it('counts as open the tasks that were open then, even by the current stage', async () => {
    const mina = await signIn(service, 'mina@acme.test');
    const page = await mina.get('/workflows/tickets/figures?group=Stage&_weeks=4');
    expect(texts(page, '#figure-flow .legend li')).toEqual(['Done', 'New', 'Review']);
  });

  it('of all workflows stand on one page', async () => {
    const mina = await signIn(service, 'mina@acme.test');
    const { html } = await mina.get('/figures');
    expect(html.querySelector('.place[aria-current=page]')?.text.trim()).toBe('Figures');
    expect(html.querySelector('.figure h2 a')?.getAttribute('href')).toBe('/workflows/tickets/figures');
    const answers = html.querySelectorAll('.figure dd').map(({ text }) => text.trim());
    expect(answers).toHaveLength(6);
    expect(answers[0]).toMatch(/^1 overdue; \d more due within 7 days\.$/);
    expect(answers[1]).toMatch(/^New has the most open tasks: 1 of 2\./);
    expect(answers[2]).toMatch(/^2 open; \d at the beginning of the period\. New grew most, by 1\.$/);
  });

  it('counts a reopened task each time that the task ends, and marks it', async () => {
    await put('1', { Stage: 'Review' });
    await service.settle();
    expect(await figure('clocks', 'from=2026-03-10&to=2026-03-11')).toEqual({ Due: [['overdue', 1], ['2026-03-10', 1]] }); // prettier-ignore
    await put('1', { Stage: 'Done' });
    await service.settle();
    expect(await figure('throughput', week)).toMatchObject({ Out: [['2026-03-02', 2]], Reopened: [['2026-03-02', 1]] }); // prettier-ignore
    const found = await figure('cycle_time', week);
    expect(inMinutes(found['Finished'])).toEqual([['2026-03-02', 3 * DAY, 6 * DAY, 6 * DAY, 2]]);
  });

  it('says who has most tasks, even if most are assigned to nobody', async () => {
    await put('4', {});
    await at('27');
    const mina = await signIn(service, 'mina@acme.test');
    const { html } = await mina.get('/workflows/tickets/figures?_weeks=4');
    const answers = html.querySelectorAll('.figure h2 + p').map(({ text }) => text.trim());
    expect(answers[5]).toMatch(/^(?!Nobody).+ has most: 1\.$/);
    expect(answers.slice(2, 4).join(' ')).toMatch(/^3 open; 0 at the beg.+ 4 came in, 2 went out, and 1 re/);
    await service.apply(acme().replace(/clocks: .*/, 'clocks: []'), { isPruning: true });
    expect(texts(await mina.get('/figures'), '.figure dd')[0]).toBe('This workflow has no deadlines.');
  });
});

describe('the data of figures', () => {
  beforeEach(begin);
  afterEach(() => service.stop());

  interface Kept {
    readonly visits: readonly object[];
    readonly days: readonly object[];
    readonly stays: readonly object[];
  }
  async function kept(): Promise<Kept> {
    const [visits, days, stays] = await Promise.all([
      service.dataSource.query<object[]>('SELECT * FROM stage_visits ORDER BY task_id, n'),
      service.dataSource.query<object[]>('SELECT * FROM flow_days ORDER BY day, stage_from, stage_to'),
      service.dataSource.query<object[]>('SELECT * FROM length_days ORDER BY day, stage_id, stage_to, cell'),
    ]);
    return { visits, days, stays };
  }
  const rebuild = async (expected = 0): Promise<void> => {
    const { code } = await wts(commandNamed('follow', [followCommand()]), ['rebuild', '--workspace', 'acme'], service.config.databaseUrl ?? ''); // prettier-ignore
    expect(code).toBe(expected);
  };

  async function live(): Promise<void> {
    await put('1', {});
    await put('2', {});
    await at('03');
    await put('1', { Stage: 'Review' });
    await put('2', { Stage: 'Done' });
    await at('04', '23:30');
    await put('1', { Stage: 'Done' });
    await api.delete(`${tasks}/2`).expect(204);
    await put('1', { Stage: 'New', Note: 'Again' });
    await service.settle();
  }

  it('says until when it counts, although new events have no position yet', async () => {
    await live();
    await put('3', {});
    const { body } = await api.get('/api/v1/workflows/tickets/metrics/flow').expect(200);
    const [created] = await api.read<{ timestamp: string }[]>(`${tasks}/3/history`);
    expect((body as Shown).as_of).toBe(created?.timestamp);
  });

  it('holds each stay in a stage, and the moves between stages on each day', async () => {
    await live();
    const { visits, days } = await kept();
    const shown = visits.map((visit) => [Reflect.get(visit, 'n') as number, (Reflect.get(visit, 'left_at') as Date | null)?.toISOString().slice(8, 13), Reflect.get(visit, 'is_imported') as boolean]); // prettier-ignore
    expect(shown).toEqual([
      [1, '03T08', false], [2, '04T23', false], [3, '04T23', false], [4, undefined, false], [1, '03T08', false], [2, '04T23', false],
    ]); // prettier-ignore
    // At 23:30 in London it is the next day in Vienna.
    expect(days.map((day) => Reflect.get(day, 'n') as number)).toEqual([2, 1, 1, 1, 1, 1]);
  });

  it('counts a day that has two midnights from the first midnight', async () => {
    await service.apply(
      acme().replace('timezone: Europe/Vienna }\nusers', 'timezone: America/Havana }\nusers'),
    );
    await service.settle({ at: '2026-10-31T16:00:00Z' });
    await put('1', {});
    // At 0:30, before clocks go back to 0:00.
    await service.settle({ at: '2026-11-01T04:30:00Z' });
    await put('1', { Stage: 'Done' });
    await service.settle();
    const sunday = 'from=2026-11-01&to=2026-11-02&interval=day';
    const found = await figure('throughput', sunday);
    expect(found).toMatchObject({ Out: [['2026-11-01', 1]] });
    expect(await figure('throughput', `${sunday}&ID[ne]=9`)).toEqual(found);
    expect((await figure('cycle_time', sunday))['Finished']).toHaveLength(1);
    expect(await figure('cycle_time', 'from=2026-10-31&to=2026-11-01&interval=day')).toEqual({});
  });

  it('is shown in small tables on the page, even with many groups, and completely in the CSV', async () => {
    const names = Array.from({ length: 50 }, (_, nth) => `Stage ${nth}`);
    const people = Array.from({ length: 200 }, (_, nth) => `{ email: person-${nth}@acme.test }, `).join('');
    const stages = `[{ name: New }, ${names.map((name) => `{ name: ${name} }, `).join('')}{ name: Review }, { name: Done, end: true }]`;
    await service.apply(acme(stages).replace('users: [', `users: [${people}`));
    await Promise.all(names.map((Stage, nth) => put(String(nth), { Stage, 'Assigned To': `person-${nth}@acme.test` }))); // prettier-ignore
    await service.settle();
    const mina = await signIn(service, 'mina@acme.test');
    const { html } = await mina.get('/workflows/tickets/figures?group=Assigned+To&_weeks=52');
    expect(html.toString().length).toBeLessThan(60_000);
    const figures = html.querySelectorAll('.figure');
    const { series } = (await api.get('/api/v1/workflows/tickets/metrics/workload?group=Stage')).body as Shown; // prettier-ignore
    expect(series.length).toBeGreaterThan(8);
    expect(figures[1]?.querySelector('#figure-age-name + p')?.text).toContain('1 of 50. ');
    expect(figures[1]?.querySelectorAll('svg.chart > g')).toHaveLength(20);
    expect(figures[5]?.querySelectorAll('.legend li').at(-1)?.text).toBe('Others');
    expect(figures[1]?.querySelector('details .muted')?.text).toMatch(/^The first 60 of 2600 lines\. The CSV file has all lines\.$/); // prettier-ignore
    const csv = await api
      .get('/api/v1/workflows/tickets/metrics/age?group=Assigned+To')
      .set('Accept', 'text/csv');
    expect(csv.text.trim().split('\r\n')).toHaveLength(1 + 2600);
  });

  it("puts visits and moves on the same day, although the server's time went back over midnight", async () => {
    await put('1', {});
    await at('03', '23:30');
    await put('1', { Stage: 'Review' });
    await at('03', '22:30');
    await put('1', { Stage: 'Done' });
    await at('06');
    expect(await figure('flow', week)).toMatchObject({ Done: expect.arrayContaining([['2026-03-03', 0], ['2026-03-04', 1]]) as unknown }); // prettier-ignore
    expect(await figure('flow', week)).toEqual(await figure('flow', `${week}&ID[ne]=9`));
  });

  it('is ordered by the names of the groups', async () => {
    const options = ['Mid', 'Top', 'Nil', 'Sum', 'Bit', 'Art'];
    await service.apply(acme().replace('[Low, High]', `[${options.join(', ')}]`));
    for (const [nth, Risk] of options.entries())
      for (const Stage of ['Review', 'Done', 'Review']) await put(String(nth), { Risk, Stage });
    await service.settle();
    for (const name of ['throughput', 'cycle_time', 'time_in_stage', 'age', 'workload', 'clocks']) {
      const series = Object.keys(await figure(name, `group=Risk&${week}`));
      const groups = new Set(series.map((one) => one.split(':')[0] ?? ''));
      expect([name, ...groups]).toEqual([name, ...options.toSorted()]);
    }
  });

  it('is grouped by a checkbox as tasks show it', async () => {
    await service.apply(acme().replace('name: Note, type: text', 'name: Urgent, type: checkbox'));
    await put('1', { Urgent: true });
    await put('2', {});
    expect(Object.keys(await figure('workload', 'group=Urgent')).toSorted()).toEqual(['false', 'true']);
  });

  it('is rebuilt by `wts follow rebuild`, equal to the live data, even twice', async () => {
    await live();
    const before = await kept();
    expect(before.visits).toHaveLength(6);
    for (const _ of [1, 2]) {
      await rebuild();
      expect((await kept()).visits).toEqual([]);
      await service.settle();
      expect(await kept()).toEqual(before);
    }
  });

  it('counts each event once, although older events were dropped before they were followed', async () => {
    await put('1', {});
    for (const Stage of ['Review', 'Done', 'New']) await put('1', { Stage });
    await api.get('/api/v1/events').expect(200);
    // A turn ends at position 2,000, of which two of the moves are beyond.
    const { dataSource } = service;
    await dataSource.query(
      'UPDATE event_chunks SET last_position = 2002; UPDATE event_streams SET last_position = 2002, dropped_to = 2002 - last_position',
    );
    await service.settle();
    const { visits, days } = await kept();
    expect([visits.length, days.map((day) => Reflect.get(day, 'n') as number)]).toEqual([4, [1, 1, 1, 1]]);
    expect(await dataSource.query('SELECT * FROM events_set_aside')).toEqual([]);
  });

  it('is not rebuilt after older events are deleted', async () => {
    await live();
    const before = await kept();
    await service.dataSource.query('UPDATE event_streams SET dropped_to = 1');
    await rebuild(1);
    expect(await kept()).toEqual(before);
  });

  it('is written once, although a turn fails after writing', async () => {
    await live();
    const before = await kept();
    await service.dataSource.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON flow_days EXECUTE FUNCTION fail()`);
    await put('3', {});
    await put('1', { Stage: 'Review' });
    await expect(service.settle({ mayFail: true, kind: 'follow' })).rejects.toThrow('still due');
    expect(await kept()).toEqual(before);
    await service.dataSource.query('DROP TRIGGER fail ON flow_days');
    await service.settle();
    const after = await kept();
    expect(after.visits.length).toBe(before.visits.length + 2);
    await rebuild();
    await service.settle();
    expect(await kept()).toEqual(after);
  });

  it('stays when stages are renamed or removed: ended tasks stay ended', async () => {
    await live();
    await put('4', {});
    await put('4', { Stage: 'Done' });
    await service.settle();
    const before = await figure('throughput', week);
    const stages = '[{ name: New }, { name: Check, was: Review }, { name: Closed, end: true }, { name: Done, removed: true, move_tasks_to: Closed }]'; // prettier-ignore
    await service.apply(acme(stages).replace('[Review]', '[Check]'));
    await service.settle();
    expect(await figure('throughput', week)).toEqual(before);
    expect(Object.keys(await figure('flow', week))).toEqual(['New', 'Check', 'Closed', 'Done (removed)']);
    const mina = await signIn(service, 'mina@acme.test');
    const page = await mina.get('/workflows/tickets/figures?_weeks=4');
    expect(texts(page, '#figure-flow .legend li')).toEqual(['New', 'Check']);
  });

  it('leaves out imported tasks unless they are requested', async () => {
    await api.post(`${tasks}?_silent=true`, { ID: '7' }).expect(201);
    await put('8', {});
    await service.settle();
    expect(await figure('throughput', week)).toMatchObject({ In: [['2026-03-02', 1]] });
    expect(await figure('throughput', `${week}&_imports=true`)).toMatchObject({ In: [['2026-03-02', 2]] });
    expect(await figure('workload')).toEqual({ Open: [['Nobody', 2, 0]] });
  });

  it('counts tasks that people outside create by a form', async () => {
    await service.stop();
    const setting = await startForms();
    service = setting.service;
    const vendor = { 'Vendor Name': 'Nordwind', Website: 'https://nordwind.example' };
    expect((await setting.send(vendor)).status).toBe(200);
    await service.settle();
    const { body } = await setting.api.get('/api/v1/workflows/vendors/metrics/flow').expect(200);
    const today = (body as Shown).series.map(({ name, points }) => [name, points.at(-1)?.[1]]);
    expect(today).toEqual([['New', 1]]);
  });
});
