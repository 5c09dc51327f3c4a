import { type Response } from 'supertest';
import { linkedPage } from '../../src/tasks/store/linked-tasks.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { Scope } from '../../src/workflows/model/scope.js';
import { Workspaces } from '../../src/workflows/model/workspaces.js';
import { inline, sendForm } from '../support/attachments.js';
import { postBatch } from '../support/batch.js';
import { rowsRead } from '../support/rows-read.js';
import { type Client, startServiceWith } from '../support/service.js';
import { keyOf, outcome, personOf } from './person.js';

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

const claims = '/api/v1/workflows/claims/tasks';
const policies = '/api/v1/workflows/policies/tasks';
type TaskJson = Readonly<Record<string, unknown>>;

const { service, api } = await startServiceWith(insurer);
const ann = await personOf(service, 'ann@acme.test');
const ben = await personOf(service, 'ben@acme.test');
const cid = await personOf(service, 'cid@acme.test');

describe('what a user may not see does not exist for the user', () => {
  let blobId: string;
  let itemId: string;

  beforeAll(async () => {
    await api.post(policies, { No: 'P' }).expect(201);
    await api.post('/api/v1/workflows/secrets/tasks', { No: 'S' }).expect(201);
    const links = { Policy: { No: 'P' }, Secrets: [{ No: 'S' }] };
    const further = { Photos: [inline('a.txt')], Like: [{ ID: 'mine' }], 'Main of': { No: 'P' } };
    await create({ ID: 'mine', 'Assigned To': 'ann@acme.test', ...links });
    const theirs = await create({ ID: 'theirs', 'Assigned To': 'ben@acme.test', ...links, ...further });
    await create({ ID: 'nobodys' });
    [{ blobId }] = theirs['Photos'] as [{ blobId: string }];
    [{ id: itemId }] = await ben.read<[{ id: string }]>(`${claims}/theirs/checklist_items`);
  });

  const create = (claim: object): Promise<TaskJson> => api.send(claims, claim);
  const idsOf = async (person: Client, path: string): Promise<unknown[]> =>
    (await person.read<TaskJson[]>(path)).map(({ ID }) => ID);

  /** Everything that can be done with one task. */
  const operations: Readonly<Record<string, (person: Client, id: string) => PromiseLike<Response>>> = {
    read: (person, id) => person.get(`${claims}/${id}`),
    update: (person, id) => person.put(claims, { ID: id, Note: 'x' }),
    delete: (person, id) => person.delete(`${claims}/${id}`),
    'list links': (person, id) => person.get(`${claims}/${id}/links/Policy`),
    link: (person, id) => person.put(`${claims}/${id}/links/Policy/P`),
    unlink: (person, id) => person.delete(`${claims}/${id}/links/Policy/P`),
    attach: (person, id) => sendForm(person, `${claims}/${id}/attachments/Photos`, { filename: 'a.txt' }),
    detach: (person, id) => person.delete(`${claims}/${id}/attachments/Photos/${blobId}`),
    'list items': (person, id) => person.get(`${claims}/${id}/checklist_items`),
    'read item': (person, id) => person.get(`${claims}/${id}/checklist_items/${itemId}`),
    'add item': (person, id) => person.post(`${claims}/${id}/checklist_items`, { title: 'x', Stage: 'New' }),
    'change item': (person, id) => person.put(`${claims}/${id}/checklist_items/${itemId}`, { title: 'x' }),
    'remove item': (person, id) => person.delete(`${claims}/${id}/checklist_items/${itemId}`),
    'list comments': (person, id) => person.get(`${claims}/${id}/comments`),
    comment: (person, id) => person.post(`${claims}/${id}/comments`, { body: 'Hello' }),
    history: (person, id) => person.get(`${claims}/${id}/history`),
    actions: (person, id) => person.get(`${claims}/${id}/actions`),
    'explain actions': (person, id) => person.get(`${claims}/${id}/actions?_explain=true`),
    perform: (person, id) => person.post(executions, { task_id: id, action_id: 'close' }),
    'list executions': (person, id) => person.get(`${executions}?task_id=${id}`),
  };
  const executions = '/api/v1/workflows/claims/executions';

  it.each(Object.entries(operations))(
    '%s: a task of another user is 404 like an unknown task, in the same words',
    async (_, operation) => {
      const unknown = await outcome(operation(ann, 'unknown'));
      expect(unknown).toMatch(/^404 /);
      expect(await outcome(operation(ann, 'theirs'))).toBe(unknown.replaceAll('unknown', 'theirs'));
    },
  );

  it('lists and counts contain only tasks assigned to the user, for every query', async () => {
    for (const query of ['', '_limit=1', '_sort=Note', 'ID=theirs&ID=mine', 'Stage=New', 'ID[contains]=e'])
      expect([query, await idsOf(ann, `${claims}?${query}`)]).toEqual([query, ['mine']]);
    expect(await idsOf(ann, `${claims}/active`)).toEqual(['mine']);
    const countFor = async (person: Client, query: string): Promise<unknown> =>
      (await person.get(`${claims}?_count=true&_limit=1&${query}`)).headers['x-total-count'];
    expect(await countFor(ann, 'Assigned To=ben@acme.test')).toBe('0');
    expect([await countFor(ann, ''), await countFor(ben, '')]).toEqual(['1', '3']);
  });

  it('a filter by a field of linked tasks considers only visible tasks', async () => {
    const found = async (person: Client, query: string): Promise<number> =>
      (await person.read<unknown[]>(`${policies}?${query}`)).length;
    for (const query of ['Claims.ID=theirs', '_any=Claims.ID%3Dtheirs%26No%3Dx'])
      expect([query, await found(ann, query), await found(ben, query)]).toEqual([query, 0, 1]);
    expect(await found(ann, 'Claims.ID=mine')).toBe(1);
    expect(await found(ann, 'Claims.ID[ne]=theirs')).toBe(1);
    expect(await idsOf(ann, `${claims}?Secrets.No=S`)).toEqual([]);
    expect(await idsOf(ben, `${claims}?Secrets.No=S`)).toHaveLength(2);
  });

  it('linked tasks that the user does not see are not shown, on either side', async () => {
    const shown = { Policy: { No: 'P' }, Secrets: [], 'Liked by': [] };
    expect(await ann.read(`${claims}/mine`)).toMatchObject(shown);
    expect(await ann.read(claims)).toEqual([await ann.read(`${claims}/mine`)]);
    expect((await ann.put(claims, { ID: 'mine', Note: 'seen' })).body).toMatchObject(shown);
    expect(await ann.read(policies)).toMatchObject([{ No: 'P', Claims: [{ ID: 'mine' }] }]);
    expect(await idsOf(ann, `${policies}/P/links/Claims`)).toEqual(['mine']);
    expect(await idsOf(ben, `${policies}/P/links/Claims`)).toHaveLength(2);
    expect(await ben.read(`${claims}/mine`)).toMatchObject({ Secrets: [{ No: 'S' }] });
  });

  it('a file of an invisible task is 404', async () => {
    const download = (person: Client, id: string): Promise<string> =>
      outcome(person.get(`/api/v1/files/${id}`));
    expect(await download(ann, blobId)).toBe(await download(ann, 'unknown'));
    expect(await download(ben, blobId)).toBe('done');
    const own = await sendForm(ann, `${claims}/mine/attachments/Photos`, { filename: 'a.txt' });
    expect(await download(ann, (own.body as { blobId: string }).blobId)).toBe('done');
  });

  it('a workflow without a role for the user is 404 like an unknown one, and is not suggested', async () => {
    const unknown = '404 No workflow `unknown` in this workspace; it has: policies.';
    expect(await outcome(cid.get('/api/v1/workflows/unknown/tasks'))).toBe(unknown);
    expect(await outcome(cid.get(claims))).toBe(unknown.replace('unknown', 'claims'));
    expect(await cid.read(`${policies}/P`)).toMatchObject({ Claims: [] });
  });

  it('a task that is sent back as it was read keeps its invisible links', async () => {
    for (const [path, blank] of [
      [`${claims}/mine`, { ID: 'mine', 'Liked by': [], Secrets: [] }],
      [`${policies}/P`, { No: 'P', 'Main claim': null }],
    ] as const) {
      const before = await ben.read(path);
      const tasks = path.replace(/\/\w+$/, '');
      await ann.put(tasks, await ann.read<object>(path)).expect(200);
      await ann.put(tasks, blank).expect(200);
      expect(await ben.read(path)).toEqual(before);
    }
  });

  it('an invisible task cannot be linked, in the words for an unknown task', async () => {
    for (const ID of ['unknown', 'theirs'])
      expect(await ann.refusal(claims, { ID: 'mine', Like: [{ ID }] })).toEqual({ Like: [`does not exist: ${ID}`] }); // prettier-ignore
    for (const method of ['put', 'delete'] as const) {
      const link = (id: string): Promise<string> =>
        outcome(ann[method](`${claims}/mine/links/Liked by/${id}`));
      expect(await link('theirs')).toBe((await link('unknown')).replace('unknown', 'theirs'));
    }
  });

  it('a link to an invisible task is never replaced', async () => {
    const refused = 'would remove a link to a task that you cannot see';
    expect(await ann.read(`${policies}/P`)).toMatchObject({ 'Main claim': null });
    const main = { No: 'P', 'Main claim': { ID: 'mine' } };
    expect(await ann.refusal(policies, main)).toEqual({ 'Main claim': [refused] });
    expect(await outcome(ann.put(`${policies}/P/links/Main claim/mine`))).toMatch(refused);
    const other = { ID: 'mine', 'Main of': { No: 'P' } };
    expect(await ann.refusal(claims, other)).toEqual({ 'Main of': [refused] });
    expect(await ben.read(`${policies}/P`)).toMatchObject({ 'Main claim': { ID: 'theirs' } });
  });

  it('the Unique ID of an invisible task is taken, and the task is unchanged', async () => {
    const before = await ben.read(`${claims}/theirs`);
    for (const change of [{ Note: 'x' }, { Like: [] }])
      expect(await ann.refusal(claims, { ID: 'theirs', ...change })).toEqual({
        ID: ['has already been taken'],
      });
    const key = await keyOf(service, 'ann@acme.test');
    const { lines } = await postBatch(`${service.url}${claims}/batch`, key, [{ ID: 'theirs', Note: 'x' }]);
    expect(lines).toMatchObject([{ status: 'error' }]);
    expect(await ben.read(`${claims}/theirs`)).toEqual(before);
  });

  it('a history does not reveal links with invisible tasks', async () => {
    await ben.put(claims, { ID: 'nobodys', Like: [{ ID: 'mine' }] }).expect(200);
    const told = async (person: Client): Promise<unknown> => {
      const [event] = await person.read<[{ data: { changes: unknown } }]>(`${claims}/mine/history`);
      return event.data.changes;
    };
    const linked = { 'Liked by': { linked: ['nobodys'], unlinked: [] } };
    expect([await told(ben), await told(ann)]).toEqual([linked, {}]);
    await ben.put(claims, { ID: 'nobodys', 'Assigned To': 'ann@acme.test' }).expect(200);
    expect(await told(ann)).toEqual(linked);
    await ben.put(claims, { ID: 'nobodys', 'Assigned To': null }).expect(200);
  });

  it('invisible tasks stay hidden among links that are too many or too large to be read at once', async () => {
    const large = Array.from({ length: 12 }, (_, n) => `large ${n + 10}`);
    for (const ID of large) await create({ ID, Story: 'x'.repeat(190_000) });
    const Like = ['mine', ...large].map((ID) => ({ ID }));
    await create({ ID: 'hub', 'Assigned To': 'ann@acme.test', Like });
    const liked = (task: unknown): unknown[] => (task as { Like: TaskJson[] }).Like.map(({ ID }) => ID);
    expect(liked(await ann.read(`${claims}/hub`))).toEqual(['mine']);
    for (const ID of large) await ben.put(claims, { ID, 'Assigned To': 'ann@acme.test' }).expect(200);
    expect(liked(await ann.read(`${claims}/hub`))).toEqual(['mine', ...large]);
    await ben.put(claims, { ID: 'large 12', 'Assigned To': null }).expect(200);
    const rest = ['mine', ...large.filter((ID) => ID !== 'large 12')];
    expect(liked((await ann.put(claims, { ID: 'hub', Note: 'x' })).body)).toEqual(rest);
    expect((await ann.read<unknown[]>(`${claims}?ID=hub`)).map(liked)).toEqual([rest]);
    for (const ID of ['hub', ...large]) await ben.delete(`${claims}/${ID}`).expect(204);
  });

  it('a user who gives a task away gets it in the answer, and then no longer sees it', async () => {
    await create({ ID: 'given', 'Assigned To': 'ann@acme.test' });
    const given = await ann.put(claims, { ID: 'given', 'Assigned To': null }).expect(200);
    expect(given.body).toMatchObject({ ID: 'given' });
    await ann.get(`${claims}/given`).expect(404);
  });

  it('requirements apply to all linked tasks, for every user', async () => {
    const close = { id: 'close', unmet: ['Nobody may like it'] };
    for (const person of [ann, ben])
      expect(await person.read(`${claims}/mine/actions?_explain=true`)).toMatchObject([close]);
    const start = { task_id: 'mine', action_id: 'close' };
    expect(await ann.refusal(executions, start)).toEqual(['Nobody may like it']);
  });

  it('a changed role is effective at once', async () => {
    await service.apply(insurer.replace(', sees: assigned', ''));
    await ann.get(`${claims}/theirs`).expect(200);
    await service.apply(insurer.replace('ann@acme.test }', 'ann@acme.test, active: false }'));
    await ann.get(`${claims}/mine`).expect(401);
    await ann.get(`/api/v1/files/${blobId}`).expect(401);
  });
});

it('a page of links reads few tasks, even if there are many', async () => {
  const crowd = await service.clientOf(insurer.replace('id: acme', 'id: crowd'));
  await crowd.post(claims, { ID: 'hub' }).expect(201);
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
  const { id } = await dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'crowd' });
  const workspaces = service.app.get(Workspaces);
  const viewer = { userId: (await workspaces.get(id)).users.find('ann@acme.test')?.id ?? '' };
  const scope = new Scope(await workspaces.workflow(id, 'claims', viewer), viewer);
  const found = { table: 'tasks', plans: 'custom' } as const;
  const rows = await rowsRead(dataSource, found, (tx) => linkedPage(tx, scope, hub.id, '>near', '0', 20));
  expect(rows).toBeGreaterThan(20);
  expect(rows).toBeLessThan(500);
});
