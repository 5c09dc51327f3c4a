import { type Answer, fieldsOf, openBrowser, pageOf, servedTo, signIn, texts } from '../support/console.js';

const acme = `
workspace: { id: acme, name: Acme, timezone: Europe/Berlin }
users:
  - { email: mina@acme.test, first_name: Mina }
  - { email: theo@acme.test, first_name: Theo }
  - { email: ines@acme.test, first_name: Ines }
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }, { name: In Review }, { name: Approved, end: true }, { name: Rejected, end: true, outcome: dropped }]
    fields:
      - { name: Vendor ID, type: uniqueId, required: true }
      - { name: Name, type: text, required: true }
      - { name: Notes, type: longText }
      - { name: Staff, type: number }
      - { name: Value, type: currency }
      - { name: Phone, type: phone }
      - { name: Due, type: date }
      - { name: Met, type: datetime }
      - { name: Owner, type: person }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Regions, type: multipleSelect, options: [EMEA, APAC] }
      - { name: Foreign, type: checkbox }
      - { name: Contract, type: file, limit: 2 }
      - { name: Mail, type: email }
      - { name: Site, type: url }
    checklist: [{ title: Look it up, stage: New }]
    roles:
      - { id: all, name: All, admin: true }
      - { id: agent, name: Agent, sees: assigned }
    members: [{ email: mina@acme.test, role: all }, { email: ines@acme.test, role: agent }]
    actions:
      - id: start
        name: Start review
        stages: [New]
        requirements: { required_fields: [Value, Contract], checklist: completed, assigned: true, confirmation: Really start? }
        steps: [{ name: Move, type: move_to_stage, stage: In Review }]
      - id: approve
        name: Approve
        stages: [In Review]
        steps: [{ name: Move, type: move_to_stage, stage: Approved }]
  - id: invoices
    name: Invoices
    stages: [{ name: Open }, { name: Paid, end: true }]
    fields: [{ name: Invoice ID, type: uniqueId, required: true }]
relationships:
  - { id: invoices, kind: one_to_many, from: { workflow: vendors, name: Invoices }, to: { workflow: invoices, name: Vendor } }
`;

