import { follow, pageOf, servedTo, signIn, texts } from '../support/console.js';

// time.md, 6: what happens by itself is to be seen, with its reasons, by people who know no API.
const tickets = '/api/v1/workflows/tickets/tasks';

const definition = `
workspace: { id: acme, name: Acme, timezone: UTC }
users: [{ email: mina@acme.test, first_name: Mina }, { email: theo@acme.test }, { email: ines@acme.test }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Review }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Note, type: text }
      - { name: Close By, type: datetime }
    roles: [{ id: lead, name: Lead, admin: true }, { id: clerk, name: Clerk }, { id: own, name: Own, sees: assigned }]
    members: [{ email: mina@acme.test, role: lead }, { email: theo@acme.test, role: clerk }, { email: ines@acme.test, role: own }]
    actions:
      - { id: page, name: Page on-call, steps: [{ name: Note, type: update_fields, set: { Note: paged } }] }
      - { id: nudge, name: Nudge, steps: [{ name: Note, type: update_fields, set: { Note: nudged } }] }
      - id: close
        name: Close
        requirements: { required_fields: [Note], conditions: [{ when: 'task["Note"] == "short"', message: Only what is short }] }
        steps: [{ name: Go, type: move_to_stage, stage: Done }]
      - { id: lower, name: Lower, steps: [{ name: Note, type: update_fields, set: { Risk: Low } }] }
    rules:
      - { id: high-risk, on: field_changed, field: Risk, to: High, run: page }
      - { id: closed, on: created, when: 'task["Risk"] == "High"', run: close }
      - { id: as-mina, on: field_changed, field: Note, to: ask, run: nudge, as: mina@acme.test }
    clocks:
      - { id: review, starts: { stages: [Review] }, pauses: { stages: [Waiting] }, budget: 10 hours }
      - { id: close, due: { field: Close By }, rungs: [{ at: 100% }] }
    schedules:
      - { id: stale, cron: "0 6 * * *", for: "Stage=Waiting", run: nudge }
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: tickets, name: Parts }, to: { workflow: tickets, name: Whole } }
`;

const { service, api, mina: lead, theo: clerk } = servedTo(['mina', 'theo'], definition);

const create = async (values: Readonly<Record<string, string | object>>): Promise<string> =>
  pageOf(await api.post(tickets, values).expect(201));

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

