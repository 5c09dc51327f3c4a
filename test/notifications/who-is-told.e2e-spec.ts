import { type Client } from '../support/service.js';
import { acme, followed, inboxesOfFile, type InboxSetting, pageOf, type Person, tickets } from './inbox.js';

const rules = `
    rules:
      - { id: give, on: stage_entered, stage: Done, run: hand-over }
    clocks:
      - { id: close, due: { field: Close By }, rungs: [{ at: 100% }] }
`;

const approve = `      - id: finish
        name: Finish
        stages: [Busy]
        requirements: { approvals: { of: [{ id: check, count: 1, roles: [sees, own] }] } }
        steps: [{ name: Go, type: move_to_stage, stage: Done }]
`;

describe('the users who are notified of events', () => {
  let setting: InboxSetting;
  let api: Client;
  let [mina, theo, ines]: Person[] = [];

  const freshInbox = inboxesOfFile();
  beforeEach(async () => {
    setting = await freshInbox(rules);
    ({ api } = setting);
    [mina, theo, ines] = await Promise.all(['mina', 'theo', 'ines'].map((name) => setting.person(name)));
  });

  const make = (ID: string, values: object = {}): Promise<unknown> => api.send(tickets, { ID, ...values });
  const say = (id: string, body: string, by: string): Promise<unknown> =>
    api.send(`${tickets}/${id}/comments`, { body, performed_by: `${by}@acme.test` });

  async function linesOf(person: Person | undefined): Promise<string[]> {
    await followed(setting);
    return (await person?.lines()) ?? [];
  }

  it('"of several reasons the highest: mentioned > assigned > … > watching", one notification an event', async () => {
    await make('T-1', { 'Assigned To': 'theo@acme.test' });
    expect(await linesOf(theo)).toEqual(['* T-1: API (test) assigned this to you']);
    // He watches it by now; the mention is stronger.
    await say('T-1', 'Well, @theo@acme.test?', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-1: Mina mentioned you · 1 more']);
    await say('T-1', 'Anybody?', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-1: Mina mentioned you · 2 more']);
    expect(await theo?.count()).toBe(1);
    const [row] = await setting.service.dataSource.query<{ count: string }[]>(
      'SELECT count(*) FROM notifications WHERE workspace_id = $1 GROUP BY user_id, event_place ORDER BY 1 DESC LIMIT 1',
      [setting.workspaceId],
    );
    expect(row?.count).toBe('1');
  });

  it('"never about one\'s own doing"', async () => {
    await make('T-1', { 'Assigned To': 'theo@acme.test' });
    await followed(setting);
    await theo?.browser.get(await pageOf(api, 'T-1'));
    await say('T-1', 'I ask myself, @theo@acme.test', 'theo');
    expect(await linesOf(theo)).toEqual(['T-1: API (test) assigned this to you']);
  });

  it('"with a rule in between, the initiator\'s" doing is one\'s own; other users hear of the change', async () => {
    await make('T-1');
    const path = await pageOf(api, 'T-1');
    // Theo closes it, and a rule gives it to him: he has done that himself.
    await theo?.browser.post(path, { name: 'Stage', value: 'Done', was: '"New"' });
    expect(await linesOf(theo)).toEqual([]);
    expect(await api.read(`${tickets}/T-1`)).toMatchObject({ 'Assigned To': 'theo@acme.test' });
    // Mina closes the other one.
    await make('T-2');
    const other = await pageOf(api, 'T-2');
    await mina?.browser.post(other, { name: 'Stage', value: 'Done', was: '"New"' });
    expect(await linesOf(theo)).toEqual(['* T-2: Rule give assigned this to you']);
    expect(await linesOf(mina)).toEqual([]);
  });

  it('"failed goes to the assignee and to whoever started the action (although it was their own)"', async () => {
    await make('T-1', { 'Assigned To': 'ines@acme.test', Name: 'x' });
    await followed(setting);
    await ines?.browser.get(await pageOf(api, 'T-1'));
    const begun = { task_id: 'T-1', action_id: 'break', performed_by: 'theo@acme.test' };
    await api.post('/api/v1/workflows/tickets/executions', begun).expect(202);
    expect(await linesOf(ines)).toEqual(['* T-1 x: An action has failed · 1 more']);
    expect(await linesOf(theo)).toEqual(['* T-1 x: An action has failed']);
    expect(await linesOf(mina)).toEqual([]);
  });

  it('"due goes to the assignee": at every rung of a clock', async () => {
    const inOneHour = new Date(Date.now() + 3_600_000).toISOString();
    await make('T-1', { 'Assigned To': 'ines@acme.test', 'Close By': inOneHour });
    await say('T-1', 'I watch this', 'theo');
    await followed(setting);
    await ines?.browser.get(await pageOf(api, 'T-1'));
    await setting.service.settle({ after: 2 * 3_600_000 });
    expect(await linesOf(ines)).toEqual(['* T-1: Clock close reached a deadline · 2 more']);
    expect(await linesOf(theo)).toEqual(['* T-1: Clock close reached a deadline']);
  });

  it('whoever creates, comments, is assigned, is mentioned or performs watches; "muted silences watching only"', async () => {
    await make('T-1');
    const path = await pageOf(api, 'T-1');
    await say('T-1', 'Mine', 'theo');
    await followed(setting);
    await say('T-1', 'Yours', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-1: Mina commented']);
    expect((await theo?.browser.post(`${path}/watch`, { state: 'muted' }))?.status).toBe(303);
    await theo?.browser.get(path);
    await say('T-1', 'Hush', 'mina');
    expect(await linesOf(theo)).toEqual(['T-1: Mina commented']);
    await say('T-1', 'But you, @theo@acme.test', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-1: Mina mentioned you · 1 more']);
    // "stored as a row, so that nothing undoes it": he takes part again and stays muted.
    await say('T-1', 'Fine', 'theo');
    await say('T-1', 'Good', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-1: Mina mentioned you · 1 more']);
  });

  it('writes with `_silent` notify nobody', async () => {
    const admin = setting.service.client(await setting.service.key(setting.slug, 'admin'));
    await admin.post(`${tickets}?_silent=true`, { ID: 'T-1', 'Assigned To': 'theo@acme.test' }).expect(201);
    expect(await linesOf(theo)).toEqual([]);
  });

  it('"the API takes @mina@acme.test in comments; an address in a text is no mention"', async () => {
    await make('T-1');
    await say('T-1', 'Write to theo@acme.test, x@theo@acme.test, @nobody@acme.test or `theo`', 'mina');
    expect(await linesOf(theo)).toEqual([]);
    await say('T-1', '(@Theo@Acme.Test), please.', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-1: Mina mentioned you']);
    const page = await theo?.browser.get(await pageOf(api, 'T-1'));
    expect(page?.html.querySelectorAll('.time-line .mention').map(({ text }) => text)).toEqual(['@Theo']);
  });

  it('a mention of a user who does not see the task stays plain text', async () => {
    await make('T-1');
    await say('T-1', 'Secret: @ines@acme.test', 'mina');
    const body = '@Ines@acme.test @theo@acme.test @ines@acme.test';
    const { body: said } = await api.post(`${tickets}/T-1/comments`, { body }).expect(201);
    expect(said).toMatchObject({ not_mentioned: ['ines@acme.test'] });
    const path = await pageOf(api, 'T-1');
    const left = await theo?.browser.post(`${path}/comments`, { body });
    const page = await theo?.browser.get(left?.headers['location'] ?? '');
    expect(page?.textOf('.notice')).toBe(
      'Not told, because they do not see this task or the comment names more than 50 people: Ines',
    );
    await api.put(tickets, { ID: 'T-1', 'Assigned To': 'ines@acme.test' }).expect(200);
    expect(await linesOf(ines)).toEqual(['* T-1: API (test) assigned this to you']);
    // What happens once it is somebody else's is not for her, though she watches it.
    await ines?.browser.post(`${await pageOf(api, 'T-1')}/watch`, { state: 'on' });
    await api.put(tickets, { ID: 'T-1', 'Assigned To': 'theo@acme.test' }).expect(200);
    await say('T-1', 'Secret', 'mina');
    await followed(setting);
    await api.put(tickets, { ID: 'T-1', 'Assigned To': 'ines@acme.test' }).expect(200);
    expect(await linesOf(ines)).toEqual([expect.stringMatching(/assigned this to you · 1 more$/)]);
  });

  it('"`notifications: { <reason>: mail | inbox | off }` sets who is told where"', async () => {
    await setting.service.apply(
      `${acme(rules, setting.slug)}notifications: { assigned: off, mentioned: inbox }`,
    );
    await make('T-1', { 'Assigned To': 'theo@acme.test' });
    expect(await linesOf(theo)).toEqual([]);
    await make('T-2', { 'Assigned To': 'theo@acme.test' });
    await say('T-2', 'Hm, @theo@acme.test', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-2: Mina mentioned you']);
    const rows = await setting.service.dataSource.query<object[]>(
      'SELECT reason, mail FROM notifications WHERE workspace_id = $1 ORDER BY at',
      [setting.workspaceId],
    );
    expect(rows).toEqual([{ reason: 'mentioned', mail: 'none' }]);
  });

  // Rule: who may decide is asked: when a task enters a stage in which the action is offered, and again when an approval
  // has become stale: a notification (reason `approval`) for each who may, once a visit and state.
  it('notifies approvers who see the task: when it enters the stage and when an approval has ended', async () => {
    setting = await freshInbox(approve);
    ({ api } = setting);
    [theo, ines] = [await setting.person('theo'), await setting.person('ines')];
    await make('A-1', { Stage: 'Busy' });
    expect(await linesOf(theo)).toEqual([expect.stringContaining('* A-1')]);
    // Ines sees only what is assigned to her.
    expect([await linesOf(ines), await ines.count()]).toEqual([[], 0]);
    const path = await pageOf(api, 'A-1');
    const form = (await theo.browser.get(path)).html.querySelector('.approval form.decide');
    const seen = form?.querySelector('[name="seen"]')?.getAttribute('value') ?? '';
    const decided = { action_id: 'finish', id: 'check', seen, decision: 'approve', comment: '' };
    expect((await theo.browser.post(`${path}/approvals`, decided)).status).toBe(303);
    expect(await theo.count()).toBe(0);
    await api.put(tickets, { ID: 'A-1', Risk: 'High' }).expect(200);
    expect(await linesOf(theo)).toEqual([expect.stringContaining('approval')]);
    expect(await theo.count()).toBe(1);
  });
});
