import { outcome, Person, type TaskJson } from './person.js';
import { linkedPage } from '../../src/tasks/store/linked-tasks.js';
import { rowsRead } from '../support/rows-read.js';
import { startServiceWith } from '../support/service.js';

// Ann sees the claims that are assigned to her and all policies; Ben sees all; Cid holds no role.
const insurer = `
workspace: { id: acme, name: Acme }
users: [{ email: ann@acme.test }, { email: ben@acme.test }, { email: cid@acme.test }]
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Note, type: text }
      - { name: Story, type: longText }
      - { name: Photos, type: file, limit: 5 }
    checklist: [{ title: Look, stage: New }]
    roles:
      - { id: agent, name: Agent, actions: [close], sees: assigned, deletes: true }
      - { id: boss, name: Boss, admin: true }
    members: [{ email: ann@acme.test, role: agent }, { email: ben@acme.test, role: boss }]
    actions:
      - id: close
        name: Close
        requirements: { conditions: [{ when: 'task["Liked by"].size() == 0', message: Nobody may like it }] }
        steps: [{ name: Close, type: move_to_stage, stage: Done }]
  - id: policies
    name: Policies
    stages: [{ name: New }]
    fields: [{ name: No, type: uniqueId, required: true }]
  - id: secrets
    name: Secrets
    stages: [{ name: New }]
    fields: [{ name: No, type: uniqueId, required: true }]
    roles: [{ id: keeper, name: Keeper }]
    members: [{ email: ben@acme.test, role: keeper }]
relationships:
  - { id: of, kind: many_to_one, from: { workflow: claims, name: Policy }, to: { workflow: policies, name: Claims } }
  - { id: near, kind: many_to_many, from: { workflow: claims, name: Like }, to: { workflow: claims, name: Liked by } }
  - { id: main, kind: one_to_one, from: { workflow: policies, name: Main claim }, to: { workflow: claims, name: Main of } }
  - { id: in, kind: many_to_many, from: { workflow: claims, name: Secrets }, to: { workflow: secrets, name: Claims } }
`;

const path = '/api/v1/workflows';

const { service, api } = await startServiceWith(insurer);