describe('the page of a task', () => {
  it('says below the stage when the task is due, or that its clock is paused', async () => {
    const path = await create({ ID: 'C-1', Stage: 'Review' });
    await service.settle();
    expect((await clerk.get(path)).textOf('.task-head .deadline')).toMatch(
      /^review due (today|tomorrow)(, \d+:\d\d [AP]M)?$/,
    );
    await api.send(tickets, { ID: 'C-1', Stage: 'Waiting' });
    await service.settle();
    expect((await clerk.get(path)).textOf('.deadline')).toMatch(/^review paused: /);
  });

  it('says how late a task is, as all pages do, and no longer when the task has ended', async () => {
    const path = await create({ ID: 'C-2', Stage: 'Review', 'Close By': inHours(-49) });
    await service.settle();
    expect((await clerk.get(path)).textOf('.task-head .deadline')).toMatch(
      /^close was due .*, [23] days late$/,
    );
    await api.post(tickets, { ID: 'C-2', Stage: 'Done' }).expect(200);
    await service.settle();
    expect(texts(await clerk.get(path), '.task-head .deadline')).toEqual([]);
    const rows = texts(await clerk.get('/workflows/tickets/list?_fields=ID,_due&ID=C-2'), 'tbody tr');
    expect(rows).toEqual(['C-2 C-2']);
  });

  const rule = /^rule high-risk performed Page on-call · Note blank → paged/;
  const byRule = /^M? ?Mina performed Nudge · Note ask → nudged , by rule as-mina/;
  it.each([
    [
      'by what something came',
      [{ Risk: 'Low' }, { Risk: 'High' }],
      [rule, /^API \(test\) changed Risk · Low → High /, /^API \(test\) created the task /],
    ],
    [
      'what somebody did in one sentence',
      [{ Risk: 'High', Note: 'short' }, { 'Assigned To': 'mina@acme.test' }],
      [/^API \(test\) assigned the task · blank → M Mina /, /^rule closed performed Close · New → Done /],
    ],
    ['the rule behind what it does in the name of a user', [{}, { Note: 'ask' }], [byRule]],
  ])('tells in its history %s', async (ID, [values, changes], events) => {
    const path = await create({ ID, ...values });
    await service.settle();
    await api.send(tickets, { ID, ...changes });
    await service.settle();
    const told = texts(await clerk.get(path), '.time-line > .event').slice(0, events.length);
    expect(told).toEqual(events.map((event) => expect.stringMatching(event) as unknown));
  });

  it('marks overdue tasks among linked tasks and in search, too', async () => {
    const own = { 'Assigned To': 'ines@acme.test' };
    const path = await create({ ID: 'L-1', ...own });
    await create({ ID: 'L-2', 'Close By': inHours(-1), Whole: { ID: 'L-1' }, ...own });
    await create({ ID: 'L-3', 'Close By': inHours(9), Whole: { ID: 'L-1' }, ...own });
    await service.settle();
    for (const browser of [clerk, await signIn(service, 'ines@acme.test')])
      expect(texts(await browser.get(path), '.linked a')).toEqual(['L-2 Overdue New', 'L-3 New']);
    const found = await clerk.get('/search?q=L-');
    expect(texts(found, '#found .row')).toEqual(['L-1 New', 'L-2 Overdue New', 'L-3 New']);
    expect(found.html.querySelectorAll('#found .badge svg')).toHaveLength(1);
  });
});

describe('urgent tasks', () => {
  it('come first in My tasks, with a badge there and on the board', async () => {
    const mine = { 'Assigned To': 'theo@acme.test' };
    await create({ ID: 'M-1', ...mine });
    await create({ ID: 'M-2', 'Close By': inHours(48), ...mine });
    await create({ ID: 'M-3', 'Close By': inHours(-1), ...mine });
    await service.settle();
    const home = texts(await clerk.get('/'), '.rows li');
    expect(home.map((line) => /M-\d/.exec(line)?.[0])).toEqual(['M-3', 'M-2', 'M-1']);
    // In the first hour of a day, it was due on the day before.
    expect(home[0]).toMatch(/1 (hour|day) late$/);
    expect(home[1]).not.toContain('late');
    const cards = texts(await clerk.get('/workflows/tickets'), '.task-card');
    expect(cards.find((card) => card.startsWith('M-3'))).toContain('Overdue');
    expect(cards.find((card) => card.startsWith('M-2'))).not.toMatch(/Overdue|Due today/);
  });
});

// Rule: a day is the whole day. What ends at midnight is due on the day that ends.
it('a time that ends at midnight is shown on its own day everywhere', async () => {
  const path = await create({ ID: 'D-1', 'Close By': '2099-06-11T00:00:00Z' });
  const today = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await create({ ID: 'D-2', 'Close By': `${today}T00:00:00Z` });
  await service.settle();
  const page = await clerk.get(path);
  expect(texts(page, '.task-head .deadline')).toEqual(['close due Jun 10, 2099']);
  const cards = texts(await clerk.get('/workflows/tickets'), '.task-card');
  expect(cards.find((card) => card.startsWith('D-1'))).toContain('Jun 10, 2099');
  expect(cards.find((card) => card.startsWith('D-2'))).toContain('Due today');
  const rows = texts(await clerk.get('/workflows/tickets/list?_fields=ID,_due'), 'tbody tr');
  expect(rows.find((row) => row.startsWith('D-1'))).toContain('Jun 10, 2099');
  const asked = new URLSearchParams({ at: 'list', '_due[gt]': '2099-06-10', '_due[lte]': '2099-06-10' });
  const found = await follow(clerk, await clerk.get(`/workflows/tickets/filter?${asked.toString()}`));
  expect(texts(found, 'tbody tr')).toEqual([expect.stringMatching(/^D-1/)]);
  expect(texts(found, '.filters .badge').join(' ')).toContain('Due ≥ Jun 10, 2099 Due ≤ Jun 10, 2099');
});

