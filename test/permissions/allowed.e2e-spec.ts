import { outcome, Person } from './person.js';
import { startServiceWith } from '../support/service.js';

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
const edits: Readonly<Record<string, (person: Person, id: string, given: Given) => Promise<unknown>>> = {
  'set a field': (person, id) => person.update('orders', { ID: id, Note: 'x' }),
  'upsert a field': (person, id) => person.upsert('orders', { ID: id, Note: 'y' }),
  unlink: (person, id) => person.unlink('orders', id, 'Parts', '2'),
  'set links': (person, id) => person.update('orders', { ID: id, Parts: [{ No: '1' }] }),
  link: (person, id) => person.link('orders', id, 'Parts', '2'),
  attach: (person, id) => person.attach('orders', id, 'Photos'),
  detach: (person, id, { blobId }) => person.detach('orders', id, 'Photos', blobId),
  'upload a file in a payload': (person, id) => person.update('orders', { ID: id, Photos: [photo] }),
  'add an item': (person, id) => person.addItem('orders', id),
  'tick an item': (person, id, { itemId }) => person.tick('orders', id, itemId),
  'remove an item': (person, id, { itemId }) => person.removeItem('orders', id, itemId),
  comment: (person, id) => person.comment('orders', id),
  assign: (person, id) => person.update('orders', { ID: id, 'Assigned To': emailOf('boss') }),
  'assign back': (person, id, { assignee }) => person.update('orders', { ID: id, 'Assigned To': assignee }),
};
const photo = { filename: 'a.txt', contentType: 'text/plain', base64contents: 'YQ==' };

interface Given {
  readonly blobId: string;
  readonly itemId: string;
  readonly assignee: string | null;
}

const { service, api } = await startServiceWith(shop);

