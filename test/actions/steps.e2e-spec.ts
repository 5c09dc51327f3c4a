import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Client, startService, type TestService } from '../support/service.js';

const cases = '/api/v1/workflows/cases/tasks';
const executions = '/api/v1/workflows/cases/executions';

/** A workflow whose actions are these, each a flow mapping of steps by its id. */
const yaml = (actions: Readonly<Record<string, string>>): string => `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test, first_name: Mina, last_name: Ray }, { email: theo@acme.test }]
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Busy }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Title, type: text, required: true }
      - { name: Amount, type: currency }
      - { name: Day, type: date }
      - { name: Tags, type: multipleSelect, options: [A, B] }
      - { name: Open, type: checkbox }
      - { name: Fixed, type: text }
      - { name: Files, type: file }
    actions:
${Object.entries(actions)
  .map(([id, steps]) => `      - { id: ${id}, name: ${id}, steps: [${steps}] }`)
  .join('\n')}
  - id: parts
    name: Parts
    stages: [{ name: Open }, { name: Sold, end: true }]
    fields: [{ name: Part, type: uniqueId, required: true }, { name: Price, type: currency }, { name: Tags, type: multipleSelect, options: [A, B] }]
    checklist: [{ title: Count, stage: Open }]
  - id: customers
    name: Customers
    stages: [{ name: Active }]
    fields: [{ name: Name, type: uniqueId, required: true }, { name: Post Box 7.5, type: text }, { name: Credit, type: currency }, { name: Owner, type: person }]
relationships:
  - { id: customer, kind: many_to_one, from: { workflow: cases, name: Customer }, to: { workflow: customers, name: Cases } }
  - { id: parts, kind: one_to_many, from: { workflow: cases, name: Parts }, to: { workflow: parts, name: Case } }
`;

