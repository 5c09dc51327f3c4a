import { type Client, startService, type TestService } from '../support/service.js';
import { outcome, Person } from './person.js';

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
      - { name: Photos, type: file, limit: 5 }
    checklist: [{ title: Look, stage: New }]
    roles:
      - { id: agent, name: Agent, actions: [close], sees: assigned, deletes: true }
      - { id: boss, name: Boss, admin: true }
    members: [{ email: ann@acme.test, role: agent }, { email: ben@acme.test, role: boss }]
    actions: [{ id: close, name: Close, steps: [{ name: Close, type: move_to_stage, stage: Done }] }]
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
  - { id: in, kind: many_to_many, from: { workflow: claims, name: Secrets }, to: { workflow: secrets, name: Claims } }
`;

const path = '/api/v1/workflows';

describe('what a user does not see is not there', () => {
  let service: TestService;
  let api: Client;
  let ann: Person;
  let ben: Person;
  let cid: Person;
  let blobId: string;
  let itemId: string;

  beforeAll(async () => {
    service = await startService();
    await service.apply(insurer);
    api = service.client(await service.key('acme'));
    [ann, ben, cid] = (await Promise.all(
      ['ann', 'ben', 'cid'].map((name) => Person.of(service, 'acme', `${name}@acme.test`)),
    )) as [Person, Person, Person];
    await api.post(`${path}/policies/tasks`, { No: 'P' }).expect(201);
    await api.post(`${path}/secrets/tasks`, { No: 'S' }).expect(201);
    const photo = { filename: 'a.txt', contentType: 'text/plain', base64contents: 'YQ==' };
    const links = { Policy: { No: 'P' }, Secrets: [{ No: 'S' }] };
    await create({ ID: 'mine', 'Assigned To': 'ann@acme.test', ...links });
    const theirs = await create({ ID: 'theirs', 'Assigned To': 'ben@acme.test', ...links, Photos: [photo], Like: [{ ID: 'mine' }] }); // prettier-ignore
    await create({ ID: 'nobodys' });
    [{ blobId }] = theirs['Photos'] as [{ blobId: string }];
    [{ id: itemId }] = (await ben.items('claims', 'theirs')) as [{ id: string }];
  });
  afterAll(() => service.stop());

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

  it('lists and counts hold what is assigned to them only, whatever is asked', async () => {
    for (const query of [
      '',
      '_limit=1',
      '_sort=Note',
      '_sort=-_created',
      'ID=theirs&ID=mine',
      'Stage=New',
      'Assigned To=ann@acme.test',
      'Note[ne]=z',
      'ID[contains]=e',
    ]) {
      // prettier-ignore
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
    const unknown = await outcome(cid.workflow('unknown'));
    expect(unknown).toBe('404 No workflow `unknown` in this workspace; it has: policies.');
    expect(await outcome(cid.workflow('claims'))).toBe(unknown.replace('unknown', 'claims'));
    expect(await outcome(cid.read('policies', 'P'))).toBe('done');
    expect(await cid.read('policies', 'P')).toMatchObject({ Claims: [] });
  });
});
