import { type Answer, fieldsOf, follow, servedTo, texts } from '../support/console.js';

const acme = `
workspace: { id: acme, name: Acme, timezone: Europe/Berlin }
users:
  - { email: mina@acme.test, first_name: Mina }
  - { email: ines@acme.test, first_name: Ines }
  - { email: otto@acme.test, first_name: Otto }
workflows:
  - id: claims
    name: Claims
    search: true
    stages: [{ name: New }, { name: Checked }, { name: Paid, enter: by_actions }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: Name, type: text, required: true }
      - { name: Amount, type: currency, min: 5 }
      - { name: Risk, type: singleSelect, options: [Low, High], default: Low }
      - { name: Regions, type: multipleSelect, options: [EMEA, APAC] }
      - { name: Foreign, type: checkbox }
      - { name: Met, type: datetime }
      - { name: Notes, type: longText }
    roles:
      - { id: all, name: All, admin: true }
      - { id: agent, name: Agent, sees: assigned }
      - { id: reader, name: Reader, creates: false, edits: none }
    members:
      - { email: mina@acme.test, role: all }
      - { email: ines@acme.test, role: agent }
      - { email: otto@acme.test, role: reader }
  - id: notes
    name: Notes
    stages: [{ name: Open }, { name: Read }]
    fields:
      - { name: Number, type: uniqueId }
      - { name: Subject, type: text }
      - { name: Copy, type: file, limit: 2 }
    actions:
      - { id: read, name: Mark read, stages: [Open], requirements: { required_fields: [Subject] }, steps: [{ name: Move, type: move_to_stage, stage: Read }] }
  - id: tickets
    name: Tickets
    stages: [{ name: Open }]
    fields: [{ name: Ticket, type: uniqueId, autoincrement: true }, { name: Subject, type: text }]
relationships:
  - { id: about, kind: many_to_many, from: { workflow: tickets, name: Claims }, to: { workflow: claims, name: Tickets } }
  - { id: repairs, kind: one_to_many, from: { workflow: claims, name: Repairs }, to: { workflow: tickets, name: Repaired } }
`;

const { api, mina, ines, otto } = servedTo(['mina', 'ines', 'otto'], acme);
const newClaim = '/workflows/claims/new';
const claims = '/api/v1/workflows/claims/tasks';

const read = (workflow: string, id: string): Promise<Record<string, unknown>> =>
  api.read(`/api/v1/workflows/${workflow}/tasks/${id}`);
const value = (page: Answer, name: string): string =>
  page.attributeOf(`.new-task input[name="${name}"]`, 'value');
const fault = (page: Answer, name: string): string => {
  const ids = page.attributeOf(`.new-task [name="${name}"]`, 'aria-describedby').split(' ');
  return ids.map((id) => page.textOf(`#${id}.fault`)).join('');
};

