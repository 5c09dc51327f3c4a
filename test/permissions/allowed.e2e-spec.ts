import { type Response } from 'supertest';
import { filesOf, inline, sendForm } from '../support/attachments.js';
import { postBatch } from '../support/batch.js';
import { endOf } from '../support/executions.js';
import { type Client, startServiceWith } from '../support/service.js';
import { keyOf, outcome, personOf } from './person.js';

// A user for each role, who is called like it.
const roles = {
  default: '',
  reader: 'edits: none, creates: false',
  owner: 'edits: assigned',
  actor: 'moves: by_actions',
  cleaner: 'deletes: true',
  narrow: 'sees: assigned, edits: none, moves: by_actions, creates: false',
  boss: 'admin: true, sees: assigned, edits: none, creates: false',
} as const;
type Role = keyof typeof roles;
const names = Object.keys(roles) as Role[];
const emailOf = (role: Role): string => `${role}@acme.test`;

const shop = `
workspace: { id: acme, name: Acme }
users:
${names.map((role) => `  - { email: ${emailOf(role)} }`).join('\n')}
workflows:
  - id: orders
    name: Orders
    stages: [{ name: New }, { name: Done }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Note, type: text }
      - { name: Photos, type: file, limit: 5 }
    roles:
${names.map((role) => `      - { id: ${role}, name: ${role}, actions: [close, drop] , ${roles[role]} }`.replace(', }', '}')).join('\n')}
    members:
${names.map((role) => `      - { email: ${emailOf(role)}, role: ${role} }`).join('\n')}
    actions:
      - { id: close, name: Close, steps: [{ name: Close, type: move_to_stage, stage: Done }] }
      - { id: drop, name: Drop, steps: [{ name: Drop, type: delete_task }] }
  - id: free
    name: Free
    stages: [{ name: New }]
    fields: [{ name: No, type: uniqueId, required: true }]
relationships:
  - { id: near, kind: many_to_many, from: { workflow: orders, name: Parts }, to: { workflow: free, name: Orders } }
`;

const orders = '/api/v1/workflows/orders/tasks';
const executions = '/api/v1/workflows/orders/executions';

const editsNone = '403 Your role cannot edit tasks of this workflow.';
const editsOwn = '403 Your role can edit only tasks that are assigned to you.';
const movesByActions = '403 Your role can move tasks to another stage only by actions.';
const createsNone = '403 Your role cannot create tasks in this workflow.';
const deletesNone = '403 Your role cannot delete tasks of this workflow.';
const done = 'done';

/** What becomes of edits, moves and a DELETE of a task that is one's own, or somebody else's; and of creations. */
const verdicts: Readonly<Record<Role, Readonly<Record<'own' | 'other', readonly [string, string, string]>>>> =
  {
    default: { own: [done, done, deletesNone], other: [done, done, deletesNone] },
    reader: { own: [editsNone, editsNone, deletesNone], other: [editsNone, editsNone, deletesNone] },
    owner: { own: [done, done, deletesNone], other: [editsOwn, editsOwn, deletesNone] },
    actor: { own: [done, movesByActions, deletesNone], other: [done, movesByActions, deletesNone] },
    cleaner: { own: [done, done, done], other: [done, done, done] },
    narrow: { own: [editsNone, editsNone, deletesNone], other: ['404', '404', '404'] },
    boss: { own: [done, done, done], other: [done, done, done] },
  };
const creations: Readonly<Record<Role, readonly [here: string, elsewhere: string]>> = {
  default: [done, done],
  reader: [createsNone, createsNone],
  owner: [done, done],
  actor: [done, movesByActions],
  cleaner: [done, done],
  narrow: [createsNone, createsNone],
  boss: [done, done],
};

