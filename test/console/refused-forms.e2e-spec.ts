import { type Answer, pageOf, servedTo } from '../support/console.js';

const acme = `
workspace: { id: acme, name: Acme }
users:
  - { email: mina@acme.test, first_name: Mina }
  - { email: theo@acme.test, first_name: Theo }
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Kept, change: [Stage] }, { name: Done, end: true }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: Amount, type: currency, min: 5 }
      - { name: Proof, type: file, limit: 1 }
      - { name: Notes, type: longText }
    roles: [{ id: head, name: Head, admin: true }]
    members: [{ email: mina@acme.test, role: head }, { email: theo@acme.test, role: head }]
    actions:
      - { id: note, name: Note }
      - { id: value, name: Value, fields: [{ field: Amount, required: true }] }
      - id: pay
        name: Pay
        requirements: { approvals: { of: [{ id: audit, roles: [head] }] } }
    rules: [{ id: big, on: field_changed, field: Amount, run: note }]
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: claims, name: Parts }, to: { workflow: claims, name: Whole } }
`;

describe('every form that is refused', () => {
  const mail = { WTS_SMTP_URL: 'smtp://127.0.0.1:9', WTS_MAIL_FROM: 'tasks@acme.test' };
  const { api, mina } = servedTo(['mina'], acme, mail);
  let task: string;
  beforeAll(async () => {
    task = await create('C-1');
  });

  const claims = '/api/v1/workflows/claims/tasks';
  const create = async (id: string): Promise<string> =>
    pageOf(await api.post(claims, { 'Claim ID': id }).expect(201));
  /** What a form of the page names as the state of the task. */
  const versionOf = async (path: string): Promise<string> =>
    (await mina.get(path)).attributeOf('input[name=version]', 'value');

  const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();
  /** What the summary says and leads to, where that is a control which is marked and names what is wrong with it. */
  function summary({ status, html }: Answer): unknown {
    const links = html.querySelectorAll('#refusal .faults a').map((link) => {
      const control = html.querySelector(`[id="${(link.getAttribute('href') ?? '#').slice(1)}"]`);
      const described = (control?.getAttribute('aria-describedby') ?? '').split(' ');
      const faults = described.flatMap((id) => html.querySelector(`[id="${id}"].fault`)?.text ?? []);
      return [spaced(link.text), control?.getAttribute('aria-invalid') ?? null, ...faults.map(spaced)];
    });
    const refusal = html.querySelector('#refusal');
    const [first] = html.querySelectorAll('[autofocus]');
    expect([status, refusal?.getAttribute('tabindex'), first?.id]).toEqual([422, '-1', 'refusal']);
    expect(html.querySelector('title')?.text).toMatch(/^Error: /);
    return links;
  }

  it.each([
    ['a new task', '/workflows/claims/new', { 'Claim ID': 'C-2', Amount: '1' }, ['Amount: must be at least 5', 'true', 'must be at least 5']], // prettier-ignore
    ['an absence', '/account/absence', { from: '2026-02-01', until: '2026-01-01', to: 'theo@acme.test' }, ['First day back: is not after the first day away', 'true', 'is not after the first day away']], // prettier-ignore
    ['a key', '/admin/keys', { name: '', scope: 'read' }, ['Name: is required', 'true', 'is required']],
    ['a mail to sign in', '/sign-in/mail', { email: 'mina' }, ['Your e-mail address: is not an e-mail address', 'true', 'is not an e-mail address']], // prettier-ignore
    ['a field', '', { name: 'Amount', value: '1', was: 'null' }, ['Amount: must be at least 5', 'true', 'must be at least 5']], // prettier-ignore
    ['a comment', '/comments', { body: '' }, ['Comment: is required', 'true', 'is required']],
    ['an item of the checklist', '/checklist', { title: '' }, ['Checklist: is required', 'true', 'is required']], // prettier-ignore
    ['a link', '/links/Parts', { other: 'nowhere' }, [expect.stringMatching(/^Parts: /), 'true', expect.stringMatching(/nowhere/)]], // prettier-ignore
    ['what an action asks for', '/actions/value', { 'given.Amount': '1' }, ['Amount: must be at least 5', 'true', 'must be at least 5']], // prettier-ignore
    ['a decision', '/approvals', { action_id: 'pay', id: 'audit', decision: 'reject', comment: '' }, ['Comment: is required', 'true', 'is required']], // prettier-ignore
  ])('says first what is wrong: %s', async (_, path, form: Record<string, string>, fault) => {
    const isOfTask = !/^\/(workflows|account|admin|sign-in)/.test(path);
    expect(summary(await mina.post(isOfTask ? task + path : path, form))).toEqual([fault]);
  });

  it('with values for an action shows the stored values before, and the sent values afterwards', async () => {
    const path = await create('C-7');
    await api.put(claims, { 'Claim ID': 'C-7', Amount: 7 }).expect(200);
    const asked = (page: Answer): string => page.attributeOf('dialog [name="given.Amount"]', 'value');
    const pages = [await mina.get(path), await mina.post(`${path}/actions/value`, { 'given.Amount': '1' })];
    expect(pages.map(asked)).toEqual(['7.00', '1']);
  });

  it('with a file asks for the file again', async () => {
    const sent = await mina.sendFile(`${task}/files/Proof`, 'a'.repeat(300), 'a');
    expect(summary(sent)).toEqual([[expect.stringMatching(/^Proof: /), 'true', expect.any(String)]]);
  });

  it('with a text for a field that the stage has locked meanwhile keeps the text visible', async () => {
    const path = await create('C-4');
    const sent = { name: 'Notes', value: 'A long text', was: 'null', version: await versionOf(path) };
    await api.put(claims, { 'Claim ID': 'C-4', Stage: 'Kept' }).expect(200);
    const locked = await mina.post(path, sent);
    expect(summary(locked)).toEqual([['Notes: may not be changed in Kept', 'true', 'may not be changed in Kept']]); // prettier-ignore
    expect(locked.textOf('textarea[name=value]')).toBe('A long text');
  });

  it('with a single button has no control to lead to', async () => {
    const [path, other] = [await create('C-5'), await create('C-6')];
    await mina.post(`${path}/links/Parts`, { other: 'C-6' });
    await api.put(claims, { 'Claim ID': 'C-5', Stage: 'Kept' }).expect(200);
    const deleted = await mina.post(`${other}/delete`, { version: await versionOf(other) });
    expect(spaced(deleted.html.querySelector('#refusal')?.text ?? '')).toBe(
      'C-5: may not be changed in Kept',
    );
    expect(summary(deleted)).toEqual([]);
  });

  it('refuses a value that the page does not offer', async () => {
    const gone = await mina.post(task, { name: 'Phone', value: '1', was: 'null' });
    expect([gone.status, gone.textOf('#refusal')]).toEqual([422, 'Phone cannot be changed here any more.']);
    const watched = await mina.post(`${task}/watch`, { state: 'loud' });
    expect([watched.status, (await mina.post('/account/notifications', { mail: 'x' })).status]).toEqual([404, 404]); // prettier-ignore
  });

  it('says what has changed meanwhile, and leads to the control, even while an action is pending', async () => {
    await api.put(claims, { 'Claim ID': 'C-1', Amount: 7 }).expect(200);
    await api.post('/api/v1/workflows/claims/executions', { task_id: 'C-1', action_id: 'note' }).expect(202);
    const sent = { name: 'Amount', value: '9', was: '"6.00"', version: '1@1' };
    const page = await mina.post(task, sent);
    const link = '#refusal .faults a';
    expect([page.status, page.textOf(link)]).toEqual([409, 'Amount']);
    expect(page.attributeOf(`[id="${page.hrefOf(link).slice(1)}"]`, 'value')).toBe('9');
  });
});
