import { type Answer, type Fields, fieldsOf, openBrowser, pageOf, servedTo, texts } from '../support/console.js'; // prettier-ignore

const acme = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test, first_name: Mina }, { email: theo@acme.test, first_name: Theo }]
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Paid, end: true }, { name: Rejected, end: true, outcome: dropped }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: Title, type: text }
      - { name: Amount, type: currency }
      - { name: Weight, type: number }
      - { name: Proof, type: file, limit: 9 }
    roles: [{ id: head, name: Head, admin: true }]
    members: [{ email: mina@acme.test, role: head }, { email: theo@acme.test, role: head }]
    actions:
      - { id: add, name: Add, steps: [{ name: Add, type: update_fields, set: { Weight: { expression: 'task["Weight"] + 1' } } }] }
      - { id: value, name: Value, fields: [Amount] }
      - { id: reject, name: Reject, steps: [{ name: Move, type: move_to_stage, stage: Rejected }] }
      - { id: pay, name: Pay, requirements: { approvals: { of: [{ id: audit, count: 2, roles: [head] }] } } }
    schedules: [{ id: nightly, cron: '0 3 * * *', run: add, for: 'Title=nightly' }]
  - id: bills
    name: Bills
    search: true
    stages: [{ name: Open }]
    fields: [{ name: Bill, type: uniqueId, required: true }, { name: Text, type: text }]
relationships:
  - { id: bills, kind: one_to_many, from: { workflow: claims, name: Bills }, to: { workflow: bills, name: Claim } }