/** Everything that edits a task, in an order in which all can be done with one. */
const edits: Readonly<Record<string, (person: Client, task: Given) => PromiseLike<Response>>> = {
  'set a field': (person, { ID }) => person.put(orders, { ID, Note: 'x' }),
  'upsert a field': (person, { ID }) => person.post(orders, { ID, Note: 'y' }),
  unlink: (person, { ID }) => person.delete(`${orders}/${ID}/links/Parts/2`),
  'set links': (person, { ID }) => person.put(orders, { ID, Parts: [{ No: '1' }] }),
  link: (person, { ID }) => person.put(`${orders}/${ID}/links/Parts/2`),
  attach: (person, { ID }) => sendForm(person, `${orders}/${ID}/attachments/Photos`, { filename: 'b.txt' }),
  detach: (person, { ID, blobId }) => person.delete(`${orders}/${ID}/attachments/Photos/${blobId}`),
  'upload a file in a payload': (person, { ID }) => person.put(orders, { ID, Photos: [inline('c.txt')] }),
  'add an item': (person, { ID }) => person.post(`${orders}/${ID}/checklist_items`, { title: 'More', Stage: 'New' }), // prettier-ignore
  'tick an item': (person, { item }) => person.put(item, { status: 'Completed' }),
  'remove an item': (person, { item }) => person.delete(item),
  comment: (person, { ID }) => person.post(`${orders}/${ID}/comments`, { body: 'Hello' }),
  assign: (person, { ID }) => person.put(orders, { ID, 'Assigned To': emailOf('boss') }),
  'assign back': (person, { ID, assignee }) => person.put(orders, { ID, 'Assigned To': assignee }),
};

interface Given {
  readonly ID: string;
  readonly blobId: string;
  /** The path of an item of its checklist. */
  readonly item: string;
  readonly assignee: string | null;
}

const { service, api } = await startServiceWith(shop);