describe('the page of a task', () => {
  const { service, api, mina } = servedTo(['mina'], acme);
  let path: string;
  let count = 0;

  beforeEach(async () => {
    path = await create({});
  });

  const uniqueId = (): string => `V-${count}`;
  /** Makes a task, and gives the path of its page. */
  async function create(values: object): Promise<string> {
    count += 1;
    const named = { 'Vendor ID': uniqueId(), Name: 'Harbour', ...values };
    return pageOf(await api.post('/api/v1/workflows/vendors/tasks', named));
  }
  const task = async (): Promise<Record<string, unknown>> => {
    const { body } = await api.get(`/api/v1/workflows/vendors/tasks/${uniqueId()}`);
    return body as Record<string, unknown>;
  };

  /** Opens the form of a key and sends it with these values, as a browser without scripts does. */
  async function enter(
    name: string,
    value: string | readonly string[],
    browser = mina,
    at = path,
  ): Promise<Answer> {
    const page = await browser.get(`${at}?edit=${encodeURIComponent(name)}`);
    return sendForm(page, value, browser);
  }
  function sendForm({ html }: Answer, value: string | readonly string[], browser = mina): Promise<Answer> {
    const form = html.querySelector('.field form.entry:not(.missing)');
    const hidden = fieldsOf(form, 'input[type=hidden]');
    return browser.post(form?.getAttribute('action') ?? '', { ...hidden, value });
  }
  const shown = (page: Answer): Record<string, string> =>
    Object.fromEntries(
      page.html
        .querySelectorAll('.field')
        .map((field) => [
          field.querySelector('.field-name')?.childNodes[0]?.text ?? '',
          field.querySelector('.field-value')?.text.trim() ?? '',
        ]),
    );

  // Rule: what a form cannot show it must not change.
  it.each([
    ['Met', '2026-03-31T12:34:56.789Z', ', seconds and milliseconds'],
    ['Met', '2026-10-25T01:30:15.000Z', ', the second of two equal clocks'],
    ['Notes', 'one\r\ntwo\rthree\n', ', line breaks of any kind'],
    ['Staff', '12345678901234567890123456789012345678', ', more digits than a browser counts with'],
    ['Regions', ['EMEA', 'APAC'], ''],
    ['Foreign', false, ''],
  ])(
    'the form of %s is sent as it came: %j stays%s, without a new version',
    async (name: string, value: unknown, _: string) => {
      const id = uniqueId();
      await api.put('/api/v1/workflows/vendors/tasks', { 'Vendor ID': id, [name]: value }).expect(200);
      const before = await api.get(`/api/v1/workflows/vendors/tasks/${id}`).expect(200);
      const page = await mina.get(`${path}?edit=${encodeURIComponent(name)}`);
      const saved = await sendForm(page, heldBy(page));
      expect(saved.status).toBe(303);
      const after = await api.get(`/api/v1/workflows/vendors/tasks/${id}`).expect(200);
      expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']]);
    },
  );

  it('shows and takes instants in the time zone of its reader', async () => {
    const Met = '2026-03-31T12:34:00.000Z';
    const at = await create({ Met, 'Assigned To': 'ines@acme.test' });
    const ines = await signIn(service, 'ines@acme.test');
    const page = () => ines.get(at, { 'Accept-Language': 'de' });
    expect(shown(await page())['Met']).toBe('31 Mar 2026, 14:34');
    await ines.post('/account/browser', { timeZone: 'Asia/Tokyo' });
    expect(shown(await page())['Met']).toBe('31 Mar 2026, 21:34');
    const titles = (await page()).html.querySelectorAll('#time-line time').map((time) => time.getAttribute('title')); // prettier-ignore
    expect(titles).toContainEqual(expect.stringMatching(/^\d{1,2} \w+ \d{4}, \d\d:\d\d$/));
    const editor = await ines.get(`${at}?edit=Met`);
    expect(heldBy(editor)).toEqual(['2026-03-31T21:34', 'Asia/Tokyo']);
    await ines.post('/account/browser', { timeZone: 'America/New_York' });
    // The form holds what it was made with, wherever its reader is by now.
    await sendForm(editor, heldBy(editor), ines);
    expect((await task())['Met']).toBe(Met);
    await sendForm(editor, ['2026-03-31T22:34', 'Asia/Tokyo'], ines);
    expect((await task())['Met']).toBe('2026-03-31T13:34:00.000Z');
    await enter('Met', ['2026-03-31T10:34', 'Mars/Olympus'], ines, at);
    expect((await task())['Met']).toBe('2026-03-31T14:34:00.000Z');
    // A browser may know zones that this process does not.
    await service.dataSource.query(
      `UPDATE users SET time_zone = 'Mars/Olympus' WHERE email = 'ines@acme.test'`,
    );
    expect(shown(await page())['Met']).toBe('31 Mar 2026, 16:34');
  });

  /** What the control of an open form sends untouched, as a browser would: a textarea loses its first line break. */
  function heldBy({ html }: Answer): string[] {
    const form = html.querySelector('.field form.entry:not(.missing)');
    const text = form?.querySelector('textarea');
    if (text) return [text.text.replace(/^\n/, '').replace(/\r\n?|\n/g, '\r\n')];
    const select = form?.querySelector('select');
    if (select) return [select.querySelector('option[selected]')?.getAttribute('value') ?? ''];
    const inputs = form?.querySelectorAll('input:not([type=hidden]), input[name=value]') ?? [];
    return inputs
      .filter((input) => input.getAttribute('type') !== 'checkbox' || input.hasAttribute('checked'))
      .map((input) => input.getAttribute('value') ?? '');
  }

  it('takes a value of each type as a form sends it, and shows it as its reader writes', async () => {
    const values: Record<string, string | readonly string[]> = {
      Name: 'Harbour & Sons',
      Notes: 'One\r\nand two',
      Staff: '1234.5',
      Value: '12500',
      Phone: '+49 30 1234',
      Due: '2026-03-31',
      Met: '2026-07-01T18:00',
      Owner: 'theo@acme.test',
      Risk: 'High',
      Regions: ['EMEA', 'APAC'],
      Foreign: 'true',
      Mail: 'a@acme.test',
      Site: 'https://acme.test/a',
      'Assigned To': 'mina@acme.test',
      Stage: 'In Review',
    };
    for (const [name, value] of Object.entries(values))
      expect([name, (await enter(name, value)).status]).toEqual([name, 303]);
    expect(await task()).toMatchObject({
      ...values,
      Notes: 'One\nand two',
      Value: '12500.00',
      Met: '2026-07-01T16:00:00.000Z',
      Foreign: true,
    });
    expect(shown(await mina.get(path, { 'Accept-Language': 'de' }))).toMatchObject({
      Name: 'Harbour & Sons',
      Staff: '1.234,5',
      Value: '12.500,00',
      Due: '31 Mar 2026',
      Met: '1 Jul 2026, 18:00',
      Owner: 'TTheo',
      Regions: 'EMEAAPAC',
      Foreign: 'Yes',
      Stage: 'In Review',
    });
    for (const name of ['Notes', 'Value', 'Met', 'Regions', 'Foreign', 'Assigned To'])
      expect([name, (await enter(name, [])).status]).toEqual([name, 303]);
    const blank = { Notes: null, Value: null, Met: null, Regions: [], Foreign: false, 'Assigned To': null };
    expect(await task()).toMatchObject(blank);
  });

  it('overwrites nothing that somebody else has entered meanwhile, unless it is said to', async () => {
    const form = await mina.get(`${path}?edit=Notes`);
    await api.put('/api/v1/workflows/vendors/tasks', { 'Vendor ID': uniqueId(), Notes: 'theirs' });
    const conflict = await sendForm(form, 'mine');
    expect([conflict.status, conflict.html.querySelector('.entry .notice')?.text]).toEqual([
      409,
      expect.stringContaining('theirs'),
    ]);
    expect(conflict.html.querySelector('textarea[name=value]')?.text.trim()).toBe('mine');
    expect((await task())['Notes']).toBe('theirs');
    expect((await sendForm(conflict, 'mine')).status).toBe(303);
    expect((await task())['Notes']).toBe('mine');
  });

  it('takes no version that is none for one', async () => {
    for (const version of ['x', '', '-1', '1e300', '9'.repeat(30)])
      expect([version, (await mina.post(path, { name: 'Notes', was: '"else"', version, value: 'mine' })).status]).toEqual([version, 409]); // prettier-ignore
  });

  it('takes an entry where others have changed something else', async () => {
    const form = await mina.get(`${path}?edit=Notes`);
    await api.put('/api/v1/workflows/vendors/tasks', { 'Vendor ID': uniqueId(), Staff: 3 });
    expect((await sendForm(form, 'mine')).status).toBe(303);
    expect(await task()).toMatchObject({ Notes: 'mine', Staff: '3' });
  });

  it('says what an action still needs, asks for it once and where it stands, and does it once it can', async () => {
    const page = await mina.get(path);
    expect(texts(page, '#next-action li')).toEqual([
      'Value is required',
      'Contract is required',
      'Checklist must be completed 0 of 1 done',
      'Must be assigned',
    ]);
    const places = page.html
      .querySelectorAll('#next-action li a')
      .map((link) => link.getAttribute('href') ?? '');
    const shown = places.map((place) => page.html.querySelector(place));
    expect(shown.map((place) => place?.tagName)).toEqual(['INPUT', 'INPUT', 'SECTION', 'SELECT']);
    expect(
      page.html.querySelectorAll('#next-action :is(input:not([type=hidden]), select, textarea)'),
    ).toEqual([]);
    expect(page.html.querySelectorAll('[role=checkbox], input[type=file]')).toHaveLength(2);

    const tooEarly = await mina.post(`${path}/actions/start`);
    expect([tooEarly.status, tooEarly.html.querySelector('.notice.bad')?.text]).toEqual([
      422,
      expect.stringContaining('Value is required'),
    ]);

    await enter('Value', '100');
    await enter('Assigned To', 'mina@acme.test');
    await upload('contract.txt', 'signed');
    const item = page.html.querySelector('.item-tick')?.getAttribute('action') ?? '';
    expect((await mina.post(item, { status: 'Completed' })).status).toBe(303);

    const ready = await mina.get(path);
    const opener = ready.html
      .querySelector('#next-action button[command=show-modal]')
      ?.getAttribute('commandfor');
    expect(ready.html.querySelector(`dialog#${opener ?? ''} h2`)?.text).toBe('Really start?');
    const { headers } = await mina.post(`${path}/actions/start`);
    const done = await mina.get(headers['location'] ?? '');
    expect(done.html.querySelector('.notice.good')?.text).toBe('Start review: done');
    expect(done.html.querySelector('.track [aria-current=step]')?.text).toBe('In Review');
    expect((await task())['Stage']).toBe('In Review');
  });

  it('offers a way past the navigation to its actions only where it has some', async () => {
    const without = pageOf(
      await api.post('/api/v1/workflows/invoices/tasks', { 'Invoice ID': `I-${count}` }),
    );
    for (const [at, ways] of [
      [path, ['#content', '#next-action']],
      [without, ['#content']],
    ] as const) {
      const { html } = await mina.get(at);
      const found = html.querySelectorAll('.skip').map((way) => way.getAttribute('href') ?? '');
      expect([found, found.every((way) => html.querySelector(way) !== null)]).toEqual([ways, true]);
    }
  });

  it('marks the stage of a dropped task on its track, which has passed none of the other ends', async () => {
    const trackIn = async (stage: string): Promise<string[][]> => {
      await api
        .post('/api/v1/workflows/vendors/tasks', { 'Vendor ID': uniqueId(), Stage: stage })
        .expect(200);
      const page = await mina.get(path);
      return [texts(page, '.track li'), texts(page, '.track [aria-current=step]')];
    };
    expect(await trackIn('Approved')).toEqual([['New', 'In Review', 'Approved'], ['Approved']]);
    expect(await trackIn('Rejected')).toEqual([
      ['New', 'In Review', 'Rejected (dropped)'],
      ['Rejected (dropped)'],
    ]);
  });

  async function upload(filename: string, bytes: string): Promise<Answer> {
    const page = await mina.get(path);
    return mina.sendFile(
      page.html.querySelector('form.upload')?.getAttribute('action') ?? '',
      filename,
      bytes,
    );
  }

  it('takes files, gives them back, and lets them go', async () => {
    expect((await upload('a <b> & "c".txt', 'hello')).status).toBe(303);
    const page = await mina.get(path);
    const link = page.html.querySelector('.files a');
    expect(link?.text).toContain('a <b> & "c".txt');
    const file = await mina.get(link?.getAttribute('href') ?? '');
    expect([file.status, file.text, file.headers['content-disposition']]).toEqual([
      200,
      'hello',
      expect.stringContaining('attachment'),
    ]);
    const remove = page.html.querySelector('.files form')?.getAttribute('action') ?? '';
    expect((await mina.post(remove)).status).toBe(303);
    expect((await mina.get(path)).html.querySelector('.files a')).toBeNull();
  });

  it('links tasks, and says which there is not', async () => {
    await api.post('/api/v1/workflows/invoices/tasks', { 'Invoice ID': 'INV-1' });
    expect((await mina.post(`${path}/links/Invoices`, { other: 'INV-1' })).status).toBe(303);
    const page = await mina.get(path);
    expect(page.html.querySelector('.linked .row-title')?.text).toBe('INV-1');
    const missing = await mina.post(`${path}/links/Invoices`, { other: 'INV-9' });
    expect([missing.status, missing.html.querySelector('.add .fault')?.text]).toEqual([
      422,
      expect.stringContaining('INV-9'),
    ]);
    expect((await mina.post(`${path}/links/Invoices/remove`, { other: 'INV-1' })).status).toBe(303);
    expect((await mina.get(path)).html.querySelector('.linked')).toBeNull();
  });

  it('adds to the checklist and to the talk, under the name of who does', async () => {
    await mina.post(`${path}/checklist`, { title: 'Call them' });
    await mina.post(`${path}/comments`, { body: 'Well done' });
    const page = await mina.get(path);
    expect(page.html.querySelectorAll('#checklist .item-title').map(({ text }) => text)).toEqual([
      'Look it up',
      'Call them',
    ]);
    expect(page.html.querySelector('.time-line .comment')?.text).toContain('Mina');
    const { body } = await api.get(`/api/v1/workflows/vendors/tasks/${uniqueId()}/history`);
    const actors = (body as { type: string; data: { actor: object } }[]).map(({ type, data }) => [
      type,
      data.actor,
    ]);
    expect(actors.slice(0, 2)).toEqual([
      ['comment.created', { kind: 'user', id: 'mina@acme.test' }],
      ['checklist_item.created', { kind: 'user', id: 'mina@acme.test' }],
    ]);
  });

  it('deletes the task for roles that may, unless it has changed since it was seen', async () => {
    const at = await create({ 'Assigned To': 'ines@acme.test' });
    const ines = await signIn(service, 'ines@acme.test');
    const form = (page: Answer): string | undefined =>
      page.html.querySelector('.delete form[action]')?.getAttribute('action');
    const seen = await mina.get(at);
    const version = seen.html.querySelector('.delete input')?.getAttribute('value') ?? '';
    expect([form(seen), form(await ines.get(at))]).toEqual([`${at}/delete`, undefined]);
    expect((await ines.post(`${at}/delete`, { version })).status).toBe(403);
    for (const stale of ['', '0', 'x'])
      expect((await mina.post(`${at}/delete`, { version: stale })).status).toBe(409);
    const gone = await mina.post(`${at}/delete`, { version });
    expect([gone.status, gone.headers['location'], (await mina.get(at)).status]).toEqual([
      303,
      '/workflows/vendors',
      404,
    ]);
  });

  it('is in the side bar and there for its members alone', async () => {
    const theo = await signIn(service, 'theo@acme.test');
    expect((await theo.get(path)).status).toBe(404);
    const places = (await theo.get('/')).html.querySelectorAll('.place span').map(({ text }) => text);
    expect(places).toEqual(['My tasks', 'Inbox', 'Figures', 'Invoices']);
  });

  it('is a page where there is no such task, for who is signed in', async () => {
    for (const nowhere of ['/workflows/vendors/tasks/none', '/workflows/none/tasks/none', `${path}x`]) {
      const { status, html } = await mina.get(nowhere);
      expect([nowhere, status, html.querySelector('h1, .empty-title')?.text]).toEqual([
        nowhere,
        404,
        'Page not found',
      ]);
    }
    expect((await openBrowser(service).get(path)).status).toBe(401);
  });
});
