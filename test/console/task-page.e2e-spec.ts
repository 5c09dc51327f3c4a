import { type Answer, fieldsOf, follow, pageOf, servedTo, texts } from '../support/console.js';

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

const { service, api, mina, ines } = servedTo(['mina', 'ines'], acme);
const vendors = '/api/v1/workflows/vendors/tasks';

describe('the page of a task', () => {
  let path: string;
  let count = 0;

  beforeEach(async () => {
    path = await create({});
  });

  const uniqueId = (): string => `V-${count}`;
  async function create(values: object): Promise<string> {
    count += 1;
    return pageOf(await api.post(vendors, { 'Vendor ID': uniqueId(), Name: 'Harbour', ...values }));
  }
  const change = (values: object): Promise<unknown> =>
    api.send(vendors, { 'Vendor ID': uniqueId(), ...values });
  const task = (): Promise<Record<string, unknown>> => api.read(`${vendors}/${uniqueId()}`);

  const openForm = (name: string, browser = mina): Promise<Answer> =>
    browser.get(`${path}?edit=${encodeURIComponent(name)}`);
  /** Sends the open form of a field with these values, as a browser without scripts does. */
  function send({ html }: Answer, value: string | readonly string[], browser = mina): Promise<Answer> {
    const form = html.querySelector('.field form.entry:not(.missing)');
    const hidden = fieldsOf(form, 'input[type=hidden]');
    return browser.post(form?.getAttribute('action') ?? '', { ...hidden, value });
  }
  const enter = async (name: string, value: string | readonly string[], browser = mina): Promise<number> =>
    (await send(await openForm(name, browser), value, browser)).status;
  const shown = ({ html }: Answer): Record<string, string> =>
    Object.fromEntries(
      html
        .querySelectorAll('.field')
        .map((field) => [
          field.querySelector('.field-name')?.childNodes[0]?.text ?? '',
          field.querySelector('.field-value')?.text.trim() ?? '',
        ]),
    );
  /** What the control of an open form sends untouched, as a browser would: a textarea loses its first line break. */
  function heldBy({ html }: Answer): string[] {
    const form = html.querySelector('.field form.entry:not(.missing)');
    const text = form?.querySelector('textarea');
    if (text) return [text.text.replace(/^\n/, '').replace(/\r\n?|\n/g, '\r\n')];
    const inputs = form?.querySelectorAll('input:not([type=hidden]), input[name=value]') ?? [];
    return inputs
      .filter((input) => input.getAttribute('type') !== 'checkbox' || input.hasAttribute('checked'))
      .map((input) => input.getAttribute('value') ?? '');
  }

  // Rule: what a form cannot show it must not change.
  it.each([
    ['Met', '2026-03-31T12:34:56.789Z', ', seconds and milliseconds'],
    ['Met', '2026-10-25T01:30:15.000Z', ', the second of two equal clocks'],
    ['Notes', 'one\r\ntwo\rthree\n', ', line breaks of any kind'],
    ['Staff', '12345678901234567890123456789012345678', ', more digits than a browser counts with'],
    ['Regions', ['EMEA', 'APAC'], ''],
    ['Foreign', false, ''],
  ])('an untouched form of %s changes nothing: %j%s', async (name: string, value: unknown, _: string) => {
    await change({ [name]: value });
    const before = await api.get(`${vendors}/${uniqueId()}`).expect(200);
    const page = await openForm(name);
    expect((await send(page, heldBy(page))).status).toBe(303);
    const after = await api.get(`${vendors}/${uniqueId()}`).expect(200);
    expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']]);
  });

  it('shows and takes times in the time zone of its reader', async () => {
    const Met = '2026-03-31T12:34:00.000Z';
    path = await create({ Met, 'Assigned To': 'ines@acme.test' });
    const moveTo = (timeZone: string): Promise<Answer> => ines.post('/account/browser', { timeZone });
    const shownMet = async (): Promise<unknown> =>
      shown(await ines.get(path, { 'Accept-Language': 'de' }))['Met'];
    expect(await shownMet()).toBe('31 Mar 2026, 14:34');
    await moveTo('Asia/Tokyo');
    expect(await shownMet()).toBe('31 Mar 2026, 21:34');
    const form = await openForm('Met', ines);
    expect(heldBy(form)).toEqual(['2026-03-31T21:34', 'Asia/Tokyo']);
    await moveTo('America/New_York');
    // The form holds what it was made with, wherever its reader is by now.
    await send(form, heldBy(form), ines);
    expect((await task())['Met']).toBe(Met);
    await send(form, ['2026-03-31T22:34', 'Asia/Tokyo'], ines);
    expect((await task())['Met']).toBe('2026-03-31T13:34:00.000Z');
    await enter('Met', ['2026-03-31T10:34', 'Mars/Olympus'], ines);
    expect((await task())['Met']).toBe('2026-03-31T14:34:00.000Z');
    // A browser may know zones that this process does not.
    await service.dataSource.query(`UPDATE users SET time_zone = 'Mars/Olympus'`);
    expect(await shownMet()).toBe('31 Mar 2026, 16:34');
  });

  it("takes a value of each type from a form, and shows it in the reader's style", async () => {
    // By field: what is entered, what is stored, and what a German reader is shown.
    const values = {
      Name: ['Harbour & Sons', 'Harbour & Sons', 'Harbour & Sons'],
      Notes: ['One\r\nand two', 'One\nand two', expect.stringMatching(/^One\s+and two$/) as unknown],
      Staff: ['1234.5', '1234.5', '1.234,5'],
      Value: ['12500', '12500.00', '12.500,00'],
      Phone: ['+49 30 1234', '+49 30 1234', '+49 30 1234'],
      Due: ['2026-03-31', '2026-03-31', '31 Mar 2026'],
      Met: ['2026-07-01T18:00', '2026-07-01T16:00:00.000Z', '1 Jul 2026, 18:00'],
      Owner: ['theo@acme.test', 'theo@acme.test', 'TTheo'],
      Risk: ['High', 'High', 'High'],
      Regions: [['EMEA', 'APAC'], ['EMEA', 'APAC'], 'EMEAAPAC'],
      Foreign: ['true', true, 'Yes'],
      Mail: ['a@acme.test', 'a@acme.test', 'a@acme.test'],
      Site: ['https://acme.test/a', 'https://acme.test/a', 'https://acme.test/a'],
      'Assigned To': ['mina@acme.test', 'mina@acme.test', 'MMina'],
      Stage: ['In Review', 'In Review', 'In Review'],
    } as const;
    for (const [name, [entered]] of Object.entries(values))
      expect([name, await enter(name, entered)]).toEqual([name, 303]);
    const at = (index: 1 | 2): object =>
      Object.fromEntries(Object.entries(values).map(([name, each]) => [name, each[index]]));
    expect(await task()).toMatchObject(at(1));
    expect(shown(await mina.get(path, { 'Accept-Language': 'de' }))).toMatchObject(at(2));
    const blank = { Notes: null, Value: null, Met: null, Regions: [], Foreign: false, 'Assigned To': null };
    for (const name of Object.keys(blank)) expect([name, await enter(name, [])]).toEqual([name, 303]);
    expect(await task()).toMatchObject(blank);
  });

  it('does not overwrite what somebody else has entered meanwhile, unless the reader confirms', async () => {
    const form = await openForm('Notes');
    await change({ Staff: 3 });
    expect((await send(form, 'first')).status).toBe(303);
    await change({ Notes: 'theirs' });
    const conflict = await send(form, 'mine');
    expect([conflict.status, conflict.textOf('textarea[name=value]')]).toEqual([409, 'mine']);
    expect(conflict.textOf('.entry .notice')).toContain('theirs');
    for (const version of ['x', '', '-1', '1e300', '9'.repeat(30)]) {
      const { status } = await mina.post(path, { name: 'Notes', was: '"else"', version, value: 'mine' });
      expect([version, status]).toEqual([version, 409]);
    }
    expect(await task()).toMatchObject({ Notes: 'theirs', Staff: '3' });
    expect((await send(conflict, 'mine')).status).toBe(303);
    expect((await task())['Notes']).toBe('mine');
  });

  const upload = async (filename: string, bytes: string): Promise<Answer> =>
    mina.sendFile((await mina.get(path)).attributeOf('form.upload', 'action'), filename, bytes);

  it('says what an action needs, leads to the field, and performs the action when possible', async () => {
    const page = await mina.get(path);
    expect(texts(page, '#next-action li')).toEqual([
      'Value is required',
      'Contract is required',
      'Checklist must be completed 0 of 1 done',
      'Must be assigned',
    ]);
    const places = page.attributesOf('#next-action li a', 'href');
    const controls = places.map((place) => page.html.querySelector(place)?.tagName);
    expect(controls).toEqual(['INPUT', 'INPUT', 'SECTION', 'SELECT']);
    const tooEarly = await mina.post(`${path}/actions/start`);
    expect(tooEarly.textOf('.notice.bad')).toContain('Value is required');

    await enter('Value', '100');
    await enter('Assigned To', 'mina@acme.test');
    await upload('contract.txt', 'signed');
    const item = page.attributeOf('.item-tick', 'action');
    expect((await mina.post(item, { status: 'Completed' })).status).toBe(303);
    const ready = await mina.get(path);
    const opener = ready.attributeOf('#next-action button[command=show-modal]', 'commandfor');
    expect(ready.textOf(`dialog#${opener} h2`)).toBe('Really start?');
    const done = await follow(mina, await mina.post(`${path}/actions/start`));
    expect(done.textOf('.notice.good')).toBe('Start review: done');
    expect(done.textOf('.track [aria-current=step]')).toBe('In Review');
  });

  it('is assigned to its reader by one button', async () => {
    const form = (await mina.get(path)).html
      .querySelectorAll('form')
      .find(({ text }) => text.trim() === 'Assign to me');
    expect((await mina.post(form?.getAttribute('action') ?? '', fieldsOf(form))).status).toBe(303);
    expect((await task())['Assigned To']).toBe('mina@acme.test');
    expect((await mina.get(path)).text).not.toContain('Assign to me');
  });

  it.each([
    ['Approved', ['New', 'In Review', 'Approved'], 'Approved'],
    ['Rejected', ['New', 'In Review', 'Rejected (dropped)'], 'Rejected (dropped)'],
  ])('shows for a task in %s no other end stage on its track', async (Stage, track, current) => {
    await change({ Stage });
    const page = await mina.get(path);
    expect([texts(page, '.track li'), page.textOf('.track [aria-current=step]')]).toEqual([track, current]);
  });

  it('uploads, downloads and removes files', async () => {
    expect((await upload('a <b> & "c".txt', 'hello')).status).toBe(303);
    const page = await mina.get(path);
    expect(page.textOf('.files a')).toContain('a <b> & "c".txt');
    const { text, headers } = await mina.get(page.hrefOf('.files a'));
    expect([text, headers['content-disposition']]).toEqual(['hello', expect.stringContaining('attachment')]);
    const picture = { base64contents: 'eA==', contentType: 'image/png', filename: 'b.png' };
    await change({ Contract: [...((await task())['Contract'] as object[]), picture] });
    const ways = (await mina.get(path)).attributesOf('.files a:first-child', 'href');
    const shown = await Promise.all(ways.map((way) => mina.get(`${way}/picture`)));
    expect(shown.map((answer) => answer.headers['content-disposition']?.split(';')[0])).toEqual(['attachment', 'inline']); // prettier-ignore
    expect(shown.map((answer) => answer.headers['content-security-policy'])).toEqual([expect.stringMatching(/sandbox$/), expect.stringMatching(/sandbox$/)]); // prettier-ignore
    expect((await mina.post(page.attributeOf('.files form', 'action'))).status).toBe(303);
    expect(texts(await mina.get(path), '.files a:first-child')).toEqual(['b.png']);
  });

  it('links tasks, and names those that do not exist', async () => {
    await api.send('/api/v1/workflows/invoices/tasks', { 'Invoice ID': 'INV-1' });
    const link = (other: string, more = ''): Promise<Answer> =>
      mina.post(`${path}/links/Invoices${more}`, { other });
    expect((await link('INV-1')).status).toBe(303);
    expect((await mina.get(path)).textOf('.linked .row-title')).toBe('INV-1');
    const missing = await link('INV-9');
    expect([missing.status, missing.textOf('.add .fault')]).toEqual([422, expect.stringContaining('INV-9')]);
    expect((await link('INV-1', '/remove')).status).toBe(303);
    expect((await mina.get(path)).html.querySelector('.linked')).toBeNull();
  });

  it("adds checklist items and comments, under the reader's name", async () => {
    await mina.post(`${path}/checklist`, { title: 'Call them' });
    await mina.post(`${path}/comments`, { body: 'Well done' });
    const page = await mina.get(path);
    expect(texts(page, '#checklist .item-title')).toEqual(['Look it up', 'Call them']);
    expect(page.textOf('.time-line .comment')).toContain('Mina');
    const actor = { kind: 'user', id: 'mina@acme.test' };
    expect((await api.read<object[]>(`${vendors}/${uniqueId()}/history`)).slice(0, 2)).toMatchObject([
      { type: 'comment.created', data: { actor } },
      { type: 'checklist_item.created', data: { actor } },
    ]);
    const items = `${vendors}/${uniqueId()}/checklist_items`;
    const { id } = (await api.read<{ id: string; title: string }[]>(items)).find(({ title }) => title === 'Call them') ?? {}; // prettier-ignore
    await api.put(`${items}/${id}`, { title: 'Write to them' }).expect(200);
    const told = texts(await mina.get(path), '.time-line .happening');
    expect(told).toContainEqual(
      expect.stringMatching(/changed Write to them · title Call them → Write to them/),
    );
  });

  it('deletes the task for roles that may, unless the task has changed since it was shown', async () => {
    path = await create({ 'Assigned To': 'ines@acme.test' });
    const remove = (browser: typeof mina, version: string): Promise<Answer> =>
      browser.post(`${path}/delete`, { version });
    const version = (await mina.get(path)).attributeOf('.delete input', 'value');
    expect((await ines.get(path)).html.querySelector('.delete form')).toBeNull();
    expect((await remove(ines, version)).status).toBe(403);
    for (const stale of ['', '0', 'x']) expect((await remove(mina, stale)).status).toBe(409);
    expect((await remove(mina, version)).headers['location']).toBe('/workflows/vendors');
    expect((await mina.get(path)).status).toBe(404);
  });
});