describe('what a role permits', () => {
  const people = new Map<Role, Client>();
  const personOfRole = (role: Role): Client => people.get(role) ?? fail(role);
  let count = 0;

  beforeAll(async () => {
    for (const No of ['1', '2']) await api.post('/api/v1/workflows/free/tasks', { No }).expect(201);
    for (const role of names) people.set(role, await personOf(service, emailOf(role)));
  });

  async function create(assignee: string | null): Promise<Given> {
    const ID = `T${(count += 1)}`;
    const task = { ID, 'Assigned To': assignee, Photos: [inline('a.txt')], Parts: [{ No: '2' }] };
    const [file] = filesOf(await api.post(orders, task).expect(201), 'Photos');
    const items = `${orders}/${ID}/checklist_items`;
    const { id } = await api.send<{ id: string }>(items, { title: 'Look', Stage: 'New' });
    return { ID, blobId: file?.blobId ?? '', item: `${items}/${id}`, assignee };
  }

  it.each(names)('%s: edits, moves and deletions of own and other tasks', async (role) => {
    const person = personOfRole(role);
    for (const whose of ['own', 'other'] as const) {
      const given = await create(whose === 'own' ? emailOf(role) : null);
      const before = await task(given);
      const told: Record<string, string> = {};
      const judge = async (name: string, call: PromiseLike<Response>): Promise<void> => {
        told[name] = (await outcome(call)).replace(/^404 .*/, '404');
      };
      for (const [name, call] of Object.entries(edits)) await judge(name, call(person, given));
      await judge('move', person.put(orders, { ID: given.ID, Stage: 'Done' }));
      await judge('delete', person.delete(`${orders}/${given.ID}`));
      const [edit, move, remove] = verdicts[role][whose];
      const expected = Object.fromEntries(Object.keys(edits).map((name) => [name, edit]));
      // Where there is no such task, to upsert it is to create it; and who gives a task away gives away the right to edit it.
      if (edit === '404') expected['upsert a field'] = creations[role][0];
      if (role === 'owner' && whose === 'own') {
        expected['assign back'] = editsOwn;
        expect(told).toEqual({ ...expected, move: editsOwn, delete: remove });
      } else expect(told).toEqual({ ...expected, move, delete: remove });
      if (edit !== done) expect(await task(given)).toEqual(before);
    }
  });

  it.each(names)('%s: creations, in the initial stage and in another stage', async (role) => {
    const [here, elsewhere] = creations[role];
    const person = personOfRole(role);
    const create = (values: object): Promise<string> => outcome(person.post(orders, values));
    expect(await create({ ID: `${role} 1`, Note: 'x' })).toBe(here);
    expect(await create({ ID: `${role} 2`, Stage: 'Done' })).toBe(elsewhere);
    expect(await create({ ID: `${role} 3`, Stage: 'New' })).toBe(here);
  });

  const task = ({ ID }: Pick<Given, 'ID'>): Promise<unknown[]> =>
    Promise.all(['', '/checklist_items', '/comments'].map(async (of) => (await api.get(`${orders}/${ID}${of}`)).body as unknown)); // prettier-ignore

  it('each row of a batch is judged separately', async () => {
    const [own, other] = [await create(emailOf('owner')), await create(null)];
    const rows = [other.ID, own.ID, 'new by batch'].map((ID) => ({ ID, Note: 'batch' }));
    const key = await keyOf(service, emailOf('owner'));
    const { lines } = await postBatch(`${service.url}${orders}/batch`, key, rows);
    const refused = { row: 1, status: 'error', errors: { base: [editsOwn.slice(4)] } };
    expect(lines).toMatchObject([refused, { status: 'updated' }, { status: 'created' }]);
  });

  const forThemselves = 'is another user: you can act only for yourself';

  it.each(['reader', 'actor', 'narrow'] as const)(
    '%s performs the actions of the role, whatever these edit, move and delete; only for themselves',
    async (role) => {
      const { ID } = await create(emailOf(role));
      const person = personOfRole(role);
      const perform = async (action_id: string): Promise<unknown> => {
        const begun = person.post(executions, { task_id: ID, action_id }).set('Prefer', 'wait=10');
        return (await endOf(person, executions, await begun)).body;
      };
      expect(await perform('close')).toMatchObject({ status: 'Success' });
      expect(await person.read(`${orders}/${ID}`)).toMatchObject({ Stage: 'Done' });
      const actor = { kind: 'user', id: emailOf(role) };
      expect((await person.read<unknown[]>(`${orders}/${ID}/history`))[0]).toMatchObject({ data: { actor } });
      const start = { task_id: ID, action_id: 'close', performed_by: emailOf('boss') };
      expect(await person.refusal(executions, start)).toEqual([`performed_by ${forThemselves}`]);
      const explained = await person
        .get(`${orders}/${ID}/actions?performed_by=${emailOf('boss')}`)
        .expect(422);
      expect(explained.text).toContain(forThemselves);
      // Their own executions they see also when the task is gone.
      expect(await perform('drop')).toMatchObject({ status: 'Success' });
      expect(await person.read(executions)).toHaveLength(2);
    },
  );

  it('a user comments in their own name', async () => {
    const comments = `${orders}/${(await create(null)).ID}/comments`;
    const person = personOfRole('default');
    expect(await person.send(comments, { body: 'Hello' })).toMatchObject({ author: emailOf('default') });
    const forBoss = { body: 'x', performed_by: emailOf('boss') };
    expect(await person.refusal(comments, forBoss)).toEqual({ performed_by: [forThemselves] });
  });

  it('an execution is cancelled by its starter, or by a user with all rights', async () => {
    const { ID } = await create(null);
    const start = { task_id: ID, action_id: 'close' };
    const begun = await personOfRole('default').post(executions, start).expect(202);
    const { id } = begun.body as { id: string };
    const cancel = (role: Role): Promise<string> => outcome(personOfRole(role).delete(`${executions}/${id}`));
    expect(await cancel('reader')).toBe('403 You can cancel only executions that you started yourself.');
    expect(await cancel('narrow')).toBe(`404 No execution \`${id}\` in workflow \`orders\`.`);
  });

  it("a key's comment with `performed_by` is judged as that user's comment", async () => {
    const comments = `${orders}/${(await create(emailOf('owner'))).ID}/comments`;
    for (const [role, may] of [
      ['reader', 'edit'],
      ['narrow', 'see'],
    ] as const)
      expect(await api.refusal(comments, { body: 'x', performed_by: emailOf(role) })).toEqual({
        performed_by: [`cannot comment on this task, which they may not ${may}`],
      });
    await api.post(comments, { body: 'x', performed_by: emailOf('owner') }).expect(201);
    await api.post(comments, { body: 'x' }).expect(201);
  });
});

function fail(role: string): never {
  throw new Error(`there is nobody called ${role}`);
}