describe('the pages of rules', () => {
  it('show each rule with its runs to administrators, who can pause it', async () => {
    await create({ ID: 'A-1', Risk: 'Low' });
    await api.send(tickets, { ID: 'A-1', Risk: 'High' });
    await service.settle();
    const [listed] = texts(await lead.get('/admin/rules'), '.rows li');
    expect(listed).toMatch(/^Active high-risk Tickets · A field changes · Page on-call Last run: (?!never)/);
    const path = '/admin/rules/tickets/high-risk';
    const page = await lead.get(path);
    const facts = ['Workflow Tickets', 'Trigger A field changes', 'Action Page on-call'];
    expect(texts(page, '.facts > div').slice(0, 3)).toEqual(facts);
    expect(texts(page, 'pre')[0]).toMatch(/field_changed field: Risk to: High run: page$/);
    expect(texts(page, '.rows li')[0]).toMatch(/^Started A-1 Risk went from Low to High Execution /);
    expect(texts(await lead.get(`${path}?result=loop`), '.rows li')).toEqual([]);
    const paused = await follow(lead, await lead.post(`${path}/pause`));
    expect(texts(paused, 'h1, .notice')).toEqual(expect.arrayContaining(['high-risk Paused', 'Done.']));
    expect(paused.textOf('.detail-head .muted')).toContain('are silenced, and are not started later');
    await create({ ID: 'A-2', Risk: 'Low' });
    await api.send(tickets, { ID: 'A-2', Risk: 'High' });
    await service.settle();
    const silenced = texts(await lead.get(`${path}?result=silenced`), '.rows li');
    expect(silenced).toEqual([expect.stringMatching(/^Silenced .* the rule is paused /)]);
    const resumed = await follow(lead, await lead.post(`${path}/resume`));
    expect(texts(resumed, 'h1, .notice')).toEqual(expect.arrayContaining(['high-risk Active', 'Done.']));
  });

  it('do not exist for other users, or for an unknown rule, schedule or position', async () => {
    expect((await clerk.post('/admin/rules/tickets/high-risk/pause')).status).toBe(404);
    expect((await lead.post('/admin/rules/tickets/none/pause')).status).toBe(404);
    for (const path of ['rules/none/high-risk', 'rules/tickets/none', 'schedules/tickets/none', 'rules/tickets/high-risk?after=wrong', 'schedules/tickets/stale?after=wrong'])
      expect([path, (await lead.get(`/admin/${path}`)).status]).toEqual([path, 404]); // prettier-ignore
  });
});

describe('the pages of schedules', () => {
  it('show when each schedule fires next, and can run or pause it', async () => {
    const listed = async (): Promise<string[]> => texts(await lead.get('/admin/schedules'), '.rows li');
    expect(await listed()).toEqual([expect.stringMatching(/^Active stale .* 0 6 \* \* \* · UTC Next: \w/)]);
    const path = '/admin/schedules/tickets/stale';
    const page = await lead.get(path);
    expect(texts(page, '.facts li')).toHaveLength(5);
    const facts = ['Times 0 6 * * *', 'Time zone UTC', 'Last run never'];
    expect(texts(page, '.facts > div')).toEqual(expect.arrayContaining(facts));
    expect((await follow(lead, await lead.post(`${path}/run`))).textOf('.notice')).toBe('Done.');
    const paused = await follow(lead, await lead.post(`${path}/pause`));
    expect(paused.textOf('.detail-head .muted')).toContain('its firings are skipped');
    expect(await listed()).toEqual(['Paused stale Tickets · 0 6 * * * · UTC']);
    expect((await follow(lead, await lead.post(`${path}/resume`))).textOf('h1')).toContain('Active');
  });
});
