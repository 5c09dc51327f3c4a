import { keyCommands } from '../../src/cli/key.commands.js';
import { wts, type Ended } from '../support/command-line.js';
import { inline } from '../support/attachments.js';
import { postBatch } from '../support/batch.js';
import { endOf } from '../support/executions.js';
import { type Client, startServiceWith } from '../support/service.js';

const definition = `
workspace: { id: acme, name: Acme }
users: [{ email: agent@acme.test }, { email: mina@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }, { name: Review }, { name: Done, end: true }]
    fields:
      - { name: Vendor ID, type: uniqueId, required: true }
      - { name: Notes, type: longText }
      - { name: Risk, type: text }
      - { name: Papers, type: file }
    actions:
      - { id: start-review, name: Start review, stages: [New], steps: [{ name: Move, type: move_to_stage, stage: Review }] }
      - { id: approve, name: Approve, steps: [{ name: Move, type: move_to_stage, stage: Done }] }
      - { id: drop, name: Drop, steps: [{ name: Drop, type: delete_task }] }
    roles: [{ id: agent, name: Agent, sees: assigned, edits: assigned, actions: [start-review, drop] }, { id: all, name: All, admin: true }]
    members: [{ email: agent@acme.test, role: agent }, { email: mina@acme.test, role: all }]
    checklist: [{ title: Call them, stage: New }]
  - id: invoices
    name: Invoices
    stages: [{ name: New }, { name: Paid, end: true }]
    fields: [{ name: Invoice ID, type: uniqueId, required: true }, { name: Amount, type: number }]
relationships:
  - { id: of, kind: many_to_one, from: { workflow: invoices, name: Vendor }, to: { workflow: vendors, name: Invoices } }
`;
const vendors = '/api/v1/workflows/vendors/tasks';
const invoices = '/api/v1/workflows/invoices/tasks';
const executions = '/api/v1/workflows/vendors/executions';

const { service, api } = await startServiceWith(definition);

