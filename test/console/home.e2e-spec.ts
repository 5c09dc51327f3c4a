import { pageOf, servedTo, signIn, texts } from '../support/console.js';

const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

// Zones are UTC, as days are here.
const acme = `
workspace: { id: acme, name: Acme, timezone: UTC }
users:
  - { email: mina@acme.test, first_name: Mina, last_name: Ray }
  - { email: theo@acme.test, first_name: Theo, last_name: Voss }
  - { email: ines@acme.test, first_name: Ines }
  - { email: otto@acme.test, first_name: Otto }
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Review }, { name: Paid, end: true }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: Name, type: text }
      - { name: Amount, type: currency }
      - { name: Contract, type: file, limit: 1 }
      - { name: Close By, type: datetime }
    checklist: [{ title: Look it up, stage: Review }]
    clocks: [{ id: close, due: { field: Close By } }]
    actions:
      - { id: take, name: Take up, stages: [New], steps: [{ name: Move, type: move_to_stage, stage: Review }] }
      - id: approve
        name: Approve
        stages: [Review]
        requirements:
          required_fields: [Amount, Contract]
          checklist: completed
        steps: [{ name: Pay, type: move_to_stage, stage: Paid }]
    roles:
      - { id: head, name: Head, admin: true }
      - { id: agent, name: Agent, sees: assigned, actions: [take] }
    members:
      - { email: mina@acme.test, role: head }
      - { email: theo@acme.test, role: head }
      - { email: ines@acme.test, role: agent }
  - id: bills
    name: Bills
    stages: [{ name: Open }, { name: Settled, end: true }]
    fields: [{ name: Bill, type: uniqueId, required: true }, { name: Due Date, type: date }]
    clocks: [{ id: pay, due: { field: Due Date } }]
    roles: [{ id: clerk, name: Clerk, edits: none }]
    members: [{ email: mina@acme.test, role: clerk }, { email: theo@acme.test, role: clerk }]
`;

describe('the first page of a user', () => {
  const { service, api, mina, theo, ines } = servedTo(['mina', 'theo', 'ines'], acme);
  /** The page of C-1. */
  let reviewed: string;

  const create = async (workflow: string, values: object): Promise<string> =>
    pageOf(await api.post(`/api/v1/workflows/${workflow}/tasks`, values).expect(201));
  it('says something calm and true if there is nothing to do, and shows no numbers', async () => {
    const page = await theo.get('/');
    expect(texts(page, '.empty-title')).toEqual(['Nothing is assigned to you']);
    const otto = await (await signIn(service, 'otto@acme.test')).get('/');
    expect(texts(otto, '.empty-title')).toEqual(['No workflows yet']);
  });

  it("groups the user's tasks by due time, in words, with the next action or its needs", async () => {
    const mine = { 'Assigned To': 'mina@acme.test' };
    reviewed = await create('claims', {
      'Claim ID': 'C-1',
      Stage: 'Review',
      'Close By': `${day(-2)}T12:00:00Z`,
      ...mine,
    });
    await create('claims', { 'Claim ID': 'C-2', Name: 'Undated', ...mine });
    await create('claims', { 'Claim ID': 'C-3', Stage: 'Paid', ...mine });
    await create('claims', { 'Claim ID': 'C-4', 'Assigned To': 'theo@acme.test' });
    await create('bills', { Bill: 'B-2', 'Due Date': day(-1), ...mine });
    await create('bills', { Bill: 'B-3', 'Due Date': day(0), ...mine });
    await create('bills', { Bill: 'B-4', 'Due Date': day(40), ...mine });
    await service.settle();
    const page = await mina.get('/');
    expect(texts(page, '#overdue .work-row')).toEqual([
      'C-1 needs Amount, Contract and 1 more Claims Review 2 days late',
      'B-2 Bills Open 1 day late',
    ]);
    expect(texts(page, '#today .work-row')).toEqual(['B-3 Bills Open today']);
    expect(texts(page, '#later .work-row').map((line) => line.replace(/ \w+ \d+(, \d+)?$/, ''))).toEqual([
      'B-4 Bills Open',
      'C-2 Undated Next: Take up Claims New',
    ]);
    expect(texts(page, '.group > h2')).toEqual(['Overdue 2', 'Today 1', 'Later 2']);
  });

  it('names only what is missing: the checklist alone, then the action', async () => {
    await api.put('/api/v1/workflows/claims/tasks', { 'Claim ID': 'C-1', Amount: 5, Contract: [{ base64contents: 'YQ==', filename: 'a.txt', contentType: 'text/plain' }] }).expect(200); // prettier-ignore
    expect(texts(await mina.get('/'), '#overdue .row-next')[0]).toBe('needs Checklist');
    const { body } = await api.get('/api/v1/workflows/claims/tasks/C-1/checklist_items');
    const [item] = body as { id: string }[];
    await mina.post(`${reviewed}/checklist/${item?.id ?? ''}`, { status: 'Completed' });
    expect(texts(await mina.get('/'), '#overdue .row-next')[0]).toBe('Next: Approve');
  });

  describe('the team', () => {
    it('shows a manager what is late, who has how much and where work piles up, with links to the tasks', async () => {
      expect((await mina.get('/')).attributesOf('.ways a', 'href')).toEqual(['/', '/team']);
      const page = await mina.get('/team');
      expect(texts(page, '.place[aria-current=true]')).toEqual(['My tasks']);
      expect(texts(page, '.team tr').slice(0, 3)).toEqual([
        'Person Overdue New Review Total',
        expect.stringMatching(/^Everybody 1 .* 2 days late 2 .* oldest .* 1 .* oldest .* 3 /),
        expect.stringMatching(/^Mina Ray 1 .* 2 days late 1 .* 1 .* 2 /),
      ]);
      const numbers = texts(page, '.load').map((text) => Number.parseInt(text));
      for (const [at, path] of page.attributesOf('.load', 'href').entries())
        expect([path, texts(await mina.get(path), 'tbody tr').length]).toEqual([path, numbers[at]]);
    });

    it('is not shown to users who see only their own tasks', async () => {
      expect((await ines.get('/')).html.querySelector('.ways')).toBeNull();
      expect((await ines.get('/team')).status).toBe(404);
    });
  });
});