describe('what a role lets its holders do', () => {
  const people = new Map<Role, Person>();
  const personOf = (role: Role): Person => people.get(role) ?? fail(role);
  let count = 0;

  beforeAll(async () => {
    for (const No of ['1', '2']) await api.post('/api/v1/workflows/free/tasks', { No }).expect(201);
    for (const role of names) people.set(role, await Person.of(service, 'acme', emailOf(role)));
  });

  async function create(assignee: string | null): Promise<Given & { readonly id: string }> {
    const id = `T${(count += 1)}`;
    const task = { ID: id, 'Assigned To': assignee, Photos: [photo], Parts: [{ No: '2' }] };
    const { body } = await api.post(orders, task).expect(201);
    const [{ blobId }] = (body as { Photos: [{ blobId: string }] }).Photos;
    const item = await api
      .post(`${orders}/${id}/checklist_items`, { title: 'Look', Stage: 'New' })
      .expect(201);
    return { id, blobId, itemId: (item.body as { id: string }).id, assignee };
  }

  it.each(names)('%s: edits, moves and deletes of own tasks and of others', async (role) => {
    const person = personOf(role);
    for (const whose of ['own', 'other'] as const) {
      const { id, ...given } = await create(whose === 'own' ? emailOf(role) : null);
      const before = await task(id);
      const told: Record<string, string> = {};
      const judge = async (name: string, call: Promise<unknown>): Promise<void> => {
        told[name] = (await outcome(call)).replace(/^404 .*/, '404');
      };
      for (const [name, call] of Object.entries(edits)) await judge(name, call(person, id, given));
      await judge('move', person.update('orders', { ID: id, Stage: 'Done' }));
      await judge('delete', person.delete('orders', id));
      const [edit, move, remove] = verdicts[role][whose];
      const expected = Object.fromEntries(Object.keys(edits).map((name) => [name, edit]));
      // Where there is no such task, to upsert it is to create it; and who gives a task away gives away the right to edit it.
      if (edit === '404') expected['upsert a field'] = creations[role][0];
      if (role === 'owner' && whose === 'own') {
        expected['assign back'] = editsOwn;
        expect(told).toEqual({ ...expected, move: editsOwn, delete: remove });
      } else expect(told).toEqual({ ...expected, move, delete: remove });
      if (edit !== done) expect(await task(id)).toEqual(before);
    }
  });

  it.each(names)('%s: creations, in the initial stage and in another', async (role) => {
    const [here, elsewhere] = creations[role];
    const person = personOf(role);
    expect(await outcome(person.upsert('orders', { ID: `${role} 1`, Note: 'x' }))).toBe(here);
    expect(await outcome(person.upsert('orders', { ID: `${role} 2`, Stage: 'Done' }))).toBe(elsewhere);
    expect(await outcome(person.upsert('orders', { ID: `${role} 3`, Stage: 'New' }))).toBe(here);
  });

  async function task(id: string): Promise<unknown> {
    return [
      (await api.get(`${orders}/${id}`)).body,
      (await api.get(`${orders}/${id}/checklist_items`)).body,
      (await api.get(`${orders}/${id}/comments`)).body,
    ];
  }

  it('each row of a batch is judged for itself, and all of them where it is all or nothing', async () => {
    const [own, other] = [await create(emailOf('owner')), await create(null)];
    const rows = [{ ID: other.id, Note: 'batch' }, { ID: own.id, Note: 'batch' }, { ID: 'new by batch' }];
    const person = personOf('owner');
    const refused = { row: 1, status: 'error', errors: { base: [editsOwn.slice(4)] } };
    expect(await person.batch('orders', rows, true)).toMatchObject([refused]);
    expect(await task('new by batch')).toMatchObject([{ status: 404 }, {}, {}]);
    expect(await person.batch('orders', rows)).toMatchObject([
      refused,
      { status: 'updated' },
      { status: 'created' },
    ]);
  });

  it('a user performs what their role has, whatever it edits, moves and deletes; for themselves only', async () => {
    for (const role of ['reader', 'actor', 'narrow'] as const) {
      const { id } = await create(emailOf(role));
      const person = personOf(role);
      const execution = await person.perform('orders', id, 'close');
      expect(await person.end('orders', execution)).toBe('Success');
      expect(await person.read('orders', id)).toMatchObject({ Stage: 'Done' });
      const [event] = await person.history('orders', id);
      expect(event?.data.actor).toMatchObject({ kind: 'user', id: emailOf(role) });
      const somebody = { performed_by: emailOf('boss') };
      expect(await outcome(person.perform('orders', id, 'close', somebody))).toBe(
        '422 performed_by is another user: you can act only for yourself',
      );
      expect(await outcome(person.actions('orders', id, somebody))).toMatch(
        /^422 .*you can act only for yourself/,
      );
      // Their own executions they see also when the task is gone.
      const last = await person.perform('orders', id, 'drop');
      expect(await person.end('orders', last)).toBe('Success');
      expect((await person.executions('orders')).map((shown) => shown.id)).toEqual([last, execution]);
    }
  });

  it('events name the e-mail of the user who acts', async () => {
    const { id } = await create(null);
    const person = personOf('default');
    await person.update('orders', { ID: id, Note: 'mine' });
    expect(await person.comment('orders', id)).toMatchObject({ author: emailOf('default') });
    expect(await outcome(person.comment('orders', id, { body: 'x', performed_by: emailOf('boss') }))).toBe(
      '422 {"performed_by":["is another user: you can act only for yourself"]}',
    );
    const told = await person.history('orders', id);
    expect(told.slice(0, 2).map(({ type, data }) => [type, data.actor])).toMatchObject([
      ['comment.created', { kind: 'user', id: emailOf('default') }],
      ['task.updated', { kind: 'user', id: emailOf('default') }],
    ]);
  });

  it('an execution is cancelled by its starter, or by a user with all rights', async () => {
    const { id } = await create(null);
    const begun = await personOf('default').perform('orders', id, 'close');
    expect(await outcome(personOf('reader').cancel('orders', begun))).toBe(
      '403 You can cancel only executions that you started yourself.',
    );
    expect(await outcome(personOf('narrow').cancel('orders', begun))).toBe(
      `404 No execution \`${begun}\` in workflow \`orders\`.`,
    );
  });

  it('a key’s comment with `performed_by` is judged as that user’s', async () => {
    const { id } = await create(emailOf('owner'));
    const path = `${orders}/${id}/comments`;
    const refused = { errors: { performed_by: ['cannot comment on this task'] } };
    for (const role of ['reader', 'narrow'] as const)
      expect((await api.post(path, { body: 'x', performed_by: emailOf(role) }).expect(422)).body).toEqual(
        refused,
      );
    await api.post(path, { body: 'x', performed_by: emailOf('owner') }).expect(201);
    await api.post(path, { body: 'x' }).expect(201);
  });
});

function fail(role: string): never {
  throw new Error(`there is nobody called ${role}`);
}