describe('steps', () => {
  let service: TestService;
  let api: Client;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    const { url } = receiver;
    service = await startService({ WTS_OUTBOUND_ALLOW: '127.0.0.1/32' });
    await service.apply(
      yaml({
        move: `{ name: Move, type: move_to_stage, stage: Done }`,
        assign: `{ name: Give, type: assign, to: theo@acme.test }`,
        take: `{ name: Take, type: assign, to: performer }`,
        free: `{ name: Free, type: assign, to: nobody }`,
        update: `{ name: Fill, type: update_fields, set: { Title: '{{ID}} of {{Stage}}', Amount: { expression: 'task["Amount"] * 2' }, Day: { expression: 'add_days("2026-01-30", 3)' }, Tags: [B, A], Open: true } }`,
        far: `{ name: Fill, type: update_fields, set: { Title: '{{Customer.Name}} ({{Customer.Stage}}) {{Customer.Post Box 7.5}}', Amount: '{{Customer.Credit}}' } }, { name: Tell, type: api_call, url: '${url}/{{Customer.Name}}', body: { credit: '{{Customer.Credit}}' } }, { name: Say, type: comment, text: '{{Customer.Name}} was told' }`,
        hand: `{ name: Hand over, type: assign, to: { field: Customer.Owner } }`,
        blank: `{ name: Blank, type: update_fields, set: { Title: null } }`,
        fix: `{ name: Fix, type: update_fields, set: { Fixed: other } }`,
        raise: `{ name: Raise, type: update_fields, set: { Amount: { expression: 'task["Amount"] / 0' } } }`,
        create: `{ name: Make, type: create_linked_task, relationship: parts, set: { Part: 'P-{{ID}}', Price: '{{Amount}}', Tags: '{{Tags}}', Stage: Sold, Assigned To: mina@acme.test } }`,
        linked: `{ name: Sell, type: update_linked_tasks, relationship: parts, set: { Stage: Sold, Price: '7' } }`,
        add: `{ name: Add, type: add_checklist_items, items: [{ title: Look, stage: Busy }] }`,
        delete: `{ name: Gone, type: delete_task }`,
      }),
    );
    // Definitions that an older version took hold such steps.
    await service.dataSource.query("UPDATE fields SET editable = false WHERE name = 'Fixed'");
    await service.dataSource.query('UPDATE workspaces SET version = version + 1');
    api = service.client(await service.key('acme'));
  });
  afterAll(async () => {
    await service.stop();
    receiver.stop();
  });

  /** Creates a case, does the action on it and gives the execution's end. */
  async function perform(action: string, ID: string, further: object = {}): Promise<object> {
    await api.post(cases, { ID, Title: 'a b', Amount: '10.5', Fixed: 'f', ...further }).expect(201);
    return begin(action, ID);
  }

  async function begin(action_id: string, task_id: string, performed_by?: string): Promise<object> {
    const sent = { task_id, action_id, performed_by };
    const { body } = await api.post(executions, sent).set('Prefer', 'wait=20').expect(200);
    const { status, errors } = body as { status: string; errors?: string[] };
    return { status, ...(errors && { errors }) };
  }

  async function read(ID: string): Promise<Record<string, unknown>> {
    return (await api.get(`${cases}/${ID}`).expect(200)).body as Record<string, unknown>;
  }

  it.each([
    ['move', { Stage: 'Done' }],
    ['assign', { 'Assigned To': 'theo@acme.test' }],
    ['free', { 'Assigned To': null }],
    ['update', { Title: 'update of New', Amount: '21.00', Day: '2026-02-02', Tags: ['A', 'B'], Open: true }],
  ])('%s does what it says', async (action, change) => {
    expect(await perform(action, action, { 'Assigned To': 'mina@acme.test' })).toEqual({ status: 'Success' });
    expect(await read(action)).toMatchObject(change);
  });

  it('templates name fields of the task that is linked as the one; blank where there is none', async () => {
    await api.post('/api/v1/workflows/customers/tasks', { Name: 'C-1', 'Post Box 7.5': '12', Credit: '5' }); // prettier-ignore
    await perform('far', 'F-1', { Customer: { Name: 'C-1' } });
    expect((await api.get(`${cases}/F-1`)).body).toMatchObject({ Title: 'C-1 (Active) 12', Amount: '5.00' });
    expect(receiver.calls).toMatchObject([{ path: '/C-1', body: '{"credit":"5.00"}' }]);
    expect((await api.get(`${cases}/F-1/comments`)).body).toMatchObject([{ body: 'C-1 was told' }]);
    await api.put('/api/v1/workflows/customers/tasks', { Name: 'C-1', Owner: 'theo@acme.test' }).expect(200);
    await begin('hand', 'F-1');
    expect((await api.get(`${cases}/F-1`)).body).toMatchObject({ 'Assigned To': 'theo@acme.test' });
    await perform('far', 'F-2', { Amount: '9' });
    expect((await api.get(`${cases}/F-2`)).body).toMatchObject({ Title: ' () ', Amount: null });
    expect(receiver.calls[1]).toMatchObject({ path: '/', body: '{"credit":null}' });
  });

  it('assign to the performer needs one', async () => {
    const errors = ['Take: there is no performer to assign it to'];
    expect(await perform('take', 'take')).toEqual({ status: 'Fail', errors });
    expect(await begin('take', 'take', 'MINA@acme.test')).toEqual({ status: 'Success' });
    expect(await read('take')).toMatchObject({ 'Assigned To': 'mina@acme.test' });
  });

  it.each([
    ['blank', 'Blank: Title is required'],
    ['fix', 'Fix: Fixed cannot be changed after creation'],
    ['raise', 'Raise: division by zero'],
  ])('%s fails, names its reason and changes nothing', async (action, reason) => {
    expect(await perform(action, action)).toEqual({ status: 'Fail', errors: [reason] });
    expect(await read(action)).toMatchObject({ Stage: 'New', Title: 'a b', Amount: '10.50', Fixed: 'f' });
  });

  it('create_linked_task creates, links, and gives the template’s items', async () => {
    expect(await perform('create', 'c', { Tags: ['B'] })).toEqual({ status: 'Success' });
    expect(await read('c')).toMatchObject({
      Parts: [{ Part: 'P-c', Price: '10.50', Tags: ['B'], Stage: 'Sold', 'Assigned To': 'mina@acme.test' }],
    });
    const items = await api.get('/api/v1/workflows/parts/tasks/P-c/checklist_items').expect(200);
    expect(items.body).toMatchObject([{ title: 'Count', editable: false }]);
  });

  it('update_linked_tasks changes each of them', async () => {
    const parts = ['L1', 'L2'].map((Part) => ({ Part }));
    for (const part of parts) await api.post('/api/v1/workflows/parts/tasks', part).expect(201);
    expect(await perform('linked', 'l', { Parts: parts })).toEqual({ status: 'Success' });
    const sold = { Stage: 'Sold', Price: '7.00' };
    expect(await read('l')).toMatchObject({ Parts: [sold, sold] });
    expect(await perform('linked', 'none')).toEqual({ status: 'Success' });
  });

  it('add_checklist_items adds editable items', async () => {
    expect(await perform('add', 'add')).toEqual({ status: 'Success' });
    const { body } = await api.get(`${cases}/add/checklist_items`).expect(200);
    expect(body).toMatchObject([{ title: 'Look', Stage: 'Busy', status: 'Blank', editable: true }]);
  });

  it('delete_task deletes it, its links go, and its partners have a new version', async () => {
    const added = await api.post('/api/v1/workflows/parts/tasks', { Part: 'D' }).expect(201);
    expect(await perform('delete', 'd', { Parts: [{ Part: 'D' }] })).toEqual({ status: 'Success' });
    await api.get(`${cases}/d`).expect(404);
    const { body, headers } = await api.get('/api/v1/workflows/parts/tasks/D').expect(200);
    const version = (tag: unknown): number => Number(/^"(\d+)-/.exec(String(tag))?.[1]);
    // One when it was linked, and one when it was not any more.
    const grown = version(headers['etag']) - version(added.headers['etag']);
    expect([(body as { Case: unknown }).Case, grown]).toEqual([null, 2]);
  });
});