describe('a narrowed key', () => {
  const run = (...args: string[]): Promise<Ended> =>
    wts(keyCommands(), args, service.config.databaseUrl ?? '');
  /** A key that is made by the command line. */
  async function made(...options: string[]): Promise<string> {
    const { out, err, code } = await run('create', '--workspace', 'acme', '--name', 'bot', ...options);
    expect({ err, code }).toMatchObject({ code: 0 });
    return out.trim();
  }
  async function perform(bot: Client, start: object): Promise<unknown> {
    const answer = await endOf(bot, executions, await bot.post(executions, start).set('Prefer', 'wait=10'));
    expect(answer.status).toBe(200);
    return answer.body;
  }
  const narrowed = async (...options: string[]): Promise<Client> => service.client(await made(...options));

  /** What a batch of these rows is answered, row by row. */
  const batch = async (key: string, rows: readonly object[]): Promise<unknown[]> =>
    (await postBatch(`${service.url}${vendors}/batch`, key, rows)).lines;

  beforeAll(async () => {
    const assigned = { 'Vendor ID': 'V-1', Risk: 'Low', 'Assigned To': 'agent@acme.test' };
    await api.post(vendors, assigned).expect(201);
    await api.post(vendors, { 'Vendor ID': 'V-2', Risk: 'High' }).expect(201);
    await api.post(invoices, { 'Invoice ID': 'I-1', Amount: 5, Vendor: { 'Vendor ID': 'V-1' } }).expect(201);
  });

  describe('to workflows', () => {
    let key: string;
    let bot: Client;
    beforeAll(async () => {
      key = await made('--workflows', 'vendors');
      bot = service.client(key);
    });

    it('does not know other workflows: in paths, in the list of workflows, in the feed', async () => {
      const detail = 'No workflow `invoices` in this workspace; it has: vendors.';
      expect((await bot.get(`${invoices}/I-1`).expect(404)).body).toMatchObject({ detail });
      await bot.post(invoices, { 'Invoice ID': 'I-9' }).expect(404);
      expect(await bot.read('/api/v1/workflows')).toEqual([{ id: 'vendors', name: 'Vendors' }]);
      const events = await bot.read<{ type: string; data: { workflow: string | null } }[]>('/api/v1/events');
      const told = events.map(({ type, data }) => data.workflow ?? type);
      expect(new Set(told)).toEqual(new Set(['vendors', 'definition.applied']));
      expect(await bot.read('/api/v1/events?workflow=invoices')).toEqual([]);
    });

    it('sees the Unique ID of a linked task in another workflow, and nothing else of that task', async () => {
      const Invoices = [{ 'Invoice ID': 'I-1' }];
      const shown = await bot.read(`${vendors}/V-1`);
      expect(shown).toMatchObject({ Risk: 'Low', Invoices });
      for (const answer of [shown, await bot.read(vendors)])
        expect(JSON.stringify(answer)).not.toContain('Amount');
      expect(await bot.read(`${vendors}/V-1/links/Invoices`)).toEqual(Invoices);
      expect(await api.read(`${vendors}/V-1`)).toMatchObject({ Invoices: [{ Amount: '5' }] });
    });

    it('sees that its workflow is linked, but not with which workflow', async () => {
      const path = '/api/v1/workflows/vendors';
      const relationships = [{ id: 'of', from: {}, to: { workflow: 'vendors', name: 'Invoices' } }];
      expect(await bot.read(path)).toMatchObject({ relationships });
      const schemas = { LinkedTask_other_1: {} };
      expect(await bot.read(`${path}/openapi.json`)).toMatchObject({ components: { schemas } });
      expect(await api.read(path)).toMatchObject({ relationships: [{ from: { workflow: 'invoices' } }] });
    });

    it('deletes nothing, whatever it may change', async () => {
      await bot.put(vendors, { 'Vendor ID': 'V-1', Risk: 'Mid' }).expect(200);
      await bot.delete(`${vendors}/V-1`).expect(403, /A narrowed key cannot delete tasks\./);
      expect(await batch(key, [{ _delete: true, 'Vendor ID': 'V-2' }])).toMatchObject([{ status: 'error' }]);
      await api.get(`${vendors}/V-2`).expect(200);
    });

    it('filters linked tasks of another workflow by their Unique ID only', async () => {
      const errors = { 'Invoices.Amount': ['is not a field of the linked tasks'] };
      await bot.get(`${vendors}?Invoices.Amount=5`).expect(422, { errors });
      const found = [{ 'Vendor ID': 'V-1' }];
      expect(await bot.read(`${vendors}?Invoices.Invoice ID=I-1`)).toMatchObject(found);
      expect(await api.read(`${vendors}?Invoices.Amount=5`)).toMatchObject(found);
    });

    it('gets no answer that was given to another key with the same Idempotency-Key', async () => {
      const change = { 'Vendor ID': 'V-1', Notes: 'once' };
      await api.post(vendors, change).set('Idempotency-Key', 'same').expect(200);
      await bot.post(vendors, change).set('Idempotency-Key', 'same').expect(409);
    });
  });

  describe('to actions', () => {
    it('is offered only these actions, and may start no others', async () => {
      const bot = await narrowed('--workflows', 'vendors', '--actions', 'start-review');
      const offered = [{ id: 'start-review', name: 'Start review' }];
      expect(await bot.read(`${vendors}/V-1/actions`)).toEqual(offered);
      const start = { task_id: 'V-2', action_id: 'approve' };
      await bot
        .post(executions, start)
        .expect(403, /This key cannot start `approve`; it can start `start-review`\./);
      await perform(bot, { task_id: 'V-2', action_id: 'start-review' });
    });

    it('cancels no execution of another action', async () => {
      await api.post(vendors, { 'Vendor ID': 'V-9' }).expect(201);
      const { id } = (await perform(api, { task_id: 'V-9', action_id: 'approve' })) as { id: string };
      const bot = await narrowed('--actions', 'start-review');
      await bot.delete(`${executions}/${id}`).expect(403, /This key cannot start `approve`/);
    });
  });

  describe('to fields', () => {
    let key: string;
    let bot: Client;
    beforeAll(async () => {
      key = await made('--workflows', 'vendors', '--fields', 'Notes, Invoices');
      bot = service.client(key);
    });
    const notByThisKey = 'may not be changed by this key. The key may change: Notes, Invoices';
    const refused = { errors: { Risk: [notByThisKey] } };

    it('changes no other fields, but may send their current values', async () => {
      await bot.put(vendors, { 'Vendor ID': 'V-2', Notes: 'n' }).expect(200);
      await bot.put(vendors, { 'Vendor ID': 'V-2', Risk: 'x' }).expect(422, refused);
      const read = await bot.read<object>(`${vendors}/V-2`);
      await bot.put(vendors, { ...read, Notes: 'again' }).expect(200);
      expect(await api.read(`${vendors}/V-2`)).toMatchObject({ Notes: 'again', Risk: 'High' });
    });

    it.each([
      ['Stage', 'Done'],
      ['Assigned To', 'mina@acme.test'],
      ['Papers', [inline('a.txt')]],
    ])('does not set %s of an existing or a new task', async (name, value) => {
      const errors = { [name]: [notByThisKey] };
      await bot.put(vendors, { 'Vendor ID': 'V-2', [name]: value }).expect(422, { errors });
      await bot.post(vendors, { 'Vendor ID': 'V-8', [name]: value }).expect(422, { errors });
      await api.get(`${vendors}/V-8`).expect(404);
    });

    it('writes a batch by the same rules, row by row', async () => {
      const rows = [
        { 'Vendor ID': 'V-3', Notes: 'new' },
        { 'Vendor ID': 'V-4', Risk: 'High' },
      ];
      expect(await batch(key, rows)).toMatchObject([{ status: 'created' }, { status: 'error', ...refused }]);
    });

    it('links by the names that it may write, and changes neither files nor the checklist', async () => {
      await api.post(invoices, { 'Invoice ID': 'I-2' }).expect(201);
      await bot.put(`${vendors}/V-2/links/Invoices/I-2`).expect(204);
      await bot.post(`${vendors}/V-2/checklist_items`, { title: 'More' }).expect(403);
      const [item] = await bot.read<{ id: string }[]>(`${vendors}/V-2/checklist_items`);
      const tick = bot.put(`${vendors}/V-2/checklist_items/${item?.id}`, { status: 'Completed' });
      await tick.expect(403, /This key can change only some fields, and `Checklist` is not one of them\./);
      const bare = await narrowed('--fields', 'Notes');
      await bare.delete(`${vendors}/V-2/links/Invoices/I-2`).expect(422);
    });
  });

  it('to fields and `Checklist` ticks items, and does nothing else with items', async () => {
    const bot = await narrowed('--workflows', 'vendors', '--fields', 'Notes,Checklist');
    await api.post(vendors, { 'Vendor ID': 'V-ticked' }).expect(201);
    const items = `${vendors}/V-ticked/checklist_items`;
    const { body: added } = await api.post(items, { title: 'Ask again', Stage: 'New' }).expect(201);
    for (const item of await bot.read<{ id: string }[]>(items)) {
      const ticked = { ...item, status: 'Completed' };
      expect((await bot.put(`${items}/${item.id}`, ticked).expect(200)).body).toEqual(ticked);
    }
    const { id } = added as { id: string };
    const other = { title: 'Ask never', Stage: 'Done', 'Assigned To': 'mina@acme.test' };
    const why = ['may not be changed by this key, which only ticks items'];
    const errors = { title: why, Stage: why, 'Assigned To': why };
    await bot.put(`${items}/${id}`, other).expect(422, { errors });
    await bot.post(items, { title: 'More', Stage: 'New' }).expect(403);
    await bot.delete(`${items}/${id}`).expect(403);
    const Risk = ['may not be changed by this key. The key may change: Notes, Checklist'];
    await bot.put(vendors, { 'Vendor ID': 'V-ticked', Risk: 'x' }).expect(422, { errors: { Risk } });
    await api.delete(`${vendors}/V-ticked`).expect(204);
  });

  it('is not told how to make a key with more rights', async () => {
    const bot = await narrowed('--workflows', 'vendors');
    await bot.get('/api/v1/webhooks').expect(403, /"Only an administrator may do this\."/);
    await api.get('/api/v1/webhooks').expect(403, /--scope admin/);
  });

  describe('that acts as a user', () => {
    let bot: Client;
    beforeAll(async () => {
      bot = await narrowed('--as', 'agent@acme.test');
    });

    it("is bound by the user's roles, and acts as nobody else", async () => {
      expect(await bot.read(vendors)).toMatchObject([{ 'Vendor ID': 'V-1' }]);
      await bot.get(`${vendors}/V-2`).expect(404);
      const start = { task_id: 'V-1', action_id: 'start-review' };
      await bot.post(executions, { ...start, performed_by: 'mina@acme.test' }).expect(422);
      await bot.post(executions, { task_id: 'V-1', action_id: 'approve' }).expect(422);
      await perform(bot, start);
      await bot.get('/api/v1/events').expect(403);
    });

    it('is named in events with its user', async () => {
      await bot.put(vendors, { 'Vendor ID': 'V-1', Notes: 'by the agent' }).expect(200);
      const history = await api.read<{ data: { actor: object } }[]>(`${vendors}/V-1/history`);
      const { key } = await bot.read<{ key: { id: string } }>('/api/v1/whoami');
      // What the agent wrote, what it started, how that ended, and what its step changed.
      const itself = { kind: 'user', id: 'agent@acme.test', key: key.id };
      expect(history.slice(0, 4).map(({ data }) => data.actor)).toEqual([itself, itself, itself, itself]);
    });

    it('is refused while the user is deactivated', async () => {
      await service.apply(definition.replace('agent@acme.test }', 'agent@acme.test, active: false }'));
      await bot.get('/api/v1/whoami').expect(401);
      expect((await run('list')).out).toMatch(/write; as agent@acme\.test +user deactivated/);
      await service.apply(definition);
      await bot.get('/api/v1/whoami').expect(200);
    });
  });

  it.each([[['--actions', 'drop']], [['--as', 'agent@acme.test']]])(
    'with %j learns the result of an action that deletes its task',
    async (options) => {
      const bot = await narrowed(...options);
      await api.post(vendors, { 'Vendor ID': 'V-10', 'Assigned To': 'agent@acme.test' }).expect(201);
      const body = await perform(bot, { task_id: 'V-10', action_id: 'drop' });
      expect(body).toMatchObject({ status: 'Success' });
      await bot.get(`${executions}/${(body as { id: string }).id}`).expect(200);
      await api.get(`${vendors}/V-10`).expect(404);
    },
  );

  it('whoami shows its name and its rights', async () => {
    const bot = await narrowed('--workflows', 'vendors', '--fields', 'Notes,Risk', '--as', 'agent@acme.test', '--expires', '90d'); // prettier-ignore
    expect(await bot.read('/api/v1/whoami')).toEqual({
      workspace: 'acme',
      key: {
        id: expect.stringMatching(/^key_/) as string,
        name: 'bot',
        scope: 'write',
        workflows: ['vendors'],
        actions: null,
        fields: ['Notes', 'Risk'],
        creates: false,
        as: 'agent@acme.test',
        expires_at: expect.stringMatching(/Z$/) as string,
      },
    });
    const plain = { workflows: null, actions: null, fields: null, as: null, expires_at: null };
    expect((await api.get('/api/v1/whoami')).body).toMatchObject({ key: plain });
  });

  it('is listed with its restrictions', async () => {
    await run('create', '--workspace', 'acme', '--name', 'turned', '--actions', 'approve');
    expect((await run('list')).out).toContain('write; actions: approve ');
  });

  it.each([
    [['--workflows', 'vendor'], /vendor.*did you mean.*vendors/i],
    [['--workflows', 'invoices', '--actions', 'approve'], /approve/],
    [['--fields', 'Task URL'], /Task URL/],
    [['--as', 'nobody@acme.test'], /is not a user of this workspace/],
    [['--actions', 'approve', '--scope', 'admin'], /admin/],
    [['--workflows', ''], /--workflows is empty/],
    [['--actions', ','], /--actions is empty/],
    [['--fields', ' '], /--fields is empty/],
    [['--as', ''], /--as is not a user/],
  ])('is not made with unknown or empty names: %j', async (options, why) => {
    const { err, code } = await run('create', '--workspace', 'acme', '--name', 'bot', ...options);
    expect(code).not.toBe(0);
    expect(err).toMatch(why);
  });

  it('follows the renames of its fields and actions, and may use no other names', async () => {
    const options = ['--workflows', 'vendors, invoices', '--fields', 'Risk, Amount', '--actions', 'approve'];
    const bot = await narrowed(...options);
    // In invoices, the field that takes the former name of another is a new one.
    const renamed = definition
      .replace('{ name: Risk, type: text }', '{ name: Danger, was: Risk, type: text }')
      .replace('id: approve, name', 'id: accept, was: approve, name')
      .replace('{ name: Amount,', '{ name: Notes, was: Amount,');
    await service.apply(renamed);
    const names = { key: { fields: ['Danger'], actions: ['accept'] } };
    expect(await bot.read('/api/v1/whoami')).toMatchObject(names);
    await bot.put(vendors, { 'Vendor ID': 'V-2', Danger: 'Low' }).expect(200);
    await bot.put(vendors, { 'Vendor ID': 'V-2', Notes: 'no' }).expect(422);
  });
});