describe('what a user does not see is not there', () => {
  let ann: Person;
  let ben: Person;
  let cid: Person;
  let blobId: string;
  let itemId: string;

  beforeAll(async () => {
    [ann, ben, cid] = (await Promise.all(
      ['ann', 'ben', 'cid'].map((name) => Person.of(service, 'acme', `${name}@acme.test`)),
    )) as [Person, Person, Person];
    await api.post(`${path}/policies/tasks`, { No: 'P' }).expect(201);
    await api.post(`${path}/secrets/tasks`, { No: 'S' }).expect(201);
    const photo = { filename: 'a.txt', contentType: 'text/plain', base64contents: 'YQ==' };
    const links = { Policy: { No: 'P' }, Secrets: [{ No: 'S' }] };
    const further = { Photos: [photo], Like: [{ ID: 'mine' }], 'Main of': { No: 'P' } };
    await create({ ID: 'mine', 'Assigned To': 'ann@acme.test', ...links });
    const theirs = await create({ ID: 'theirs', 'Assigned To': 'ben@acme.test', ...links, ...further });
    await create({ ID: 'nobodys' });
    [{ blobId }] = theirs['Photos'] as [{ blobId: string }];
    [{ id: itemId }] = (await ben.items('claims', 'theirs')) as [{ id: string }];
  });

  async function create(claim: object): Promise<Readonly<Record<string, unknown>>> {
    return (await api.post(`${path}/claims/tasks`, claim).expect(201)).body as Record<string, unknown>;
  }

  const of = 'claims';
  /** Everything that the services do with one task. */
  const operations: Readonly<Record<string, (person: Person, id: string) => Promise<unknown>>> = {
    read: (person, id) => person.read(of, id),
    update: (person, id) => person.update(of, { ID: id, Note: 'x' }),
    delete: (person, id) => person.delete(of, id),
    'list links': (person, id) => person.links(of, id, 'Policy'),
    link: (person, id) => person.link(of, id, 'Policy', 'P'),
    unlink: (person, id) => person.unlink(of, id, 'Policy', 'P'),
    attach: (person, id) => person.attach(of, id, 'Photos'),
    detach: (person, id) => person.detach(of, id, 'Photos', blobId),
    'list items': (person, id) => person.items(of, id),
    'read item': (person, id) => person.item(of, id, itemId),
    'add item': (person, id) => person.addItem(of, id),
    'change item': (person, id) => person.tick(of, id, itemId),
    'remove item': (person, id) => person.removeItem(of, id, itemId),
    'list comments': (person, id) => person.comments(of, id),
    comment: (person, id) => person.comment(of, id),
    history: (person, id) => person.history(of, id),
    actions: (person, id) => person.actions(of, id),
    'explain actions': (person, id) => person.actions(of, id, { _explain: 'true' }),
    perform: (person, id) => person.perform(of, id, 'close'),
    'list executions': (person, id) => person.executions(of, { task_id: id }),
  };

  it.each(Object.keys(operations))(
    '%s: a task of somebody else is 404 as an unknown one is, in the same words',
    async (name) => {
      const operation = operations[name];
      const unknown = await outcome(operation?.(ann, 'unknown') ?? Promise.resolve());
      expect(unknown).toMatch(/^404 /);
      expect(await outcome(operation?.(ann, 'theirs') ?? Promise.resolve())).toBe(
        unknown.replaceAll('unknown', 'theirs'),
      );
    },
  );

  it('lists and counts contain only tasks assigned to them, for every query', async () => {
    for (const query of ['', '_limit=1', '_sort=Note', 'ID=theirs&ID=mine', 'Stage=New', 'ID[contains]=e']) {
      const { tasks } = await ann.list('claims', query);
      expect([query, tasks.map(({ ID }) => ID)]).toEqual([query, ['mine']]);
    }
    expect((await ann.list('claims', '', true)).tasks).toHaveLength(1);
    expect(await ann.list('claims', 'Assigned To=ben@acme.test&_count=true')).toEqual({
      tasks: [],
      total: 0,
    });
    expect((await ann.list('claims', '_count=true&_limit=1')).total).toBe(1);
    expect((await ben.list('claims', '_count=true&_limit=1')).total).toBe(3);
  });

  it('a filter by a field of linked tasks is true of those that they see only', async () => {
    const policies = async (person: Person, query: string): Promise<number> =>
      (await person.list('policies', query)).tasks.length;
    for (const query of ['Claims.ID=theirs', '_any=Claims.ID%3Dtheirs%26No%3Dx'])
      expect([query, await policies(ann, query), await policies(ben, query)]).toEqual([query, 0, 1]);
    expect(await policies(ann, 'Claims.ID=mine')).toBe(1);
    expect(await policies(ann, 'Claims.ID[ne]=theirs')).toBe(1);
    expect((await ann.list('claims', 'Secrets.No=S')).tasks).toEqual([]);
    expect((await ben.list('claims', 'Secrets.No=S')).tasks).toHaveLength(2);
  });

  it('linked tasks that they do not see are not shown, on no side', async () => {
    expect(await ann.read('claims', 'mine')).toMatchObject({
      Policy: { No: 'P' },
      Secrets: [],
      'Liked by': [],
    });
    expect((await ann.list('claims')).tasks).toEqual([await ann.read('claims', 'mine')]);
    const { tasks } = await ann.list('policies');
    expect(tasks).toMatchObject([{ No: 'P', Claims: [{ ID: 'mine' }] }]);
    expect(await ann.links('policies', 'P', 'Claims')).toMatchObject([{ ID: 'mine' }]);
    expect(await ben.links('policies', 'P', 'Claims')).toHaveLength(2);
    expect(await ann.update('claims', { ID: 'mine', Note: 'seen' })).toMatchObject({
      Secrets: [],
      'Liked by': [],
    });
    expect((await ben.read('claims', 'mine'))['Secrets']).toHaveLength(1);
  });

  it('a file of a task that they do not see is 404', async () => {
    const unknown = await outcome(ann.download('unknown'));
    expect(await outcome(ann.download(blobId))).toBe(unknown);
    expect(await outcome(ben.download(blobId))).toBe('done');
    await ann.attach('claims', 'mine', 'Photos');
    const [own] = (await ann.read('claims', 'mine'))['Photos'] as { blobId: string }[];
    expect(await outcome(ann.download(own?.blobId ?? ''))).toBe('done');
  });

  it('a workflow in which they hold no role is 404 as an unknown one is, and others are named', async () => {
    const unknown = await outcome(cid.list('unknown'));
    expect(unknown).toBe('404 No workflow `unknown` in this workspace; it has: policies.');
    expect(await outcome(cid.list('claims'))).toBe(unknown.replace('unknown', 'claims'));
    expect(await outcome(cid.read('policies', 'P'))).toBe('done');
    expect(await cid.read('policies', 'P')).toMatchObject({ Claims: [] });
  });

  it('a task that is sent back as it was read keeps the links that its reader does not see', async () => {
    const before = await ben.read('claims', 'mine');
    await ann.update('claims', await ann.read('claims', 'mine'));
    await ann.update('claims', { ID: 'mine', 'Liked by': [], Secrets: [] });
    expect(await ben.read('claims', 'mine')).toEqual(before);
    const policy = await ben.read('policies', 'P');
    await ann.update('policies', await ann.read('policies', 'P'));
    await ann.update('policies', { No: 'P', 'Main claim': null });
    expect(await ben.read('policies', 'P')).toEqual(policy);
  });

  it('a task that is not seen cannot be linked, in the words for an unknown one', async () => {
    const linking = (ID: string): Promise<string> =>
      outcome(ann.update('claims', { ID: 'mine', Like: [{ ID }] }));
    expect(await linking('unknown')).toBe('422 {"Like":["does not exist: unknown"]}');
    expect(await linking('theirs')).toBe('422 {"Like":["does not exist: theirs"]}');
    for (const call of [ann.link, ann.unlink]) {
      const unknown = await outcome(call('claims', 'mine', 'Liked by', 'unknown'));
      expect(await outcome(call('claims', 'mine', 'Liked by', 'theirs'))).toBe(
        unknown.replace('unknown', 'theirs'),
      );
    }
  });

  it('no link gives way that is with a task which is not seen', async () => {
    const refused = 'would remove a link to a task that you cannot see';
    const main = { No: 'P', 'Main claim': { ID: 'mine' } };
    expect(await ann.read('policies', 'P')).toMatchObject({ 'Main claim': null });
    expect(await outcome(ann.update('policies', main))).toBe(`422 {"Main claim":["${refused}"]}`);
    expect(await outcome(ann.link('policies', 'P', 'Main claim', 'mine'))).toMatch(refused);
    expect(await outcome(ann.update('claims', { ID: 'mine', 'Main of': { No: 'P' } }))).toBe(
      `422 {"Main of":["${refused}"]}`,
    );
    expect(await ben.read('policies', 'P')).toMatchObject({ 'Main claim': { ID: 'theirs' } });
  });

  it('the Unique ID of a task that is not seen is taken, and the task stays as it is', async () => {
    const before = await ben.read('claims', 'theirs');
    const taken = '422 {"ID":["has already been taken"]}';
    expect(await outcome(ann.upsert('claims', { ID: 'theirs', Note: 'x' }))).toBe(taken);
    expect(await outcome(ann.upsert('claims', { ID: 'theirs', Like: [] }))).toBe(taken);
    expect(await ann.batch('claims', [{ ID: 'theirs', Note: 'x' }])).toMatchObject([{ status: 'error' }]);
    expect(await ben.read('claims', 'theirs')).toEqual(before);
  });

  it('a history tells of no links with tasks that are not seen', async () => {
    await ben.update('claims', { ID: 'nobodys', Like: [{ ID: 'mine' }] });
    const linked = (events: Awaited<ReturnType<Person['history']>>): unknown => events[0]?.data.changes;
    expect(linked(await ben.history('claims', 'mine'))).toEqual({
      'Liked by': { linked: ['nobodys'], unlinked: [] },
    });
    expect(linked(await ann.history('claims', 'mine'))).toEqual({});
    await ben.update('claims', { ID: 'nobodys', 'Assigned To': 'ann@acme.test' });
    expect(linked(await ann.history('claims', 'mine'))).toMatchObject({
      'Liked by': { linked: ['nobodys'] },
    });
    await ben.update('claims', { ID: 'nobodys', 'Assigned To': null });
  });

  it('so it is where linked tasks are too many or too large to be held at once', async () => {
    const large = Array.from({ length: 12 }, (_, n) => `large ${n + 10}`);
    for (const ID of large) await create({ ID, Story: 'x'.repeat(190_000) });
    const Like = ['mine', ...large].map((ID) => ({ ID }));
    await create({ ID: 'hub', 'Assigned To': 'ann@acme.test', Like });
    const liked = ({ Like: linked }: TaskJson): unknown[] => (linked as TaskJson[]).map(({ ID }) => ID);
    expect(liked(await ann.read('claims', 'hub'))).toEqual(['mine']);
    for (const ID of large) await ben.update('claims', { ID, 'Assigned To': 'ann@acme.test' });
    expect(liked(await ann.read('claims', 'hub'))).toEqual(['mine', ...large]);
    const rest = ['mine', ...large.filter((ID) => ID !== 'large 12')];
    await ben.update('claims', { ID: 'large 12', 'Assigned To': null });
    expect(liked(await ann.update('claims', { ID: 'hub', Note: 'x' }))).toEqual(rest);
    expect(liked((await ann.list('claims', 'ID=hub')).tasks[0] ?? {})).toEqual(rest);
    for (const ID of ['hub', ...large]) await ben.delete('claims', ID);
  });

  it('an answer that is kept for an Idempotency-Key is given to who asked for it alone', async () => {
    const once = { 'Idempotency-Key': 'once' };
    const payload = { ID: 'kept', 'Assigned To': 'ben@acme.test', Note: 'secret' };
    await ben.upsert('claims', payload, once);
    expect(await outcome(ben.upsert('claims', payload, once))).toBe('done');
    expect(await outcome(ann.upsert('claims', payload, once))).toMatch(/^409 /);
  });

  it('who gives a task away is answered with it, and then sees it no more', async () => {
    await create({ ID: 'given', 'Assigned To': 'ann@acme.test' });
    expect(await ann.update('claims', { ID: 'given', 'Assigned To': null })).toMatchObject({ ID: 'given' });
    expect(await outcome(ann.read('claims', 'given'))).toMatch(/^404 /);
  });

  it('requirements apply to all linked tasks, for every user', async () => {
    const [close] = await ann.actions('claims', 'mine', { _explain: 'true' });
    expect(close).toMatchObject({ id: 'close', unmet: ['Nobody may like it'] });
    expect(await ben.actions('claims', 'mine', { _explain: 'true' })).toMatchObject([close]);
    expect(await outcome(ann.perform('claims', 'mine', 'close'))).toBe('422 Nobody may like it');
  });

  it('a role that is applied anew binds at once', async () => {
    await service.apply(insurer.replace(', sees: assigned', ''));
    expect(await outcome(ann.read('claims', 'theirs'))).toBe('done');
    await service.apply(
      insurer.replace('{ email: ann@acme.test }', '{ email: ann@acme.test, active: false }'),
    );
    expect(await outcome(ann.read('claims', 'mine'))).toMatch(/^401 /);
    expect(await outcome(ann.download(blobId))).toMatch(/^401 /);
  });
});