describe('the form of a new task', () => {
  it('asks for the required fields first, then stage and assignee, and folds the others; it holds the defaults', async () => {
    const page = await mina.get(newClaim);
    const labels = texts(page, '.control > label:first-child');
    expect(labels.slice(0, 4)).toEqual(['Name * required', 'Claim ID * required', 'Stage', 'Assigned To']);
    expect(page.textOf('.new-task > details:not([open]) summary')).toBe('More fields (8)');
    expect(texts(page, 'details .control > label:first-child')).toEqual(labels.slice(4));
    expect(texts(page, '.new-task option[selected]')).toEqual(['New', 'Low']);
    for (const way of ['', '/list'])
      expect((await mina.get(`/workflows/claims${way}`)).hrefOf('a.primary')).toBe(newClaim);
  });

  it('creates the task and leads to its page, only once however often the form is sent', async () => {
    const fields = {
      _key: value(await mina.get(newClaim), '_key'),
      'Claim ID': 'C-1',
      Name: 'A <b>',
      Amount: '12.5',
      Risk: '',
      Regions: ['APAC', 'EMEA'],
      Foreign: 'true',
      Met: '2026-07-01T18:00',
      Notes: 'one\r\ntwo',
      'Assigned To': 'ines@acme.test',
      Stage: 'Checked',
    };
    const [first, again] = [await mina.post(newClaim, fields), await mina.post(newClaim, fields)];
    expect([first.status, again.status]).toEqual([303, 303]);
    expect(again.headers['location']).toBe(first.headers['location']);
    expect((await follow(mina, first)).textOf('h1')).toBe('A <b>');
    const { _key, ...entered } = fields;
    expect(await read('claims', 'C-1')).toMatchObject({
      ...entered,
      Amount: '12.50',
      Risk: null,
      Regions: ['EMEA', 'APAC'],
      Foreign: true,
      Met: '2026-07-01T16:00:00.000Z',
      Notes: 'one\ntwo',
    });
  });

  it("shows the API's messages beside the fields, and keeps all input", async () => {
    const typed = {
      'Claim ID': 'C-2',
      Name: '',
      Amount: '1',
      Notes: '<i>kept</i>',
      Regions: 'APAC',
      Met: 'now',
    };
    const page = await mina.post(newClaim, typed);
    expect([page.status, ...['Name', 'Amount', 'Met'].map((name) => fault(page, name))]).toEqual([
      422,
      'is required',
      'must be at least 5',
      'is not a date and time in RFC 3339 format with an offset',
    ]);
    expect([value(page, 'Claim ID'), value(page, 'Amount')]).toEqual(['C-2', '1']);
    expect(page.textOf('textarea')).toBe('<i>kept</i>');
    expect(page.html.querySelector('input[value=APAC]')?.hasAttribute('checked')).toBe(true);
    await api.get(`${claims}/C-2`).expect(404);
  });

  it('does not change a task that already has the Unique ID', async () => {
    const taken = await mina.post(newClaim, { 'Claim ID': 'C-1', Name: 'Other' });
    expect([taken.status, fault(taken, 'Claim ID')]).toEqual([422, 'has already been taken']);
    expect(await read('claims', 'C-1')).toMatchObject({ Name: 'A <b>' });
  });

  it('is shown to roles that create tasks', async () => {
    expect((await otto.get(newClaim)).status).toBe(403);
    expect((await otto.post(newClaim, { 'Claim ID': 'C-9', Name: 'x' })).status).toBe(422);
    await api.get(`${claims}/C-9`).expect(404);
    expect((await otto.get('/workflows/claims')).html.querySelector('a[href$="/new"]')).toBeNull();
  });

  it('assigns the task to a reader who sees only their own tasks, unless the reader chooses otherwise', async () => {
    const assigned = (await ines.get(newClaim)).attributeOf('[name="Assigned To"] [selected]', 'value');
    expect(assigned).toBe('ines@acme.test');
    const form = { 'Claim ID': 'C-3', Name: 'x', 'Assigned To': 'mina@acme.test' };
    const gone = await follow(ines, await ines.post(newClaim, form));
    expect(gone.textOf('.notice.good')).toContain('The task was created');
    const own = { ...form, 'Claim ID': 'C-4', 'Assigned To': assigned };
    expect((await ines.post(newClaim, own)).status).toBe(303);
  });

  it('omits an optional Unique ID, or one that is numbered', async () => {
    const counted = await mina.post('/workflows/tickets/new', { Subject: 'Printer' });
    expect((await follow(mina, counted)).textOf('.crumbs')).toContain('1');
    expect((await mina.post('/workflows/tickets/new', { Subject: 'Desk', Ticket: '7' })).status).toBe(303);
    expect(await read('tickets', '7')).toMatchObject({ Subject: 'Desk' });
    expect((await mina.post('/workflows/notes/new', { Subject: 'Nameless' })).status).toBe(303);
  });

  it('takes files, and says after a refusal that files must be chosen again', async () => {
    expect((await mina.get('/workflows/notes/new')).attributeOf('.new-task', 'enctype')).toBe('multipart/form-data'); // prettier-ignore
    const page = await follow(mina, await mina.sendFile('/workflows/notes/new', 'a.txt', 'hello', 'Copy'));
    expect((await mina.get(page.hrefOf('.files a'))).text).toBe('hello');
    const strange = await mina.sendFile(newClaim, 'a.txt', 'hello', 'Notes');
    expect([strange.status, strange.text]).toEqual([422, expect.stringContaining('Choose the files again')]);
  });

  it('links the task to named tasks, and names those that do not exist', async () => {
    for (const id of ['Q-1', 'Q-2']) await api.send(claims, { 'Claim ID': id, Name: `Quay ${id} <b>` });
    const unknown = await mina.post('/workflows/tickets/new', { Ticket: '700', Claims: ' Q-0 ' });
    expect(unknown.textOf('#new-link-0-fault')).toBe('does not exist: Q-0');
    expect(value(unknown, 'Claims')).toBe(' Q-0 ');
    const fields = { Ticket: '701', Claims: 'Q-1', Repaired: 'Q-2' };
    expect((await mina.post('/workflows/tickets/new', fields)).status).toBe(303);
    expect(await read('tickets', '701')).toMatchObject({
      Claims: [{ 'Claim ID': 'Q-1' }],
      Repaired: { 'Claim ID': 'Q-2' },
    });
  });
});