`;

describe('forms', () => {
  const { service, api, mina, theo } = servedTo(['mina', 'theo'], acme);
  const claims = '/api/v1/workflows/claims/tasks';

  const create = async (id: string, values: object = {}): Promise<string> =>
    pageOf(await api.post(claims, { 'Claim ID': id, ...values }).expect(201));
  const claim = (id: string): Promise<unknown> => api.read(`${claims}/${id}`);
  const listed = (path: string): Promise<object[]> => api.read(`${claims}/${path}`);

  /** What the form with this address sends, as its page has it. */
  function formOf({ html }: Answer, action: string): Record<string, string> {
    const forms = html.querySelectorAll('form').filter((one) => one.getAttribute('action')?.endsWith(action));
    if (!forms[0]) throw new Error(`the page has no form for ${action}`);
    return fieldsOf(forms[0], 'input[name], button[name]');
  }
  const eightTimes = async (path: string, fields: Fields): Promise<number[]> => {
    const sent = Array.from({ length: 8 }, () => mina.post(path, fields));
    return [...new Set((await Promise.all(sent)).map(({ status }) => status))];
  };

  describe('A form that is sent again has no second effect', () => {
    it('an action', async () => {
      const path = await create('E-1', { Weight: 1 });
      const form = formOf(await mina.get(path), '/actions/add');
      expect(await eightTimes(`${path}/actions/add`, form)).toEqual([303]);
      await service.settle();
      expect(await claim('E-1')).toMatchObject({ Weight: '2' });
    });

    it('a comment, but the same form with another text adds another comment', async () => {
      const path = await create('E-3');
      const form = formOf(await mina.get(path), '/comments');
      expect(await eightTimes(`${path}/comments`, { ...form, body: 'Seen' })).toEqual([303]);
      await mina.post(`${path}/comments`, { ...form, body: 'Checked' });
      expect(await listed('E-3/comments')).toMatchObject([{ body: 'Seen' }, { body: 'Checked' }]);
    });

    it('an item of the checklist', async () => {
      const path = await create('E-4');
      const form = { ...formOf(await mina.get(path), '/checklist'), title: 'Call them' };
      expect(await eightTimes(`${path}/checklist`, form)).toEqual([303]);
      expect(await listed('E-4/checklist_items')).toHaveLength(1);
    });

    it('a file', async () => {
      const path = await create('E-5');
      const form = (await mina.get(path)).attributeOf('form.upload', 'action');
      await Promise.all(Array.from({ length: 4 }, () => mina.sendFile(form, 'proof.txt', 'paid')));
      expect(await claim('E-5')).toMatchObject({ Proof: [{ filename: 'proof.txt' }] });
    });

    it('a decision', async () => {
      const path = await create('E-6');
      const page = await mina.get(path);
      const decision = { ...formOf(page, '/approvals'), decision: 'approve', comment: 'Right' };
      expect(await eightTimes(`${path}/approvals`, decision)).toEqual([303]);
      const decisions = async (): Promise<number> =>
        (await listed('E-6/history')).filter((event) => Reflect.get(event, 'type') === 'approval.decided')
          .length;
      expect(await decisions()).toBe(1);
      // What was taken back since stays so.
      const withdrawal = { action_id: 'pay', id: 'audit', decision: 'withdraw' };
      expect((await mina.post(`${path}/approvals`, withdrawal)).status).toBe(303);
      expect(await eightTimes(`${path}/approvals`, decision)).toEqual([303]);
      expect(await decisions()).toBe(2);
    });

    it('a run of a schedule now', async () => {
      await create('E-7', { Title: 'nightly', Weight: 1 });
      const path = '/admin/schedules/claims/nightly';
      const form = formOf(await mina.get(path), '/run');
      for (let times = 0; times < 2; times += 1) {
        await mina.post(`${path}/run`, form);
        await service.settle();
      }
      expect(await claim('E-7')).toMatchObject({ Weight: '2' });
    });
  });

  describe('Numbers are read as the reader writes them', () => {
    const from = (language: string) => ({ 'Accept-Language': language, 'Sec-Fetch-Site': 'same-origin' });
    let path: string;
    beforeAll(async () => {
      path = await create('N-1', { Amount: 5 });
    });

    /** By where an amount is entered: the name of its control, and how it is sent. */
    const places: Readonly<Record<string, readonly [string, (typed: string, by: object) => Promise<Answer>]>> = {
      'on the page of a task': ['value', async (value, by) => {
        const form = formOf(await mina.get(`${path}?edit=Amount`, { ...by }), path);
        return mina.post(path, { ...form, value }, { ...by });
      }],
      'for an action': ['given.Amount', (typed, by) => mina.post(`${path}/actions/value`, { 'given.Amount': typed }, { ...by })],
      'for a new task': ['Amount', (Amount, by) => mina.post('/workflows/claims/new', { 'Claim ID': 'N-2', Amount }, { ...by })],
    }; // prettier-ignore
    const held = (page: Answer, name: string): string =>
      page.attributeOf(`main input[name="${name}"][inputmode=decimal]`, 'value');

    it.each(Object.entries(places))('%s', async (_, [name, send]) => {
      for (const [language, unclear] of Object.entries({ en: '1,234', de: '1.234', 'de-AT': 'twelve' })) {
        const refused = await send(unclear, from(language));
        expect([unclear, refused.status, held(refused, name)]).toEqual([unclear, 422, unclear]);
      }
      await api.send(claims, { 'Claim ID': 'N-1', Amount: 5 });
      expect((await send('1.234,50', from('de'))).status).toBe(303);
      await service.settle();
      expect(await claim(name === 'Amount' ? 'N-2' : 'N-1')).toMatchObject({ Amount: '1234.50' });
    });

    it('in a filter, and shown in the same way', async () => {
      const filter = async (typed: string): Promise<Answer> => {
        const { headers } = await mina.get(
          `/workflows/claims/filter?at=list&Amount%5Bgte%5D=${typed}`,
          from('de'),
        );
        return mina.get(headers['location'] ?? '', from('de'));
      };
      expect((await filter('1.234')).status).toBe(422);
      expect(texts(await filter('7,25'), '.filters .badge')).toEqual(['Amount ≥ 7,25']);
    });
  });

  it('An action that ends a task as dropped asks first, on its page and in lists', async () => {
    const path = await create('D-1');
    const page = await mina.get(path);
    expect(page.textOf('#confirm-reject')).toMatch(/Reject: this drops the task.*Move\./s);
    expect(page.html.querySelector('.possible > form[action$="/actions/reject"]')).toBeNull();
    const list = await mina.get('/workflows/claims/list?Claim+ID=D-1');
    const task = list.attributeOf('[name=task]', 'value');
    const asked = await mina.post('/workflows/claims/list', { task, action: 'reject' });
    expect(asked.textOf('#bulk-sure')).toContain('this drops the task');
    expect(await claim('D-1')).toMatchObject({ Stage: 'New' });
  });

  describe('A link takes no task from another task', () => {
    const bills = '/api/v1/workflows/bills/tasks';
    const bill = (id: string): Promise<unknown> => api.read(`${bills}/${id}`);

    it('the picker shows the links and holders of each task, and free tasks first', async () => {
      for (const Bill of ['B-1', 'B-2', 'B-3']) await api.send(bills, { Bill, Text: 'Anchor' });
      await create('L-1', { Title: 'Harbour', 'Assigned To': 'theo@acme.test', Bills: [{ Bill: 'B-3' }] });
      const path = await create('L-2', { Bills: [{ Bill: 'B-2' }] });
      const page = await mina.get(`${path}/links/Bills?q=Anchor`);
      const found = texts(page, 'button[name=chosen]');
      expect(found).toEqual([
        expect.stringMatching(/^B-1 Anchor Open/),
        expect.stringMatching(/^B-3 Anchor – linked to L-1 Harbour \(Theo\)/),
        expect.stringMatching(/^B-2 Anchor – linked to L-2 \(Nobody\)/),
      ]);
      expect(page.attributesOf('button[name=chosen]:not([disabled])', 'value')).toEqual(['B-1']);
    });

    it('neither on the page of a task nor in the form of a new task', async () => {
      const path = await create('L-3');
      const refused = await mina.post(`${path}/links/Bills`, { chosen: 'B-3' });
      const form = await mina.post('/workflows/claims/new', { 'Claim ID': 'L-6', Bills: 'B-3' });
      for (const page of [refused, form]) expect(page.textOf('#refusal')).toContain('B-3 is linked to L-1');
      expect(await bill('B-3')).toMatchObject({ Claim: { 'Claim ID': 'L-1' } });
    });
  });

  it('What was entered is kept when the session has ended, and sent after signing in', async () => {
    const path = await create('S-1');
    const browser = openBrowser(service);
    const ended = await browser.post(`${path}/comments`, { body: 'Long "words"\nof mine', _key: 'k' });
    expect([ended.status, texts(ended, 'h1')]).toEqual([401, ['Your session has ended']]);
    const again = ended.html.querySelector('form[method=post]');
    expect((await mina.post(again?.getAttribute('action') ?? '', fieldsOf(again))).status).toBe(303);
    expect(await listed('S-1/comments')).toMatchObject([{ body: 'Long "words"\nof mine' }]);
    const kept = await browser.post(path, formOf(await mina.get(path), '/comments'));
    expect((await theo.post(path, fieldsOf(kept.html))).textOf('h1')).toBe('Another user opened this form');

    const made = await browser.post('/workflows/claims/new', { 'Claim ID': 'S-2', Bills: ['B-1', 'B-2'] });
    expect(made.attributesOf('input[name=Bills]', 'value')).toEqual(['B-1', 'B-2']);
    const foreign = await browser.post(`${path}/comments`, { body: 'x' }, { 'Sec-Fetch-Site': 'cross-site' });
    expect([foreign.status, foreign.html.querySelector('input')]).toEqual([403, null]);
  });
});
