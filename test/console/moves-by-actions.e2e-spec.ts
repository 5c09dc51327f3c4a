import { type Answer, pageOf, servedTo } from '../support/console.js';

const acme = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: theo@acme.test }, { email: ines@acme.test }]
channels: [{ id: chat, type: slack, url: 'https://chat.test/x' }]
workflows:
  - id: tasks
    name: Tasks
    stages: [{ name: New }, { name: Review }, { name: Done, enter: by_actions }, { name: Held, change: by_actions, enter: by_actions }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Amount, type: currency }
      - { name: Note, type: text }
      - { name: Owner, type: person }
      - { name: Judged On, type: date, change: by_actions }
      - { name: Proof, type: file, change: by_actions }
    roles:
      - { id: lead, name: Lead, admin: true }
      - { id: clerk, name: Clerk, actions: [end], moves: by_actions }
      - { id: guest, name: Guest, edits: none, actions: [] }
    members: [{ email: mina@acme.test, role: lead }, { email: theo@acme.test, role: clerk }, { email: ines@acme.test, role: guest }]
    actions:
      - { id: hold, name: Hold, stages: [Review], steps: [{ name: Take it out, type: move_to_stage, stage: Held }, { name: Tell them, type: comment, text: Held }] }
      - { id: end, name: End, stages: [Review], steps: [{ name: End, type: move_to_stage, stage: Done }] }
  - id: bills
    name: Bills
    stages: [{ name: Open }, { name: Paid, enter: by_actions }]
    fields: [{ name: Bill, type: uniqueId, required: true }, { name: Total, type: currency }]
    actions: [{ id: pay, name: Pay, stages: [Open], steps: [{ name: Pay, type: move_to_stage, stage: Paid }] }]
  - id: notes
    name: Notes
    stages: [{ name: Only }]
    fields: [{ name: Number, type: uniqueId, autoincrement: true }, { name: Text, type: text }]
relationships:
  - { id: bills, kind: one_to_many, from: { workflow: tasks, name: Bills of it }, to: { workflow: bills, name: Task } }
  - { id: notes, kind: one_to_many, from: { workflow: tasks, name: Notes, change: by_actions }, to: { workflow: notes, name: Task, change: by_actions } }
`;

const { api, ...people } = servedTo(['mina', 'theo', 'ines'], acme);
const paths = new Map<string, string>();

beforeAll(async () => {
  const create = async (id: string, workflow: string, values: object): Promise<void> => {
    paths.set(id, pageOf(await api.post(`/api/v1/workflows/${workflow}/tasks`, values).expect(201)));
  };
  await create('T-1', 'tasks', { ID: 'T-1', Amount: 7, Note: 'n', Owner: 'ines@acme.test' });
  await create('T-2', 'tasks', { ID: 'T-2', Stage: 'Review' });
  await create('T-3', 'tasks', { ID: 'T-3', Amount: 7 });
  await create('B-1', 'bills', { Bill: 'B-1' });
  await create('B-T-3', 'bills', { Bill: 'B-T-3' });
  await create('N-1', 'notes', { Text: 'x' });
});

type Person = 'mina' | 'theo' | 'ines';
const page = (name: Person, path: string): Promise<Answer> => people[name].get(path);
const text = (found: { text: string } | null | undefined): string | undefined =>
  found?.text.replace(/\s+/g, ' ').trim();

it('the steps of an action are named before it is done', async () => {
  const { html } = await page('mina', paths.get('T-2') ?? '');
  const told = html.querySelectorAll('.possible').map(text);
  expect(told).toEqual(expect.arrayContaining(['HoldTake it out, Tell them.', 'EndEnd.']));
});

describe('a task is moved by hand', () => {
  const track = async (name: Person, id: string): Promise<(string | undefined)[]> => {
    const { html } = await page(name, paths.get(id) ?? '');
    const field = html.querySelector('.track-field');
    return [text(field?.querySelector('a.button')), text(field?.querySelector('.reason'))];
  };

  it('by a link with that name', async () => {
    expect(await track('mina', 'T-1')).toEqual(['Move by hand', undefined]);
  });

  it('only if that is allowed, and otherwise the page says why not', async () => {
    expect(await track('theo', 'T-1')).toEqual([undefined, 'Your role can move tasks to another stage only by actions.']); // prettier-ignore
    expect(await track('mina', 'B-1')).toEqual([undefined, 'Tasks can move to another stage of this workflow only by actions.']); // prettier-ignore
    await api.post('/api/v1/workflows/tasks/executions', { task_id: 'T-2', action_id: 'hold', performed_by: 'mina@acme.test' }).set('Prefer', 'wait=10').expect(200); // prettier-ignore
    expect(await track('mina', 'T-2')).toEqual([undefined, expect.stringContaining('Held')]);
  });

  it('with neither link nor reason if there is nothing to move', async () => {
    expect([await track('mina', 'N-1'), await track('ines', 'T-1')]).toEqual([[undefined, undefined], [undefined, undefined]]); // prettier-ignore
    expect(text((await page('ines', paths.get('T-1') ?? '')).html.querySelector('#time-line .reason'))).toMatch(/not comment on it\. Your role cannot edit/); // prettier-ignore
  });
});

it('the form of a new task omits fields that only actions write, and stages that only actions enter', async () => {
  const { html } = await page('mina', '/workflows/tasks/new');
  const names = html.querySelectorAll('form.new-task [name]').map((each) => each.getAttribute('name') ?? '');
  expect([...new Set(names)].filter((name) => !name.startsWith('_'))).toEqual(['Note', 'ID', 'Stage', 'Assigned To', 'Amount', 'Owner', 'Bills of it']); // prettier-ignore
  expect(html.querySelectorAll('[name=Stage] option').map(text)).toEqual(['New', 'Review']);
  const ofClerk = await page('theo', '/workflows/tasks/new');
  expect(ofClerk.html.querySelector('[name=Stage]')).toBeNull();
});