it('a task without a Unique ID can be changed like other tasks', async () => {
  const { headers } = await mina.post('/workflows/notes/new', { Subject: '' });
  const path = headers['location'] ?? '';
  expect((await mina.post(`${path}/actions/read`)).textOf('.notice.bad')).toBe('Subject is required');
  const change = { name: 'Subject', was: 'null', version: '0', value: 'Now it has one' };
  const forms = { '': change, '/comments': { body: 'Look' }, '/checklist': { title: 'Read it' } };
  for (const [at, fields] of Object.entries(forms))
    expect([at, (await mina.post(path + at, fields)).status]).toEqual([at, 303]);
  expect((await mina.sendFile(`${path}/files/Copy`, 'a.txt', 'hello')).status).toBe(303);
  const done = await follow(mina, await mina.post(`${path}/actions/read`));
  expect([done.textOf('h1'), done.textOf('.notice.good')]).toEqual(['Now it has one', 'Mark read: done']);
  const board = await mina.get('/workflows/notes');
  const form = board.html.querySelectorAll('.move form').find(({ text }) => text.includes('Open'));
  expect((await mina.post('/workflows/notes/move', { ...fieldsOf(form), stage: 'Open' })).status).toBe(303);
  const moved = await mina.get(path);
  expect(moved.textOf('.track [aria-current]')).toBe('Open');
  const version = moved.attributeOf('.delete input', 'value');
  expect((await mina.post(`${path}/delete`, { version })).status).toBe(303);
  expect((await mina.get(path)).status).toBe(404);
});

it('a list is exported as it is shown: with its columns, filters and order, and without formulas', async () => {
  await api.send(claims, { 'Claim ID': 'E-1', Name: '=1+1', Amount: 7, Notes: 'export' });
  await api.send(claims, { 'Claim ID': 'E-2', Name: 'b, "c"', Amount: 9, Notes: 'export' });
  const list = await mina.get('/workflows/claims/list?Notes=export&_sort=-Amount&_fields=Amount,Claim ID');
  const { headers, text } = await mina.get(list.hrefOf('a[href*="/list/export"]'));
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename=claims.csv',
  });
  const lines = ['\ufeffClaim ID,Name,Amount', 'E-2,"b, ""c""",9.00', "E-1,'=1+1,7.00", ''];
  expect(text.split('\r\n')).toEqual(lines);
  const wrong = await mina.get('/workflows/claims/list/export?Colour=red');
  expect(wrong.headers['location']).toContain('/workflows/claims/list?Colour=red');
  expect((await ines.get('/workflows/claims/list/export')).text).not.toContain('E-1');
});

