import { type Answer } from '../support/console.js';
import { type Client } from '../support/service.js';
import { acme, followed, type InboxSetting, pageOf, type Person, startInbox, tickets } from './inbox.js';
import { until } from '../support/until.js';

describe('the inbox of a person', () => {
  let setting: InboxSetting;
  let api: Client;
  let theo: Person;
  let ines: Person;

  beforeEach(async () => {
    setting = await startInbox();
    ({ api } = setting);
    [theo, ines] = [await setting.person('theo'), await setting.person('ines')];
  });
  afterEach(() => setting.stop());

  const assign = async (id: string, name: string): Promise<void> => {
    await api.post(tickets, { ID: id, 'Assigned To': `${name}@acme.test` });
    await followed(setting);
  };

  it('"one line a task, newest first, unread marked; opening the task reads it"', async () => {
    await assign('T-1', 'theo');
    await assign('T-2', 'theo');
    expect(await theo.lines()).toEqual([
      '* T-2: API (test) assigned this to you',
      '* T-1: API (test) assigned this to you',
    ]);
    expect(await theo.count()).toBe(2);
    const page = await theo.browser.get(await pageOf(api, 'T-1'));
    // The page that reads it counts without it.
    expect(page.html.querySelector('.unread-count .visually-hidden')?.text).toBe('1 unread');
    expect(await theo.count()).toBe(1);
    expect(await theo.lines()).toEqual([
      '* T-2: API (test) assigned this to you',
      'T-1: API (test) assigned this to you',
    ]);
  });

  it('a page that is only fetched ahead reads nothing, and neither does "the API\'s GET by a key"', async () => {
    await assign('T-1', 'theo');
    await theo.browser.get(await pageOf(api, 'T-1'), { 'X-Sec-Purpose': 'prefetch' });
    expect(await theo.count()).toBe(1);
  });

  it('`done`, `unread` and `read` of a line', async () => {
    await assign('T-1', 'theo');
    expect(await theo.does('T-1', { do: 'read' })).toBe(303);
    expect(await theo.count()).toBe(0);
    expect(await theo.does('T-1', { do: 'unread' })).toBe(303);
    expect(await theo.count()).toBe(1);
    expect(await theo.does('T-1', { do: 'done' })).toBe(303);
    expect(await theo.lines()).toEqual([]);
    expect(await theo.count()).toBe(0);
  });

  it('"snooze: tomorrow 08:00, Monday, or a date": it comes back unread, by the time of its reader', async () => {
    await theo.browser.post('/account/browser', { timeZone: 'Asia/Tokyo' });
    await assign('T-1', 'theo');
    const { dataSource } = setting.service;
    const tomorrow = async (): Promise<string | undefined> => {
      const [row] = await dataSource.query<{ at: string }[]>(
        `SELECT to_char(now() AT TIME ZONE 'Asia/Tokyo' + interval '1 day', 'YYYY-MM-DD 08:00') AS at`,
      );
      return row?.at;
    };
    const before = await tomorrow();
    expect(await theo.does('T-1', { do: 'tomorrow' })).toBe(303);
    expect([await theo.lines(), await theo.count()]).toEqual([[], 0]);
    const [row] = await dataSource.query<{ at: string }[]>(
      `SELECT to_char(snoozed_until AT TIME ZONE 'Asia/Tokyo', 'YYYY-MM-DD HH24:MI') AS at FROM notifications`,
    );
    // Midnight may pass meanwhile.
    expect([before, await tomorrow()]).toContain(row?.at);
    // Opening the task meanwhile does not end it.
    await theo.browser.get(await pageOf(api, 'T-1'));
    await dataSource.query(`UPDATE notifications SET snoozed_until = now() - interval '1 second'`);
    expect(await theo.lines()).toEqual(['* T-1: API (test) assigned this to you']);
    for (const until of ['', '2020-01-01', '2026-02-30', 'soon', '9999-01-01'])
      expect([until, await theo.does('T-1', { do: 'snooze', until })]).toEqual([until, 422]);
  });

  it('a browser tells its zone and language once, and again where one of them is another', async () => {
    const known = async (language: string): Promise<string | undefined> => {
      const { html } = await theo.browser.get('/account', { 'Accept-Language': language });
      return html.querySelector('.frame')?.getAttribute('data-zone-known-value');
    };
    expect(await known('en')).toBeUndefined();
    await theo.browser.post('/account/browser', { timeZone: 'Asia/Tokyo' });
    expect([await known('en'), await known('de')]).toEqual(['Asia/Tokyo', undefined]);
    const german = { 'Sec-Fetch-Site': 'same-origin', 'Accept-Language': 'de' };
    await theo.browser.post('/account/browser', { timeZone: 'Asia/Tokyo' }, german);
    expect([await known('en'), await known('de')]).toEqual([undefined, 'Asia/Tokyo']);
  });

  it("a form of a line that is not one's own changes nothing", async () => {
    await assign('T-1', 'theo');
    const [task = ''] = (await pageOf(api, 'T-1')).split('/').slice(-1);
    const hers = await ines.browser.post('/inbox', { workflow: 'tickets', task, do: 'done' });
    expect(hers.status).toBe(422);
    for (const fields of [
      {},
      { do: 'done' },
      { workflow: 'no', task, do: 'done' },
      { workflow: 'tickets', task, do: 'x' },
    ])
      expect((await theo.browser.post('/inbox', fields)).status).toBe(404);
    expect((await theo.browser.get('/inbox?after=forged')).status).toBe(404);
    expect(await theo.count()).toBe(1);
  });

  describe('"access is checked when made, when read and when sent; what one no longer sees vanishes, from counts too"', () => {
    beforeEach(async () => {
      await assign('T-1', 'ines');
      expect([(await ines.lines()).length, await ines.count()]).toEqual([1, 1]);
    });
    const nothing = async (): Promise<void> => {
      expect([await ines.lines(), await ines.count()]).toEqual([[], 0]);
    };

    it("a task that is somebody else's by now", async () => {
      await assign('T-1', 'theo');
      await nothing();
      await assign('T-1', 'ines');
      expect(await ines.count()).toBe(1);
    });

    it('a task that is deleted', async () => {
      await api.delete(`${tickets}/T-1`).expect(204);
      await nothing();
      await followed(setting);
      const left = await setting.service.dataSource.query<object[]>(
        'SELECT 1 FROM notifications UNION ALL SELECT 1 FROM watchers',
      );
      expect(left).toEqual([]);
    });

    it('a workflow in which one has no role any more', async () => {
      await setting.service.dataSource.query(
        `DELETE FROM members m USING users u WHERE u.id = m.user_id AND u.email = 'ines@acme.test'`,
      );
      await setting.service.apply(
        acme()
          .replace('      - { email: ines@acme.test, role: own }\n', '')
          .replace('name: Acme', 'name: Acme Ltd'),
      );
      await until('she sees nothing', async () => (await ines.count()) === 0);
      await nothing();
    });
  });

  it('who does not see a task is not told when it is made', async () => {
    await assign('T-1', 'ines');
    const path = await pageOf(api, 'T-1');
    await ines.browser.post(`${path}/watch`, { state: 'on' });
    await assign('T-1', 'theo');
    await api.post(`${tickets}/T-1/comments`, { body: 'Secret' }).expect(201);
    await followed(setting);
    const rows = await setting.service.dataSource.query<object[]>(
      `SELECT n.reason FROM notifications n JOIN users u ON u.id = n.user_id WHERE u.email = 'ines@acme.test'`,
    );
    expect(rows).toEqual([{ reason: 'assigned' }]);
  });

  it('"`/inbox/count` is {"count": n}; the badge follows the live stream"', async () => {
    const { html } = await theo.browser.get('/account');
    const url = (html.querySelector('body')?.getAttribute('data-live-url-value') ?? '').replaceAll(
      '&amp;',
      '&',
    );
    // A page asks again when nothing has come for half a minute.
    const ask = async (): Promise<Answer> => {
      const answer = await theo.browser.get(url, { 'X-Live': '1' });
      return answer.text === '{"changed":false}' ? ask() : answer;
    };
    const told = ask();
    await assign('T-1', 'theo');
    const { status, text } = await told;
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { changed: false, inbox: { unread: 1, mark: expect.stringMatching(/^1\./) as string } },
    ]);
  });

  it('pages of fifty lines lead from one to the next', async () => {
    for (let n = 0; n < 60; n += 1)
      await api.post(tickets, { ID: `P-${n}`, 'Assigned To': 'theo@acme.test' });
    await followed(setting);
    const first = await theo.browser.get('/inbox');
    const links = first.html.querySelectorAll('#content a').map((link) => link.getAttribute('href') ?? '');
    const next = links.find((href) => href.startsWith('/inbox?after='));
    const second = await theo.browser.get(String(next));
    const ids = [first, second].map(({ html }) =>
      html.querySelectorAll('.notice-line .row-title').map(({ text }) => text),
    );
    expect(ids.map(({ length }) => length)).toEqual([50, 10]);
    expect(new Set(ids.flat()).size).toBe(60);
  });

  it('`@` completes people who see the task, some at a time', async () => {
    await api.post(tickets, { ID: 'T-1' }).expect(201);
    const path = await pageOf(api, 'T-1');
    const people = async (q: string): Promise<string[]> => {
      const { html } = await theo.browser.get(`${path}/audience?q=${encodeURIComponent(q)}`);
      return html.querySelectorAll('button').map((button) => button.getAttribute('value') ?? '');
    };
    // Ines sees only what is hers.
    expect(await people('')).toEqual(['mina@acme.test', 'theo@acme.test']);
    expect(await people('Mi')).toEqual(['mina@acme.test']);
    await assign('T-1', 'ines');
    expect(await people('in')).toEqual(['ines@acme.test']);
    expect(await people('%')).toEqual([]);
  });

  it('there is no inbox in the API: a key is nobody', async () => {
    const answer = await fetch(`${setting.service.url}/inbox/count`, {
      headers: { Authorization: `Bearer ${await setting.service.key('acme', 'admin')}` },
    });
    expect(answer.status).toBe(401);
  });
});
