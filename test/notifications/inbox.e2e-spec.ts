import { sendBatch } from '../support/batch.js';
import { sendForm, texts } from '../support/console.js';
import { type Client } from '../support/service.js';
import { acme, followed, inboxesOfFile, type InboxSetting, pageOf, type Person, tickets } from './inbox.js';

describe('the inbox of a person', () => {
  let setting: InboxSetting;
  let api: Client;
  let theo: Person;

  const freshInbox = inboxesOfFile();
  beforeEach(async () => {
    setting = await freshInbox();
    ({ api } = setting);
    theo = await setting.person('theo');
  });

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

  it('a page that is prefetched reads nothing, and neither does "the API\'s GET by a key"', async () => {
    await assign('T-1', 'theo');
    await theo.browser.get(await pageOf(api, 'T-1'), { 'Sec-Purpose': 'prefetch' });
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

  it('many lines are grouped by their cause, shown by their reason, and ended together', async () => {
    await api.post(tickets, { ID: 'T-1' }).expect(201);
    await api.post(`${tickets}/T-1/comments`, { body: 'See @theo@acme.test', performed_by: 'mina@acme.test' }).expect(201); // prettier-ignore
    await followed(setting);
    for (let at = 1; at <= 6; at += 1) await assign(`F-${at}`, 'theo');
    const page = await theo.browser.get('/inbox');
    expect(texts(page, '.cause > details > summary')).toEqual(['API (test) assigned this to you: 6 tasks']);
    const mentions = await theo.browser.get('/inbox?reason=mentioned');
    expect(texts(mentions, '.row-title')).toEqual(['T-1']);
    expect(await sendForm(theo.browser, mentions, '/inbox', { do: 'done' })).toMatchObject({ status: 303 });
    expect(texts(await theo.browser.get('/inbox?reason=mentioned'), '.row-title')).toEqual([]);
    expect(await theo.lines()).toHaveLength(6);

    // Single lines are chosen, and read or done together.
    expect(texts(page, '#bulk button')).toEqual(['Done', 'Mark as read', 'Mark as unread']);
    const picks = (await theo.browser.get('/inbox')).html.querySelectorAll('.pick[form=bulk]');
    const line = picks.map((pick) => pick.getAttribute('value') ?? '').slice(0, 2);
    expect((await theo.browser.post('/inbox', { line, do: 'read' })).status).toBe(303);
    expect(await theo.count()).toBe(4);
    expect((await theo.browser.post('/inbox', { line, do: 'done' })).status).toBe(303);
    expect(await theo.lines()).toHaveLength(4);
    const left = await theo.browser.get('/inbox');
    await assign('F-7', 'theo');
    // What has come since the page was made stays.
    expect((await sendForm(theo.browser, left, '/inbox')).status).toBe(303);
    expect(await theo.lines()).toEqual(['* F-7: API (test) assigned this to you']);
    expect((await theo.browser.post('/inbox', { do: 'done', all: 'soon' })).status).toBe(404);
  });

  it('a filter finds what newer changes cover, and ends only what it shows', async () => {
    await api.post(tickets, { ID: 'T-1' }).expect(201);
    for (const body of ['Sign, @theo@acme.test', 'fyi'])
      await api.post(`${tickets}/T-1/comments`, { body, performed_by: 'mina@acme.test' }).expect(201);
    await followed(setting);
    expect(await theo.lines()).toEqual(['* T-1: Mina mentioned you · 1 more']);
    const filtered = async (reason: string) =>
      texts(await theo.browser.get(`/inbox?reason=${reason}`), '.row-next');
    expect(await filtered('mentioned')).toEqual(['Mina mentioned you']);
    expect(await filtered('watching')).toEqual(['Mina commented']);
    const watching = await theo.browser.get('/inbox?reason=watching');
    expect(await sendForm(theo.browser, watching, '/inbox', { do: 'done' })).toMatchObject({ status: 303 });
    expect(await theo.lines()).toEqual(['* T-1: Mina mentioned you']);
    const [line = ''] = watching.html
      .querySelectorAll('.pick')
      .map((pick) => pick.getAttribute('value') ?? '');
    expect((await theo.browser.post('/inbox', { line, do: 'done', reason: 'watching' })).status).toBe(422);
    expect(await theo.count()).toBe(1);
    // Once the mention is read, the line names what is new.
    await theo.does('T-1', { do: 'read' });
    await api.post(`${tickets}/T-1/comments`, { body: 'more', performed_by: 'mina@acme.test' }).expect(201);
    await followed(setting);
    expect(await theo.lines()).toEqual(['* T-1: Mina commented · 1 more']);
  });

  it('a form for a line of another user changes nothing', async () => {
    await assign('T-1', 'theo');
    const [task = ''] = (await pageOf(api, 'T-1')).split('/').slice(-1);
    const ines = await setting.person('ines');
    const hers = await ines.browser.post('/inbox', { line: `tickets/${task}`, do: 'done' });
    expect(hers.status).toBe(422);
    for (const fields of [
      {},
      { do: 'done' },
      { line: `no/${task}`, do: 'done' },
      { line: `tickets/${task}`, do: 'x' },
    ])
      expect((await theo.browser.post('/inbox', fields)).status).toBe(404);
    expect((await theo.browser.get('/inbox?after=forged')).status).toBe(404);
    expect(await theo.count()).toBe(1);
  });

  describe('"access is checked when made, when read and when sent; what one no longer sees vanishes, from counts too"', () => {
    let ines: Person;
    beforeEach(async () => {
      ines = await setting.person('ines');
      await assign('T-1', 'ines');
      expect([(await ines.lines()).length, await ines.count()]).toEqual([1, 1]);
    });
    const nothing = async (): Promise<void> => {
      expect([await ines.lines(), await ines.count()]).toEqual([[], 0]);
    };

    it('a task that is now assigned to somebody else', async () => {
      await assign('T-1', 'theo');
      await nothing();
      await assign('T-1', 'ines');
      expect(await ines.count()).toBe(1);
    });

    it('a deleted task', async () => {
      await api.delete(`${tickets}/T-1`).expect(204);
      await nothing();
      await followed(setting);
      const { service, workspaceId } = setting;
      const left = await service.dataSource.query<object[]>(
        'SELECT FROM notifications WHERE workspace_id = $1 UNION ALL SELECT FROM watchers WHERE workspace_id = $1',
        [workspaceId],
      );
      expect(left).toEqual([]);
    });

    it('a workflow in which the user no longer has a role', async () => {
      const { service, slug } = setting;
      const member = '      - { email: ines@acme.test, role: own }\n';
      await service.apply(acme('', slug).replace(member, ''), { isPruning: true });
      await nothing();
    });
  });

  it('pages of fifty lines lead to each other', async () => {
    // More than fifty of one request would be one line.
    const rows = Array.from({ length: 60 }, (_, n) => ({ ID: `P-${n}`, 'Assigned To': 'theo@acme.test' }));
    for (const some of [rows.slice(0, 50), rows.slice(50)])
      await sendBatch(setting.service, setting.slug, tickets, some);
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

  it('`@` completes users who see the task, a few at a time', async () => {
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
});