it('a task shows its last comments and events, and older ones by a link', async () => {
  const { headers } = await mina.post('/workflows/tickets/new', { Ticket: '100' });
  const path = headers['location'] ?? '';
  const tickets = '/api/v1/workflows/tickets/tasks';
  for (let n = 1; n <= 60; n += 1) await api.send(`${tickets}/100/comments`, { body: `No. ${n}` });
  for (let n = 1; n <= 51; n += 1) await api.send(tickets, { Ticket: '100', Subject: `S ${n}` });
  const firstAndLast = (page: Answer): unknown[] => {
    const bodies = texts(page, '.time-line .prose');
    return [bodies.length, bodies[0], bodies.at(-1)];
  };
  const page = await mina.get(path);
  expect(firstAndLast(page)).toEqual([50, 'No. 60', 'No. 11']);
  const [comments = '', history = ''] = page.attributesOf('turbo-frame > .more', 'href');
  const older = await mina.get(comments);
  expect(firstAndLast(older)).toEqual([10, 'No. 10', 'No. 1']);
  const frame = page.attributeOf('turbo-frame[id^=before-]', 'id');
  expect(older.html.querySelector(`turbo-frame#${frame} .comment`)).not.toBeNull();
  expect((await mina.get(history)).text).toContain('S 1<');
  expect((await mina.get(`${path}/history?before=x`)).status).toBe(404);
});

describe('the search', () => {
  const rows = async (query: string, browser = mina): Promise<string[]> =>
    texts(await browser.get(`/search?q=${query}`), '#found .row');
  beforeAll(async () => {
    const names = { 'S-1': 'Harbour crane <b>', 'S-2': 'Harbour ship', 'S-3': 'Airport' };
    for (const [id, Name] of Object.entries(names)) await api.send(claims, { 'Claim ID': id, Name });
    await api.send('/api/v1/workflows/tickets/tasks', { Ticket: '300', Subject: 'Harbour gate' });
    await api.send('/api/v1/workflows/notes/tasks', { Number: 'N-Beta', Subject: 'x' });
  });

  it('finds tasks by Unique ID in every workflow, and by words in workflows with search', async () => {
    expect(await rows('harb')).toEqual([
      'S-2 Harbour ship New',
      'S-1 Harbour crane <b> New',
      '300 Harbour gate Open',
    ]);
    expect(await rows('30')).toEqual(['300 Harbour gate Open']);
    expect(await rows('n-b')).toEqual(['N-Beta x Open']);
    expect((await rows('S-1'))[0]).toBe('S-1 Harbour crane <b> New');
    for (const words of ['crane', 'S-1']) expect(await rows(words, ines)).toEqual([]);
  });

  it.each([
    ['nothing+such', 'No task matches “nothing such”'],
    ['<script>alert(1)</script>', 'No task matches “&lt;script>'],
    ['a+b+c+d+e+f+g+h+i+j+k', 'contains more than 10 words'],
    ['%00', 'No task matches'],
  ])('says for %s: %s', async (query, text) => {
    const page = await mina.get(`/search?q=${query}`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(text)]);
  });

  it('shows only a few of many tasks', async () => {
    for (let at = 1; at <= 11; at += 1) await api.send(claims, { 'Claim ID': `M-${at}`, Name: 'Many' });
    expect(await rows('many')).toHaveLength(10);
    const more = (await mina.get('/search?q=many')).hrefOf('.group .more a');
    expect(more).toBe('/workflows/claims/list?_search=many');
  });
});

it('long texts and comments are shown as harmless Markdown, and the text itself is kept', async () => {
  const Notes =
    '# Plan\n\n- **one**\n- [two](https://acme.test) [x](javascript:alert(1)) ![y](https://evil.test/y.png)';
  const { headers } = await mina.post(newClaim, { 'Claim ID': 'T-1', Name: 'Text', Notes });
  const path = headers['location'] ?? '';
  await mina.post(`${path}/comments`, { body: 'Look at `this`' });
  const [notes, comment] = (await mina.get(path)).html.querySelectorAll('.prose');
  expect(comment?.innerHTML).toBe('<p>Look at <code>this</code></p>');
  expect(notes?.querySelector('strong')?.text).toBe('one');
  expect(notes?.querySelectorAll('a').map(({ attributes }) => attributes)).toMatchObject([
    { href: 'https://acme.test', rel: 'noopener noreferrer nofollow' },
    { href: 'https://evil.test/y.png', rel: 'noopener noreferrer nofollow' },
  ]);
  // What else could do harm: test/console/hostile.e2e-spec.ts.
  expect(notes?.querySelectorAll('img, h1')).toEqual([]);
  const long = `${'*a* '.repeat(49_000)}end`;
  await api.send(claims, { 'Claim ID': 'T-1', Notes: long });
  expect((await mina.get(path)).text).toContain(long);
});
