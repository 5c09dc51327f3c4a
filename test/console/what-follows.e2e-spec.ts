import { type Answer, pageOf, servedTo } from '../support/console.js';

const steps: readonly [id: string, step: string, told: string | RegExp][] = [
  ['move', 'type: move_to_stage, stage: Review', 'Moves to Review.'],
  ['assign', 'type: assign, to: performer', 'Assigns it to you.'],
  ['give-away', 'type: assign, to: nobody', 'Assigns it to nobody.'],
  ['set', "type: update_fields, set: { Amount: { expression: '5 + 5' }, Note: '' }", 'Sets Amount to 10.00, Note to blank.'],
  ['create', "type: create_linked_task, relationship: bills, set: { Bill: 'B-{{ID}}', Total: '{{Amount}}' }", 'Creates B-T-1 in Bills with Total to 7.00.'],
  ['create-numbered', 'type: create_linked_task, relationship: notes, set: { Text: x }', 'Creates a task in Notes with Text to x.'],
  ['set-linked', 'type: update_linked_tasks, relationship: bills, set: { Total: 1 }', 'Sets Total of every task linked by Bills of it.'],
  ['delete', 'type: delete_task', 'Deletes the task.'],
  ['tick', 'type: add_checklist_items, items: [{ title: Call, stage: New }]', 'Adds to the checklist: Call.'],
  ['comment', 'type: comment, text: Hello', 'Comments on the task.'],
  ['later', 'type: schedule_action, action: move, after: 3 days', 'Starts Do move later.'],
  ['call', "type: api_call, url: 'https://books.test/x'", 'Calls books.test.'],
  ['mail', "type: send_email, to: ines@acme.test, subject: s, body: b", 'Sends mail to ines.'],
  ['post', 'type: post_message, channel: chat, text: hello', 'Posts to chat.'],
]; // prettier-ignore

// What an action asks for is not known before it is given, nor what another system will answer.
const asking = `
      - { id: fail, name: Do fail, stages: [New], steps: [{ name: Step of fail, type: update_fields, set: { Amount: '{{Note}}' } }] }
      - id: decide
        name: Decide
        stages: [New]
        fields: [{ field: Note, required: true }]
        steps:
          - { name: Note it, type: update_fields, set: { Amount: '{{Amount}}' } }
          - { name: Bill it, type: create_linked_task, relationship: bills, set: { Bill: '{{Note}}', Total: 1 } }
          - { name: Accept it, type: move_to_stage, stage: Review, when: 'task["Note"] == "yes"' }
          - { name: Tell them, type: send_email, to: { field: Owner }, subject: s, body: b }
          - { name: Hand it on, type: assign, to: { field: Owner } }
      - id: fetch
        name: Fetch
        stages: [New]
        steps:
          - { name: Ask, type: api_call, url: 'https://books.test/{{Note}}' }
          - { name: Double it, type: update_fields, set: { Amount: { expression: 'size(task["Note"])' } } }`;

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
      - { id: clerk, name: Clerk, actions: [move], moves: by_actions }
      - { id: guest, name: Guest, edits: none, actions: [] }
    members: [{ email: mina@acme.test, role: lead }, { email: theo@acme.test, role: clerk }, { email: ines@acme.test, role: guest }]
    actions:
${steps.map(([id, step]) => `      - { id: ${id}, name: Do ${id}, stages: [New], steps: [{ name: Step of ${id}, ${step} }] }`).join('\n')}${asking}
      - { id: hold, name: Hold, stages: [Review], steps: [{ name: Hold, type: move_to_stage, stage: Held }] }
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

describe('what an action would do is said before it is done', () => {
  let told: Map<string, string>;
  beforeAll(async () => {
    const { html } = await page('mina', paths.get('T-1') ?? '');
    told = new Map(
      html.querySelectorAll('.possible').map((possible) => [
        text(possible.querySelector('button, a.button'))?.replace('…', '') ?? '',
        text(possible.querySelector('.follows')) ?? '',
      ]), // prettier-ignore
    );
  });

  it.each(steps)('by the step %s (%s)', (id, _, expected) => {
    expect(told.get(`Do ${id}`)).toEqual(expected);
  });

  it('as far as it can be known: not by what is still to be asked for or answered', () => {
    expect([told.get('Decide'), told.get('Fetch')]).toEqual([
      'Sets Amount, creates a task in Bills with Total, moves to Review if its condition holds, sends mail, assigns it.',
      'Calls books.test, sets Amount.',
    ]);
  });
});

it('What would fail by the checks of an execution is locked, with the reason', async () => {
  const locked = async (id: string, name: string): Promise<string | undefined> => {
    const { html } = await page('mina', paths.get(id) ?? '');
    const actions = html.querySelectorAll('.impossible').map((each) => text(each) ?? '');
    return actions.find((each) => each.startsWith(`${name} `));
  };
  expect(await locked('T-1', 'Do fail')).toContain('Step of fail would fail: Amount is not a number');
  expect(await locked('T-3', 'Do create')).toContain('Step of create would fail: Bills B-T-3 exists already');
  expect(await locked('T-1', 'Do create')).toBeUndefined();
});

describe('a task is moved by hand', () => {
  const track = async (name: Person, id: string): Promise<(string | undefined)[]> => {
    const { html } = await page(name, paths.get(id) ?? '');
    const field = html.querySelector('.track-field');
    return [text(field?.querySelector('a.button')), text(field?.querySelector('.reason'))];
  };

  it('by a link that is called so', async () => {
    expect(await track('mina', 'T-1')).toEqual(['Move by hand', undefined]);
  });

  it('only where that is allowed: else it is said why it is not', async () => {
    expect(await track('theo', 'T-1')).toEqual([undefined, 'Your role can move tasks to another stage only by actions.']); // prettier-ignore
    expect(await track('mina', 'B-1')).toEqual([undefined, 'Tasks can move to another stage of this workflow only by actions.']); // prettier-ignore
    await api.post('/api/v1/workflows/tasks/executions', { task_id: 'T-2', action_id: 'hold', performed_by: 'mina@acme.test' }).set('Prefer', 'wait=10').expect(200); // prettier-ignore
    expect(await track('mina', 'T-2')).toEqual([undefined, expect.stringContaining('Held')]);
  });

  it('not where there is nothing to move or to be moved by', async () => {
    expect([await track('mina', 'N-1'), await track('ines', 'T-1')]).toEqual([[undefined, undefined], [undefined, undefined]]); // prettier-ignore
  });
});

it('the form of a new task leaves out what only actions write, and stages that only they enter', async () => {
  const { html } = await page('mina', '/workflows/tasks/new');
  const names = html.querySelectorAll('form.new-task [name]').map((each) => each.getAttribute('name') ?? '');
  expect([...new Set(names)].filter((name) => !name.startsWith('_'))).toEqual(['Note', 'ID', 'Stage', 'Assigned To', 'Amount', 'Owner', 'Bills of it']); // prettier-ignore
  expect(html.querySelectorAll('[name=Stage] option').map(text)).toEqual(['New', 'Review']);
  const ofClerk = await page('theo', '/workflows/tasks/new');
  expect(ofClerk.html.querySelector('[name=Stage]')).toBeNull();
});
