import { endOf } from '../support/executions.js';
import { type Client } from '../support/service.js';
import { acme, followed, type InboxSetting, pageOf, type Person, startInbox, tickets } from './inbox.js';
import { until } from '../support/until.js';

const rules = `
    rules:
      - { id: give, on: stage_entered, stage: Done, run: hand-over }
    clocks:
      - { id: close, due: { field: Close By }, rungs: [{ at: 100% }] }
`;

describe('who is told of what happens', () => {
  let setting: InboxSetting;
  let api: Client;
  let [mina, theo, ines]: Person[] = [];

  beforeEach(async () => {
    setting = await startInbox(acme(rules));
    ({ api } = setting);
    [mina, theo, ines] = [
      await setting.person('mina'),
      await setting.person('theo'),
      await setting.person('ines'),
    ];
  });
  afterEach(() => setting.stop());

  const make = (id: string, values: object = {}): Promise<unknown> =>
    api
      .post(tickets, { ID: id, ...values })
      .expect(201)
      .then();
  const say = (id: string, body: string, by?: string): Promise<unknown> =>
    api
      .post(`${tickets}/${id}/comments`, {
        body,
        ...(by !== undefined && { performed_by: `${by}@acme.test` }),
      })
      .expect(201)
      .then();

  async function linesOf(person: Person | undefined): Promise<string[]> {
    await followed(setting);
    return (await person?.lines()) ?? [];
  }

  it('"of several reasons the highest: mentioned > assigned > … > watching", one notification an event', async () => {
    await make('T-1', { 'Assigned To': 'theo@acme.test' });
    expect(await linesOf(theo)).toEqual(['* T-1: API (test) assigned this to you']);
    // He watches it by now; the mention is stronger.
    await say('T-1', 'Well, @theo@acme.test?', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-1: Mina mentioned you and 1 more']);
    await say('T-1', 'Anybody?', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-1: Mina changed this and 2 more']);
    expect(await theo?.count()).toBe(1);
    const [row] = await setting.service.dataSource.query<{ count: string }[]>(
      'SELECT count(*) FROM notifications GROUP BY user_id, event_place ORDER BY 1 DESC LIMIT 1',
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

  it('"with a rule in between, the initiator\'s" doing is one\'s own; others hear of what the rule did', async () => {
    await make('T-1');
    const path = await pageOf(api, 'T-1');
    // Theo closes it, and a rule gives it to him: he has done that himself.
    expect((await theo?.browser.post(path, { name: 'Stage', value: 'Done', was: '"New"' }))?.status).toBe(
      303,
    );
    await assignedTo('T-1', 'theo@acme.test');
    expect(await linesOf(theo)).toEqual([]);
    // Mina closes the other one.
    await make('T-2');
    const other = await pageOf(api, 'T-2');
    expect((await mina?.browser.post(other, { name: 'Stage', value: 'Done', was: '"New"' }))?.status).toBe(
      303,
    );
    await assignedTo('T-2', 'theo@acme.test');
    expect(await linesOf(theo)).toEqual(['* T-2: Rule give assigned this to you']);
    expect(await linesOf(mina)).toEqual([]);
  });

  async function assignedTo(id: string, email: string): Promise<void> {
    for (let seen: unknown; seen !== email;) {
      const { body } = await api.get(`${tickets}/${id}`).expect(200);
      seen = Reflect.get(Object(body), 'Assigned To');
    }
  }

  it('"failed goes to the assignee and to whoever started the action (although it was their own)"', async () => {
    await make('T-1', { 'Assigned To': 'ines@acme.test', Name: 'x' });
    await followed(setting);
    await ines?.browser.get(await pageOf(api, 'T-1'));
    const begun = { task_id: 'T-1', action_id: 'break', performed_by: 'theo@acme.test' };
    const executions = '/api/v1/workflows/tickets/executions';
    await endOf(api, executions, await api.post(executions, begun).set('Prefer', 'wait=10'));
    expect(await linesOf(ines)).toEqual(['* T-1 x: An action has failed and 1 more']);
    expect(await linesOf(theo)).toEqual(['* T-1 x: An action has failed']);
    expect(await linesOf(mina)).toEqual([]);
  });

  it('"due goes to the assignee": at every rung of a clock', async () => {
    await make('T-1', { 'Assigned To': 'ines@acme.test', 'Close By': '2099-01-01T00:00:00Z' });
    await say('T-1', 'I watch this', 'theo');
    // A clock that begins after its end never fires; one that is moved there does.
    await api.put(tickets, { ID: 'T-1', 'Close By': new Date().toISOString() }).expect(200);
    await until('the clock has fired', async () => {
      const { body } = await api.get('/api/v1/events?type=clock.fired').expect(200);
      return (body as unknown[]).length > 0;
    });
    expect(await linesOf(ines)).toEqual(['* T-1: Clock close reached a deadline and 3 more']);
    expect(await linesOf(theo)).toEqual(['* T-1: Clock close changed this and 1 more']);
  });

  it('whoever creates, comments, is assigned, is mentioned or performs watches; "muted silences watching only"', async () => {
    await make('T-1');
    const path = await pageOf(api, 'T-1');
    await say('T-1', 'Mine', 'theo');
    await followed(setting);
    await say('T-1', 'Yours', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-1: Mina changed this']);
    expect((await theo?.browser.post(`${path}/watch`, { state: 'muted' }))?.status).toBe(303);
    await theo?.browser.get(path);
    await say('T-1', 'Hush', 'mina');
    expect(await linesOf(theo)).toEqual(['T-1: Mina changed this']);
    await say('T-1', 'But you, @theo@acme.test', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-1: Mina mentioned you and 1 more']);
    // "stored as a row, so that nothing undoes it": he takes part again and stays muted.
    await say('T-1', 'Fine', 'theo');
    await say('T-1', 'Good', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-1: Mina mentioned you and 1 more']);
  });

  it('`_silent` writes notify nobody', async () => {
    const admin = setting.service.client(await setting.service.key('acme', 'admin'));
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

  it('a mention of somebody who does not see the task is a text', async () => {
    await make('T-1');
    await say('T-1', 'Secret: @ines@acme.test', 'mina');
    await api.put(tickets, { ID: 'T-1', 'Assigned To': 'ines@acme.test' }).expect(200);
    expect(await linesOf(ines)).toEqual(['* T-1: API (test) assigned this to you']);
  });

  it('"`notifications: { <reason>: mail | inbox | off }` sets what a person\'s own choice may change"', async () => {
    await setting.service.apply(`${acme(rules)}notifications: { assigned: off, mentioned: inbox }`);
    await make('T-1', { 'Assigned To': 'theo@acme.test' });
    expect(await linesOf(theo)).toEqual([]);
    await theo?.browser.post('/account/notifications', { assigned: 'inbox', watching: 'off' });
    await make('T-2', { 'Assigned To': 'theo@acme.test' });
    await say('T-2', 'Hm', 'mina');
    await say('T-2', 'Hm, @theo@acme.test', 'mina');
    expect(await linesOf(theo)).toEqual(['* T-2: Mina mentioned you and 1 more']);
    const rows = await setting.service.dataSource.query<object[]>(
      'SELECT reason, mail FROM notifications ORDER BY at',
    );
    expect(rows).toEqual([
      { reason: 'assigned', mail: 'none' },
      { reason: 'mentioned', mail: 'none' },
    ]);
  });

  it('"above 50 assignments to one person in one request: one line": 120 rows of a batch', async () => {
    await assignMany(0, 120);
    expect(await linesOf(theo)).toEqual(['* Tickets (120): API (test) assigned 120 tasks of Tickets to you']);
    expect(await theo?.count()).toBe(1);
    expect(await theo?.does('Tickets (120)', { do: 'done' })).toBe(303);
    expect(await linesOf(theo)).toEqual([]);
    // Fifty stand alone.
    await assignMany(200, 50);
    expect(await linesOf(theo)).toHaveLength(50);
  });

  /** By one request. */
  async function assignMany(from: number, count: number): Promise<void> {
    const rows = Array.from({ length: count }, (_, n) => ({
      ID: `B-${from + n}`,
      'Assigned To': 'theo@acme.test',
    }));
    const answer = await fetch(`${setting.service.url}${tickets}/batch`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await setting.service.key('acme')}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(rows),
    });
    expect([answer.status, (await answer.text()).split('\n').length > count]).toEqual([200, true]);
  }
});
