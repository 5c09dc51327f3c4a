import { type Answer, fieldsOf, servedTo, signIn } from '../support/console.js';

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

describe('the pages by which people work', () => {
  const { service, api, mina } = servedTo(['mina'], acme);

  const read = async (workflow: string, id: string): Promise<Record<string, unknown>> =>
    (await api.get(`/api/v1/workflows/${workflow}/tasks/${encodeURIComponent(id)}`)).body as Record<string, unknown>; // prettier-ignore
  const value = ({ html }: Answer, name: string): string | undefined =>
    html.querySelector(`.new-task input[name="${name}"]`)?.getAttribute('value');
  const fault = ({ html }: Answer, name: string): string | undefined => {
    const ids = html.querySelector(`.new-task [name="${name}"]`)?.getAttribute('aria-describedby') ?? '';
    return ids.split(' ').flatMap((id) => html.querySelector(`#${id}.fault`)?.text ?? []).join(); // prettier-ignore
  };

  describe('the form of a new task', () => {
    it('asks for what is required first, then stage and assignee, and folds all else; it holds the defaults', async () => {
      const page = await mina.get('/workflows/claims/new');
      const labels = page.html.querySelectorAll('.control > label:first-child').map(({ text }) => text);
      expect(labels).toEqual(['Name *required', 'Claim ID *required', 'Stage', 'Assigned To', 'Amount', 'Risk', 'Regions', 'Foreign', 'Met', 'Notes', 'Tickets', 'Repairs']); // prettier-ignore
      const more = page.html.querySelector('.more-fields');
      expect([more?.querySelector('summary')?.text, more?.hasAttribute('open')]).toEqual(['More fields (8)', false]); // prettier-ignore
      expect(more?.querySelectorAll('.control > label:first-child').map(({ text }) => text)).toEqual(labels.slice(4)); // prettier-ignore
      const chosen = page.html.querySelectorAll('.new-task option[selected]').map(({ text }) => text);
      expect(chosen).toEqual(['New', 'Low']);
      for (const way of ['', '/list']) {
        const { html } = await mina.get(`/workflows/claims${way}`);
        expect(html.querySelector('a.primary')?.getAttribute('href')).toBe('/workflows/claims/new');
      }
    });

    it('creates the task and leads to its page, once however often it is sent', async () => {
      const fields = {
        _key: value(await mina.get('/workflows/claims/new'), '_key') ?? '',
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
      const first = await mina.post('/workflows/claims/new', fields);
      const again = await mina.post('/workflows/claims/new', fields);
      expect([first.status, again.status]).toEqual([303, 303]);
      expect(again.headers['location']).toBe(first.headers['location']);
      expect((await mina.get(first.headers['location'] ?? '')).html.querySelector('h1')?.text).toBe('A <b>');
      expect(await read('claims', 'C-1')).toMatchObject({
        Name: 'A <b>',
        Amount: '12.50',
        Risk: null,
        Regions: ['EMEA', 'APAC'],
        Foreign: true,
        Met: '2026-07-01T16:00:00.000Z',
        Notes: 'one\ntwo',
        'Assigned To': 'ines@acme.test',
        Stage: 'Checked',
      });
    });

    it("says the API's messages beside the fields, and keeps all that was typed", async () => {
      const typed = {
        'Claim ID': 'C-2',
        Name: '',
        Amount: '1',
        Notes: '<i>kept</i>',
        Regions: 'APAC',
        Met: 'now',
      };
      const page = await mina.post('/workflows/claims/new', typed);
      expect([page.status, fault(page, 'Name'), fault(page, 'Amount'), fault(page, 'Met')]).toEqual([
        422,
        'is required',
        'must be at least 5',
        'is not a date and time in RFC 3339 format with an offset',
      ]);
      expect([value(page, 'Claim ID'), value(page, 'Amount')]).toEqual(['C-2', '1']);
      expect(page.html.querySelector('textarea')?.text.trim()).toBe('<i>kept</i>');
      expect(page.html.querySelector('input[value=APAC]')?.hasAttribute('checked')).toBe(true);
      expect((await api.get('/api/v1/workflows/claims/tasks/C-2')).status).toBe(404);
    });

    it('leads on to another one where that is wanted, and says which was created', async () => {
      const form = { _key: 'k', 'Claim ID': 'C-5', Name: 'Fifth', Stage: 'New' };
      const sent = await mina.post('/workflows/claims/new', { ...form, _then: 'another' });
      expect(sent.status).toBe(303);
      const next = await mina.get(sent.headers['location'] ?? '');
      expect(next.html.querySelector('.notice.good a')?.text).toBe('Fifth was created');
      const path = next.html.querySelector('.notice.good a')?.getAttribute('href') ?? '';
      expect((await mina.get(path)).html.querySelector('h1')?.text).toBe('Fifth');
      expect(value(next, 'Claim ID')).toBe('');
      // The same form sent by the other button creates no second task.
      expect((await mina.post('/workflows/claims/new', form)).headers['location']).toBe(path);
    });

    it('changes no task that has the Unique ID already', async () => {
      const taken = await mina.post('/workflows/claims/new', { 'Claim ID': 'C-1', Name: 'Other' });
      expect([taken.status, fault(taken, 'Claim ID')]).toEqual([422, 'has already been taken']);
      expect(await read('claims', 'C-1')).toMatchObject({ Name: 'A <b>' });
    });

    it('is for roles that create tasks', async () => {
      const otto = await signIn(service, 'otto@acme.test');
      expect((await otto.get('/workflows/claims/new')).status).toBe(403);
      expect((await otto.post('/workflows/claims/new', { 'Claim ID': 'C-9', Name: 'x' })).status).toBe(422);
      expect((await api.get('/api/v1/workflows/claims/tasks/C-9')).status).toBe(404);
      expect((await otto.get('/workflows/claims')).html.querySelector('a[href$="/new"]')).toBeNull();
    });

    it('gives a task to who sees only their own, unless they say otherwise, and then says where it went', async () => {
      const ines = await signIn(service, 'ines@acme.test');
      const page = await ines.get('/workflows/claims/new');
      expect(page.html.querySelector('[name="Assigned To"] [selected]')?.getAttribute('value')).toBe('ines@acme.test'); // prettier-ignore
      const gone = await ines.post('/workflows/claims/new', { 'Claim ID': 'C-3', Name: 'x', 'Assigned To': 'mina@acme.test' }); // prettier-ignore
      expect([gone.status, gone.html.querySelector('h1')?.text]).toEqual([200, 'C-3 was created']);
      const { status } = await ines.post('/workflows/claims/new', { 'Claim ID': 'C-4', Name: 'x', 'Assigned To': 'ines@acme.test' }); // prettier-ignore
      expect(status).toBe(303);
    });

    it('leaves a Unique ID out where it may be, or lets it be counted', async () => {
      const { status, headers } = await mina.post('/workflows/tickets/new', { Subject: 'Printer' });
      expect(status).toBe(303);
      expect((await mina.get(headers['location'] ?? '')).html.querySelector('.crumbs')?.text).toContain('1');
      expect((await mina.post('/workflows/tickets/new', { Subject: 'Desk', Ticket: '7' })).status).toBe(303);
      expect(await read('tickets', '7')).toMatchObject({ Subject: 'Desk' });
      expect((await mina.post('/workflows/notes/new', { Subject: 'Nameless' })).status).toBe(303);
    });

    it('takes files, which an API would take, too, and says that they are to be chosen again where it refuses', async () => {
      const form = (await mina.get('/workflows/notes/new')).html.querySelector('.new-task');
      expect(form?.getAttribute('enctype')).toBe('multipart/form-data');
      const sent = await mina.sendFile('/workflows/notes/new', 'a.txt', 'hello', 'Copy');
      expect(sent.status).toBe(303);
      const page = await mina.get(sent.headers['location'] ?? '');
      expect((await mina.get(page.html.querySelector('.files a')?.getAttribute('href') ?? '')).text).toBe(
        'hello',
      );
      const strange = await mina.sendFile('/workflows/claims/new', 'a.txt', 'hello', 'Notes');
      expect([strange.status, strange.text.includes('Choose the files again')]).toEqual([422, true]);
      const headers = { 'Content-Type': 'multipart/form-data; boundary=x', 'Sec-Fetch-Site': 'same-origin' };
      expect((await mina.post('/workflows/notes/new', { a: 'b' }, headers)).status).toBe(400);
    });

    it('holds at first what its address says', async () => {
      const page = await mina.get('/workflows/claims/new?Name=%3Cb%3E&Stage=Checked&Colour=red');
      expect([page.status, value(page, 'Name')]).toEqual([200, '<b>']);
      expect(page.html.querySelector('[name=Stage] [selected]')?.text).toBe('Checked');
    });
  });

  it('links a new task to those that are named, found or chosen, and says which there is not', async () => {
    for (const id of ['Q-1', 'Q-2'])
      await api.post('/api/v1/workflows/claims/tasks', { 'Claim ID': id, Name: `Quay ${id} <b>` });
    const form = await mina.get('/workflows/tickets/new?Claims=Q-1');
    const ticked = ({ html }: Answer): (string | undefined)[] =>
      html.querySelectorAll('.chosen input[checked]').map((box) => box.getAttribute('value'));
    expect(ticked(form)).toEqual(['Q-1']);
    const at = form.html.querySelector('[data-finder-url-value]')?.getAttribute('data-finder-url-value');
    const found = await mina.get(`${at ?? ''}?q=quay`);
    const frame = form.html.querySelector('.found')?.getAttribute('id') ?? '';
    const buttons = found.html.querySelectorAll(`turbo-frame#${frame} button[name=chosen]`);
    expect(buttons.map((button) => button.getAttribute('value'))).toEqual(['Q-2', 'Q-1']);

    const several = await mina.post('/workflows/tickets/new', { Repaired: ['Q-1', 'Q-2'] });
    expect(several.html.querySelector('#new-link-1-fault')?.text).toContain(
      'is not an object that names a task',
    );
    const unknown = await mina.post('/workflows/tickets/new', { Ticket: '700', Claims: ['Q-1', ' Q-0 '] });
    expect([unknown.status, unknown.html.querySelector('#new-link-0-fault')?.text, ticked(unknown)]).toEqual([422, 'does not exist: Q-0', ['Q-1', 'Q-0']]); // prettier-ignore
    const fields = { Ticket: '701', Claims: ['Q-1', 'Q-2', ''], Repaired: ['', 'Q-2'] };
    expect((await mina.post('/workflows/tickets/new', fields)).status).toBe(303);
    const { Claims, Repaired } = await read('tickets', '701');
    expect([Claims, Repaired]).toMatchObject([[{ 'Claim ID': 'Q-1' }, { 'Claim ID': 'Q-2' }], { 'Claim ID': 'Q-2' }]); // prettier-ignore

    const [ines, otto] = [await signIn(service, 'ines@acme.test'), await signIn(service, 'otto@acme.test')];
    expect((await ines.get(`${at ?? ''}?q=quay`)).html.querySelectorAll('button')).toHaveLength(0);
    expect((await otto.get('/workflows/claims/new/links/Tickets?q=7')).status).toBe(403);
    for (const name of ['Subject', 'none'])
      expect((await mina.get(`/workflows/tickets/new/links/${name}?q=7`)).status).toBe(404);
  });

  it('a task without a Unique ID is changed as all others are', async () => {
    const { headers } = await mina.post('/workflows/notes/new', { Subject: '' });
    const path = headers['location'] ?? '';
    const refused = await mina.post(`${path}/actions/read`);
    expect(refused.html.querySelector('.notice.bad')?.text).toBe('Subject is required');
    const change = { name: 'Subject', was: 'null', version: '0', value: 'Now it has one' };
    expect((await mina.post(path, change)).status).toBe(303);
    expect((await mina.post(`${path}/comments`, { body: 'Look' })).status).toBe(303);
    expect((await mina.post(`${path}/checklist`, { title: 'Read it' })).status).toBe(303);
    const item = (await mina.get(path)).html.querySelector('.item-tick')?.getAttribute('action') ?? '';
    expect((await mina.post(item, { status: 'Completed' })).status).toBe(303);
    expect((await mina.sendFile(`${path}/files/Copy`, 'a.txt', 'hello')).status).toBe(303);
    const page = await mina.get(path);
    const file = page.html.querySelector('.files form')?.getAttribute('action') ?? '';
    expect((await mina.post(file)).status).toBe(303);
    const move = page.html.querySelector('.item-tick button')?.getAttribute('aria-checked');
    expect([page.html.querySelector('h1')?.text, move]).toEqual(['Now it has one', 'true']);
    const done = await mina.get((await mina.post(`${path}/actions/read`)).headers['location'] ?? '');
    expect(done.html.querySelector('.notice.good')?.text).toBe('Mark read: done');
    const stale = { name: 'Subject', was: '"?"', version: '1', value: 'Too late' };
    expect((await mina.post(path, stale)).status).toBe(409);
    const board = await mina.get('/workflows/notes');
    const form = board.html.querySelectorAll('.move form').find(({ text }) => text.includes('Open'));
    expect((await mina.post('/workflows/notes/move', { ...fieldsOf(form), stage: 'Open' })).status).toBe(303);
    const last = await mina.get(path);
    expect(last.html.querySelector('.track [aria-current]')?.text).toBe('Open');
    const version = last.html.querySelector('.delete input')?.getAttribute('value') ?? '';
    expect((await mina.post(`${path}/delete`, { version })).status).toBe(303);
    expect((await mina.get(path)).status).toBe(404);
  });

  it('a list is exported as it is shown: its columns, filters and order, no formula among them', async () => {
    for (const [id, Name, Amount] of [
      ['E-1', '=1+1', 7],
      ['E-2', 'b, "c"', 9],
    ] as const)
      // prettier-ignore
      await api.post('/api/v1/workflows/claims/tasks', { 'Claim ID': id, Name, Amount, Notes: 'export' });
    const query = '?Notes=export&_sort=-Amount&_fields=Amount,Claim ID';
    const list = await mina.get(`/workflows/claims/list${query}`);
    expect(list.html.querySelectorAll('th').map((head) => head.getAttribute('aria-sort'))).toEqual([undefined, undefined, 'descending']); // prettier-ignore
    const link = list.html.querySelector('a[href*="/list/export"]')?.getAttribute('href') ?? '';
    const { status, headers, text } = await mina.get(link.replaceAll('&amp;', '&'));
    expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'attachment; filename=claims.csv',
    ]);
    expect(text.replace('\ufeff', '').split('\r\n')).toEqual([
      'Claim ID,Name,Amount',
      'E-2,"b, ""c""",9.00',
      "E-1,'=1+1,7.00",
      '',
    ]);
    const wrong = await mina.get('/workflows/claims/list/export?Colour=red');
    expect([wrong.status, wrong.headers['location']]).toEqual([303, expect.stringContaining('/workflows/claims/list?Colour=red')]); // prettier-ignore
    const ines = await signIn(service, 'ines@acme.test');
    expect((await ines.get('/workflows/claims/list/export')).text).not.toContain('E-1');
  });

  it('shows the last comments and events, and the older ones behind a link', async () => {
    const { headers } = await mina.post('/workflows/tickets/new', { Ticket: '100' });
    const path = headers['location'] ?? '';
    for (let at = 1; at <= 60; at += 1)
      await api.post('/api/v1/workflows/tickets/tasks/100/comments', { body: `No. ${at}` });
    for (let at = 1; at <= 51; at += 1)
      await api.put('/api/v1/workflows/tickets/tasks', { Ticket: '100', Subject: `S ${at}` });
    const bodies = ({ html }: Answer): string[] => html.querySelectorAll('.time-line .prose').map(({ text }) => text); // prettier-ignore
    const page = await mina.get(path);
    expect([bodies(page).length, bodies(page)[0], bodies(page).at(-1)]).toEqual([50, 'No. 60', 'No. 11']);
    const [comments, history] = page.html.querySelectorAll('turbo-frame > .more').map((link) => link.getAttribute('href') ?? ''); // prettier-ignore
    const older = await mina.get(comments ?? '');
    expect([older.status, bodies(older)[0], bodies(older).at(-1)]).toEqual([200, 'No. 10', 'No. 1']);
    const frame = page.html.querySelector('turbo-frame[id^=before-]')?.getAttribute('id') ?? '';
    expect(older.html.querySelector(`turbo-frame#${frame} .comment`)).not.toBeNull();
    const before = await mina.get(history ?? '');
    expect([before.status, before.text.includes('S 1<')]).toEqual([200, true]);
    expect((await mina.get(`${path}/history?before=x`)).status).toBe(404);
    expect((await mina.get(`${path}/comments?before=x`)).status).toBe(200);
  });

  describe('the search', () => {
    const rows = ({ html }: Answer): string[] => html.querySelectorAll('.row').map((row) => row.querySelectorAll('.row-id, .row-title').map(({ text }) => text).filter(Boolean).join(' ')); // prettier-ignore
    beforeAll(async () => {
      for (const [id, Name] of [
        ['S-1', 'Harbour crane <b>'],
        ['S-2', 'Harbour ship'],
        ['S-3', 'Airport'],
      ] as const)
        // prettier-ignore
        await api.post('/api/v1/workflows/claims/tasks', { 'Claim ID': id, Name });
      await api.post('/api/v1/workflows/tickets/tasks', { Ticket: '300', Subject: 'Harbour gate' });
    });

    it('finds tasks by Unique ID in every workflow, and by words where they are searched', async () => {
      const page = await mina.get('/search?q=harb');
      expect([page.status, rows(page)]).toEqual([
        200,
        ['S-2 Harbour ship', 'S-1 Harbour crane <b>', '300 Harbour gate'],
      ]);
      expect(page.html.querySelector('h2[id^=found]')?.text).toBe('Claims');
      expect(rows(await mina.get('/search?q=30'))).toEqual(['300 Harbour gate']);
      await api.post('/api/v1/workflows/notes/tasks', { Number: 'N-Beta', Subject: 'x' });
      expect(rows(await mina.get('/search?q=n-b'))).toEqual(['N-Beta x']);
      expect(rows(await mina.get('/search?q=S-1'))[0]).toBe('S-1 Harbour crane <b>');
      expect(page.html.querySelector('turbo-frame .small')?.text).toContain('Tickets');
      expect((await mina.get('/')).html.querySelector('form[action="/search"] input[name=q]')).not.toBeNull();
    });

    it('says that there is nothing, or why it cannot look, and shows no more than a few of many', async () => {
      for (const [query, text] of [
        ['nothing+such', 'No task matches “nothing such”'],
        ['--', 'contains no word'],
        ['<script>alert(1)</script>', 'No task matches “&lt;script>'],
        ['a+b+c+d+e+f+g+h+i+j+k', 'contains more than 10 words'],
        ['x'.repeat(300), 'is longer than 200 characters'],
        ['%00', 'No task matches'],
      ] as const) {
        // prettier-ignore
        const { status, text: page } = await mina.get(`/search?q=${query}`);
        expect([query, status, page.includes(text)]).toEqual([query, 200, true]);
      }
      for (let at = 1; at <= 11; at += 1)
        await api.post('/api/v1/workflows/claims/tasks', { 'Claim ID': `M-${at}`, Name: 'Many' });
      const many = await mina.get('/search?q=many');
      expect(rows(many).length).toBe(10);
      expect(many.html.querySelector('.group .more a')?.getAttribute('href')).toBe('/workflows/claims/list?_search=many'); // prettier-ignore
    });

    it('finds nothing that one does not see', async () => {
      const ines = await signIn(service, 'ines@acme.test');
      expect(rows(await ines.get('/search?q=crane'))).toEqual([]);
      expect(rows(await ines.get('/search?q=S-1'))).toEqual([]);
    });
  });

  it('long texts and comments are shown as Markdown that can do no harm; the text itself stays', async () => {
    const Notes =
      '# Plan\n\n- **one**\n- [two](https://acme.test)\n\n<script>alert(1)</script>\n[x](javascript:alert(1)) ![y](https://evil.test/y.png)';
    const { headers } = await mina.post('/workflows/claims/new', { 'Claim ID': 'T-1', Name: 'Text', Notes });
    const path = headers['location'] ?? '';
    await mina.post(`${path}/comments`, { body: 'Look at `this`' });
    const page = await mina.get(path);
    const [notes, comment] = page.html.querySelectorAll('.prose');
    expect(comment?.innerHTML).toBe('<p>Look at <code>this</code></p>');
    expect(notes?.querySelector('strong')?.text).toBe('one');
    expect(
      notes?.querySelectorAll('a').map((link) => [link.getAttribute('href'), link.getAttribute('rel')]),
    ).toEqual([
      ['https://acme.test', 'noopener noreferrer nofollow'],
      ['https://evil.test/y.png', 'noopener noreferrer nofollow'],
    ]);
    expect(notes?.querySelectorAll('script, img, h1')).toEqual([]);
    expect(await read('claims', 'T-1')).toMatchObject({ Notes });
    expect((await mina.get(`${path}?edit=Notes`)).html.querySelector('textarea')?.text).toContain('# Plan');
    const long = `${'*a* '.repeat(49_000)}end`;
    await api.put('/api/v1/workflows/claims/tasks', { 'Claim ID': 'T-1', Notes: long });
    const cut = await mina.get(path);
    expect([cut.text.length < 80_000, cut.text.includes('more characters')]).toEqual([true, true]);
    const whole = await mina.get(cut.html.querySelector('a[href*="/texts/"]')?.getAttribute('href') ?? '');
    expect([whole.text === long, whole.headers['content-type']]).toEqual([true, 'text/plain; charset=utf-8']);
  });
});
