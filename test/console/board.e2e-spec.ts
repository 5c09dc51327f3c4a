import pg from 'pg';
import { type Answer, fieldsOf, follow, servedTo, signIn, texts } from '../support/console.js';

const acme = `
workspace: { id: acme, name: Acme }
users:
  - { email: mina@acme.test, first_name: Mina }
  - { email: ines@acme.test, first_name: Ines }
  - { email: otto@acme.test, first_name: Otto }
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Checked }, { name: Paid, enter: by_actions }, { name: Closed, end: true }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: Name, type: text }
      - { name: Amount, type: number }
      - { name: Risk, type: singleSelect, options: [Low, High] }
    roles:
      - { id: all, name: All, admin: true }
      - { id: agent, name: Agent, sees: assigned }
      - { id: clerk, name: Clerk, moves: by_actions }
    members:
      - { email: mina@acme.test, role: all }
      - { email: ines@acme.test, role: agent }
      - { email: otto@acme.test, role: clerk }
  - id: bills
    name: Bills
    stages: [{ name: Open }]
    fields: [{ name: Bill, type: uniqueId }, { name: Amount, type: currency }]
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: claims, name: Parts }, to: { workflow: claims, name: Whole } }
`;

describe('the board of a workflow', () => {
  const { service, api, mina } = servedTo(['mina'], acme);
  beforeAll(async () => {
    for (let number = 1; number <= 60; number += 1)
      await create({ 'Claim ID': `C-${number}`, Amount: number });
    await create({ 'Claim ID': 'C-61', Stage: 'Closed', Risk: 'High', 'Assigned To': 'ines@acme.test' });
  });

  const claims = '/api/v1/workflows/claims/tasks';
  const create = (values: object): Promise<unknown> => api.send(claims, values);
  const stageOf = async (id: string): Promise<string> =>
    (await api.read<{ Stage: string }>(`${claims}/${id}`)).Stage;
  /** What stands at the head of each column: the stage and its count. */
  const heads = (page: Answer): string[] => texts(page, '.board-column h2');
  const cards = (page: Answer): string[] => texts(page, '.task-card > a:first-child');
  /** The form that moves this task, as the page has it. */
  function moveOf({ html }: Answer, id: string): { fields: Record<string, string>; stages: string[] } {
    const form = html.querySelectorAll('.move form').find((each) => each.querySelector('input[name=name]')?.getAttribute('value') === id); // prettier-ignore
    return {
      fields: fieldsOf(form),
      stages: form?.querySelectorAll('button').map((button) => button.getAttribute('value') ?? '') ?? [],
    };
  }

  it('has a column for each stage, with its count and its first 25 tasks', async () => {
    const board = await mina.get('/workflows/claims');
    expect(heads(board)).toEqual(['New 60', 'Checked 0', 'Paid 0', 'Closed 1']);
    expect(cards(board)).toEqual([...Array.from({ length: 25 }, (_, index) => `C-${index + 1}`), 'C-61']);
  });

  it('shows further tasks by a link, 25 at a time', async () => {
    const seen: string[] = [];
    let path = '/workflows/claims?Stage=New';
    while (path !== '') {
      const page = await mina.get(path);
      expect([page.status, heads(page)]).toEqual([200, ['New 60']]);
      seen.push(...cards(page));
      path = page.hrefOf('turbo-frame[src] > .more');
    }
    expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => `C-${index + 1}`));
  });

  it('takes the same query as the API, and says what is wrong with a query', async () => {
    const some = await mina.get('/workflows/claims?Amount[gte]=59&_sort=-Amount');
    expect([heads(some)[0], cards(some)]).toEqual(['New 2', ['C-60', 'C-59']]);
    expect(texts(some, '.filters .badge')).toEqual(['Amount ≥ 59']);
    expect(cards(await mina.get('/workflows/claims?Risk=High'))).toEqual(['C-61']);
    for (const query of ['Colour=red', 'Stage=Lost', '_sort=Colour', '_after=x', 'Amount[gte]=much']) {
      const page = await mina.get(`/workflows/claims?${query}`);
      expect([query, page.status]).toEqual([query, 422]);
      expect(page.textOf('[role=alert]')).toContain(query.split('=')[0]);
    }
  });

  it('moves a task to a stage that people may use, and returns to the same filters', async () => {
    const { fields, stages } = moveOf(await mina.get('/workflows/claims?Amount[lt]=5'), 'C-2');
    expect(stages).toEqual(['Checked', 'Closed']);
    const moved = await mina.post('/workflows/claims/move', { ...fields, filters: 'Amount[lt]=5', stage: 'Checked' }); // prettier-ignore
    expect([moved.headers['location']?.split('&_done=')[0], (await follow(mina, moved)).textOf('.notice')]).toEqual(['/workflows/claims?Amount%5Blt%5D=5', 'C-2 is in Checked now']); // prettier-ignore
    await create({ 'Claim ID': 'C-2', Stage: 'New' });
  });

  it('does not move a task that has changed since', async () => {
    const { fields } = moveOf(await mina.get('/workflows/claims'), 'C-3');
    await create({ 'Claim ID': 'C-3', Name: 'Harbour' });
    const moved = await mina.post('/workflows/claims/move', { ...fields, stage: 'Closed' });
    expect([moved.status, await stageOf('C-3')]).toEqual([409, 'New']);
    expect(moved.textOf('[role=alert]')).toContain('C-3 was not moved, because somebody changed it');
  });

  it('does not move a task to an unknown stage, or to one that is entered by actions', async () => {
    const { fields } = moveOf(await mina.get('/workflows/claims'), 'C-4');
    const statusOf = async (sent: Record<string, string>): Promise<number> =>
      (await mina.post('/workflows/claims/move', sent)).status;
    for (const stage of ['Paid', 'Lost', '']) expect(await statusOf({ ...fields, stage })).toBe(422);
    const others: Record<string, string>[] = [{ version: 'x' }, { version: '' }, { version: '9'.repeat(16) }, { task: 'C-0' }, { task: '' }]; // prettier-ignore
    for (const strange of others)
      expect([strange, await statusOf({ ...fields, stage: 'Closed', ...strange })]).toEqual([strange, 409]);
    expect(await stageOf('C-4')).toBe('New');
  });

  it('has no menu for a role that moves by actions only, and refuses its moves', async () => {
    const otto = await signIn(service, 'otto@acme.test');
    const board = await otto.get('/workflows/claims');
    expect([heads(board)[0], board.html.querySelector('.move')]).toEqual(['New 60', null]);
    const { fields } = moveOf(await mina.get('/workflows/claims'), 'C-5');
    expect((await otto.post('/workflows/claims/move', { ...fields, _user: [], stage: 'Closed' })).status).toBe(403); // prettier-ignore
    expect(await stageOf('C-5')).toBe('New');
  });

  it('counts, shows and moves only the tasks that the reader may see', async () => {
    const ines = await signIn(service, 'ines@acme.test');
    const board = await ines.get('/workflows/claims');
    expect([heads(board), cards(board)]).toEqual([['New 0', 'Checked 0', 'Paid 0', 'Closed 1'], ['C-61']]);
    const { fields } = moveOf(await mina.get('/workflows/claims'), 'C-6');
    const moved = await ines.post('/workflows/claims/move', { ...fields, _user: [], stage: 'Closed' });
    expect([moved.status, cards(moved), await stageOf('C-6')]).toEqual([409, ['C-61'], 'New']);
    const handed = await ines.post(board.hrefOf('.task-card > a'), { name: 'Assigned To', value: '', was: '"ines@acme.test"' }); // prettier-ignore
    expect((await follow(ines, handed)).textOf('.notice')).toBe('You cannot see this task now.');
    expect((await ines.get('/workflows/claims?_done=never')).textOf('.notice')).toBe(
      'You cannot see this task now.',
    );
  });

  describe('as a list', () => {
    const rows = (page: Answer): string[] => texts(page, 'tbody tr td:first-child');
    const columns = (page: Answer): string[] => texts(page, 'th');

    it('is filtered, sorted and paged by the same query, with the columns of the query', async () => {
      const list = await mina.get('/workflows/claims/list?Amount[lte]=55&_sort=-Amount&_fields=Amount,Stage');
      expect([columns(list), list.textOf('h1 .count')]).toEqual([['Name', 'Stage', 'Amount ↓'], '55']);
      expect(rows(list).slice(0, 2)).toEqual(['C-55', 'C-54']);
      const next = list.hrefOf('main > nav a');
      expect(rows(await mina.get(next)).at(-1)).toBe('C-1');
      expect(columns(await mina.get('/workflows/claims/list?_fields=Parts,Task URL,_created'))).toEqual(['Name', 'Created']); // prettier-ignore
      const chosen = await mina.get('/workflows/claims/filter?at=list&others=_sort%3DAmount&_fields=Risk&_fields=Stage'); // prettier-ignore
      expect(chosen.headers['location']).toContain('?_sort=Amount&_fields=Risk&_fields=Stage');
    });

    it('shows a Unique ID once if nothing else names a task, and aligns numbers', async () => {
      await api.send('/api/v1/workflows/bills/tasks', { Bill: 'B-1', Amount: 7 });
      for (const query of ['', '?_fields=Bill,Amount,Stage']) {
        const page = await mina.get(`/workflows/bills/list${query}`);
        expect(texts(page, 'tbody td').filter((text) => text === 'B-1')).toHaveLength(1);
        expect(texts(page, '.number:is(th, td)')).toEqual(['Amount', '7.00']);
      }
      const sorted = await mina.get('/workflows/bills/list?_sort=-Bill');
      expect(columns(sorted)[0]).toBe('Bill ↓');
    });
  });

  it('counts all tasks once and reads each stage once, whatever is chosen', async () => {
    const statementsOf = async (path: string): Promise<number> => {
      const query = jest.spyOn(pg.Client.prototype, 'query');
      await mina.get(path);
      const asked = query.mock.calls.map(([asked]) => Object(asked) as { text?: string });
      query.mockRestore();
      return asked.filter(({ text = '' }) => /\btasks t\b/.test(text)).length;
    };
    // Two stages have tasks.
    expect(await statementsOf('/workflows/claims')).toBe(4);
    expect(await statementsOf('/workflows/claims?Risk=Low')).toBe(2);
    expect(await statementsOf('/workflows/claims/list')).toBe(3);
    expect(await statementsOf('/team')).toBe(2);
  });
});