it('a page of links reads few tasks, however many there are', async () => {
  const crowd = await service.clientOf(insurer.replace('id: acme', 'id: crowd'));
  await crowd.post(`${path}/claims/tasks`, { ID: 'hub' }).expect(201);
  const { dataSource } = service;
  const [hub] = await dataSource.query<[{ id: string }]>(
    `WITH hub AS (
      SELECT t.* FROM tasks t JOIN workspaces w ON w.id = t.workspace_id WHERE w.slug = 'crowd'
    ), made AS (
      INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, assignee_id, field_values)
      SELECT workspace_id, workflow_id, random_id(), n, stage_id, true, u.id, '{}'
      FROM hub JOIN users u USING (workspace_id), generate_series(1, 3000) n WHERE u.email = 'ann@acme.test'
      RETURNING *
    )
    INSERT INTO links (workspace_id, relationship_id, kind, from_workflow_id, from_id, to_workflow_id, to_id)
    SELECT hub.workspace_id, 'near', 'many_to_many', hub.workflow_id, hub.id, made.workflow_id, made.id FROM hub, made
    RETURNING from_id AS id`,
  );
  await dataSource.query('ANALYZE tasks, links');
  const scope = await (await Person.of(service, 'crowd', 'ann@acme.test')).scope('crowd', 'claims');
  const found = { table: 'tasks', plans: 'custom' } as const;
  const rows = await rowsRead(dataSource, found, (tx) => linkedPage(tx, scope, hub.id, '>near', '0', 20));
  expect(rows).toBeGreaterThan(20);
  expect(rows).toBeLessThan(500);
});
