import { createApiKey, listApiKeys, revokeApiKey } from '../src/access/api-keys.js';
import { WorkspaceEntity } from '../src/entities/workspace.entity.js';
import { filesOf, formOf, inline } from './support/attachments.js';
import { type RawAnswer, sendRaw } from './support/raw-request.js';
import { routesOf } from './support/routes.js';
import { startService, type TestService } from './support/service.js';

/** What identifies things of one workspace: the parameters of paths, and what stands in queries and bodies. */
type Ids = Readonly<Record<Name, string>>;
type Name =
  | 'workflow_id'
  | 'unique_id'
  | 'id'
  | 'execution_id'
  | 'blob_id'
  | 'field'
  | 'relationship'
  | 'other_unique_id'
  | 'action_id'
  | 'user'
  | 'user_id'
  | 'asset';

/** How a route is asked, beside what its path says; with the ids of one workspace it would succeed. */
interface Row {
  /** Needs no key. */
  readonly isPublic?: true;
  /** Where others than the path's ids stand in query or body. */
  readonly names?: readonly Name[];
  readonly query?: (ids: Ids) => string;
  readonly body?: (ids: Ids, own: Ids) => object;
  readonly isForm?: true;
}

const task = '/api/v1/workflows/:workflow_id/tasks/:unique_id';
const write: Row = {
  names: ['user', 'other_unique_id', 'blob_id'],
  body: (ids, own) => ({
    ID: own.unique_id,
    Owner: ids.user,
    'Assigned To': ids.user,
    [own.relationship]: [{ 'Part ID': ids.other_unique_id }],
    [own.field]: [{ blobId: ids.blob_id }],
  }),
};

// A route without a row fails the first test: say here how it is asked, and all others hold for it.
const rows: Readonly<Record<string, Row>> = {
  'GET /health/live': { isPublic: true },
  'GET /health/ready': { isPublic: true },
  'GET /docs': { isPublic: true },
  'GET /docs/openapi.json': { isPublic: true },
  'GET /docs/:asset': { isPublic: true },
  'GET /api/v1/workspace': {},
  'GET /api/v1/workflows': {},
  'GET /api/v1/workflows/:workflow_id': {},
  'GET /api/v1/workflows/:workflow_id/stages': {},
  'GET /api/v1/workflows/:workflow_id/fields': {},
  'GET /api/v1/workflows/:workflow_id/roles': {},
  'GET /api/v1/workflows/:workflow_id/users': {},
  'GET /api/v1/workflows/:workflow_id/users/:user_id': {},
  'GET /api/v1/workflows/:workflow_id/openapi.json': {},
  'GET /api/v1/files/:blob_id': {},
  'GET /api/v1/workflows/:workflow_id/tasks': {},
  'GET /api/v1/workflows/:workflow_id/tasks/active': {},
  [`GET ${task}`]: {},
  'POST /api/v1/workflows/:workflow_id/tasks': write,
  'PUT /api/v1/workflows/:workflow_id/tasks': write,
  // All or nothing, so that what is refused of one row is the status of all.
  'POST /api/v1/workflows/:workflow_id/tasks/batch': {
    ...write,
    query: () => '_atomic=true',
    body: (ids, own) => [write.body?.(ids, own)],
  },
  [`DELETE ${task}`]: {},
  [`GET ${task}/checklist_items`]: {},
  [`POST ${task}/checklist_items`]: {
    names: ['user'],
    body: (ids) => ({ title: 'Look', Stage: 'New', 'Assigned To': ids.user }),
  },
  [`GET ${task}/checklist_items/:id`]: {},
  [`PUT ${task}/checklist_items/:id`]: { names: ['user'], body: (ids) => ({ 'Assigned To': ids.user }) },
  [`DELETE ${task}/checklist_items/:id`]: {},
  [`GET ${task}/actions`]: { names: ['user'], query: (ids) => `performed_by=${ids.user}` },
  [`GET ${task}/comments`]: {},
  [`POST ${task}/comments`]: { names: ['user'], body: (ids) => ({ body: 'Well', performed_by: ids.user }) },
  [`GET ${task}/links/:relationship`]: {},
  [`PUT ${task}/links/:relationship/:other_unique_id`]: {},
  [`DELETE ${task}/links/:relationship/:other_unique_id`]: {},
  [`POST ${task}/attachments/:field`]: { isForm: true },
  [`DELETE ${task}/attachments/:field/:blob_id`]: {},
  'GET /api/v1/workflows/:workflow_id/executions': {
    names: ['unique_id'],
    query: (ids) => `task_id=${ids.unique_id}`,
  },
  'POST /api/v1/workflows/:workflow_id/executions': {
    names: ['unique_id', 'action_id', 'user'],
    body: (ids) => ({ task_id: ids.unique_id, action_id: ids.action_id, performed_by: ids.user }),
  },
  'GET /api/v1/workflows/:workflow_id/executions/:execution_id': {},
  'DELETE /api/v1/workflows/:workflow_id/executions/:execution_id': {},
  'ANY /*path': {},
};
const closed = Object.entries(rows).filter(([, { isPublic }]) => !isPublic);

/** The same workspace under other names. */
const definition = (name: string): string => `
workspace: { id: ${name}, name: ${name} }
users: [{ email: ${name}@x.test }]
workflows:
  - id: ${name}-things
    name: Things
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Owner, type: person }
      - { name: ${name} files, type: file }
    actions: [{ id: ${name}-finish, name: Finish, steps: [{ name: Close, type: move_to_stage, stage: Done }] }]
  - { id: ${name}-parts, name: Parts, stages: [{ name: New }], fields: [{ name: Part ID, type: uniqueId, required: true }] }
relationships:
  - { id: parts, kind: many_to_many, from: { workflow: ${name}-things, name: ${name} parts }, to: { workflow: ${name}-parts, name: things } }
`;

describe('every route', () => {
  let service: TestService;
  let own: Ids;
  let foreign: Ids;
  let key: string;
  let ownId: number;
  let foreignId: number;

  beforeAll(async () => {
    // Executions stay as they are: a row that ends by itself would be a change.
    service = await startService({ WTS_ROLE: 'api' });
    own = await fill('own');
    foreign = await fill('foreign');
    key = await service.key('own');
    ownId = await workspaceId('own');
    foreignId = await workspaceId('foreign');
  });
  afterAll(() => service.stop());

  async function workspaceId(slug: string): Promise<number> {
    return (await service.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug })).id;
  }

  /** One thing of each kind. */
  async function fill(name: string): Promise<Ids> {
    await service.apply(definition(name));
    const api = service.client(await service.key(name));
    const user = `${name}@x.test`;
    const at = (workflow: string): string => `/api/v1/workflows/${name}-${workflow}`;
    await api.post(`${at('parts')}/tasks`, { 'Part ID': `${name}-part` }).expect(201);
    const files = `${name} files`;
    const made = await api.post(`${at('things')}/tasks`, {
      ID: `${name}-1`,
      Owner: user,
      'Assigned To': user,
      [files]: [inline('a.txt')],
      [`${name} parts`]: [{ 'Part ID': `${name}-part` }],
    });
    const below = `${at('things')}/tasks/${name}-1`;
    const item = await api.post(`${below}/checklist_items`, {
      title: 'Look',
      Stage: 'New',
      'Assigned To': user,
    });
    await api.post(`${below}/comments`, { body: 'Well', performed_by: user }).expect(201);
    const begun = { task_id: `${name}-1`, action_id: `${name}-finish` };
    const execution = await api.post(`${at('things')}/executions`, begun).expect(202);
    const [member] = await service.dataSource.query<[{ id: string }]>('SELECT id FROM users WHERE email = $1', [user]); // prettier-ignore
    return {
      workflow_id: `${name}-things`,
      unique_id: `${name}-1`,
      id: (item.body as { id: string }).id,
      execution_id: (execution.body as { id: string }).id,
      blob_id: filesOf(made, files)[0]?.blobId ?? '',
      field: files,
      relationship: `${name} parts`,
      other_unique_id: `${name}-part`,
      action_id: `${name}-finish`,
      user,
      user_id: member.id,
      asset: 'start.js',
    };
  }

  /** All that the database knows of a workspace. */
  async function stateOf(id: number): Promise<string> {
    const tables = await service.dataSource.query<{ name: string }[]>(`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'workspace_id' AND table_name <> 'api_keys' ORDER BY 1`);
    expect(tables.length).toBeGreaterThan(15);
    const rows = tables.map(
      ({ name }) =>
      service.dataSource.query<object[]>(`SELECT t::text AS ${name} FROM ${name} t WHERE workspace_id = $1 ORDER BY 1`, [id]), // prettier-ignore
    );
    return JSON.stringify(await Promise.all(rows));
  }

  async function ask(
    route: string,
    headers: readonly (readonly [string, string])[],
    ids: Ids = own,
    respell: (path: string) => string = (path) => path,
  ): Promise<RawAnswer> {
    const [verb = '', template = ''] = route.split(' ');
    const { query, body, isForm } = rows[route] ?? {};
    const path = template.replace('/*path', '/api/v1/nothing').replace(/:(\w+)/g, (_, name: Name) => encodeURIComponent(ids[name])); // prettier-ignore
    const form = isForm && formOf({ filename: 'b.txt' });
    const type = form ? form.type : 'application/json';
    const payload = form ? form.body : body && JSON.stringify(body(ids, own));
    return sendRaw(service.url, {
      method: verb === 'ANY' ? 'POST' : verb,
      path: respell(path) + (query ? `?${query(ids)}` : ''),
      headers: payload === undefined ? headers : [['Content-Type', type], ...headers],
      ...(payload !== undefined && { body: payload }),
    });
  }

  const bearer = (text: string): [string, string][] => [['Authorization', `Bearer ${text}`]];

  it('has a row in this test', () => {
    expect(Object.keys(rows).sort()).toEqual(routesOf(service.app));
  });

  it('answers a key in force; this is how the rows are asked', async () => {
    for (const [route] of closed.filter(([route]) => route.startsWith('GET')))
      expect([route, (await ask(route, bearer(key))).status]).toEqual([route, 200]);
    for (const [route] of Object.entries(rows).filter(([, { isPublic }]) => isPublic))
      expect([route, (await ask(route, [])).status]).toEqual([route, 200]);
  });

  it('T3: without a key in force, however it is sent, is 401 with one and the same body', async () => {
    const before = await stateOf(ownId);
    const { manager } = service.dataSource;
    const wanted = { workspaceId: ownId, name: 'x', scope: 'write' } as const;
    const expired = await createApiKey(manager, { ...wanted, expiresAt: new Date(Date.now() - 1000) });
    const revoked = await createApiKey(manager, { ...wanted, expiresAt: null });
    expect((await ask('GET /api/v1/files/:blob_id', bearer(revoked))).status).toBe(200);
    const { id = '' } = (await listApiKeys(manager)).findLast(({ workspace }) => workspace === 'own') ?? {};
    expect(await revokeApiKey(manager, id)).toBe(true);
    const deadline = Date.now() + 5000;
    while ((await ask('GET /api/v1/files/:blob_id', bearer(revoked))).status !== 401)
      expect(Date.now()).toBeLessThan(deadline);
    const forms: Readonly<Record<string, [string, string][]>> = {
      none: [],
      empty: [['Authorization', '']],
      'without a scheme': [['Authorization', key]],
      'another scheme': [['Authorization', `Basic ${Buffer.from(`x:${key}`).toString('base64')}`]],
      'too long': bearer(`${key}x`),
      malformed: bearer(`${key.slice(0, -1)}!`),
      unknown: bearer(`wts_${'A'.repeat(40)}`),
      'two keys': bearer(`${key} ${key}`),
      'two headers': [...bearer(key), ...bearer(key)],
      'another header': [['X-Api-Key', key]],
      revoked: bearer(revoked),
      expired: bearer(expired),
    };
    const bodies = new Set<string>();
    for (const [route] of closed)
      for (const [form, headers] of Object.entries(forms)) {
        const answer = await ask(route, headers);
        expect([route, form, answer.status, answer.headers['www-authenticate']]).toEqual([route, form, 401, 'Bearer']); // prettier-ignore
        bodies.add(withoutRequestId(answer.body));
      }
    expect(bodies.size).toBe(1);
    expect(await stateOf(ownId)).toBe(before);
  });

  it('T3: no spelling of its path leads around the guard', async () => {
    const spellings: ((path: string) => string)[] = [
      (path) => `${path}/`,
      (path) => `/${path}`,
      (path) => path.replace('/api', '/./api'),
      (path) => `${path};x`,
      (path) => `${path}/%2e`,
      (path) => path.toUpperCase(),
      (path) => `${path}?/health/live`,
      (path) => `${path}?key=${key}`,
      (path) => `${path}%00`,
      (path) => service.url + path,
    ];
    for (const [route] of closed)
      for (const respell of spellings) {
        const { status } = await ask(route, [['X-HTTP-Method-Override', 'GET']], own, respell);
        expect([route, respell('/x'), status]).toEqual([route, respell('/x'), 401]);
      }
  });

  it('is closed to a key with the scope read wherever it writes: 403, and nothing changes', async () => {
    const before = await stateOf(ownId);
    const reader = bearer(await service.key('own', 'read'));
    for (const [route] of closed) {
      const { status } = await ask(route, [...reader, ['X-HTTP-Method-Override', 'GET']]);
      expect([route, status]).toEqual([route, route.startsWith('GET') ? 200 : 403]);
    }
    expect(await stateOf(ownId)).toBe(before);
  });

  it('T1: what is of another workspace is to the byte what is nowhere, and nothing of it changes', async () => {
    const before = await stateOf(foreignId);
    const ownBefore = await stateOf(ownId);
    let positions = 0;
    for (const [route, { names = [] }] of closed) {
      const inPath = [...route.matchAll(/:(\w+)/g)].map(([, name]) => name as Name);
      for (const name of new Set([...inPath, ...names])) {
        positions += 1;
        const missing = missingLike(foreign[name]);
        const theirs = await ask(route, bearer(key), { ...own, [name]: foreign[name] });
        const nobodys = await ask(route, bearer(key), { ...own, [name]: missing });
        expect([route, name, [404, 422].includes(theirs.status)]).toEqual([route, name, true]);
        expect([route, name, seen(theirs, foreign[name])]).toEqual([route, name, seen(nobodys, missing)]);
      }
    }
    expect(positions).toBeGreaterThan(50);
    expect(await stateOf(foreignId)).toBe(before);
    expect(await stateOf(ownId)).toBe(ownBefore);
  });

  it('writes with the ids of its own workspace, so that nothing above was refused for another reason', async () => {
    const writing = closed.map(([route]) => route).filter((route) => !/^(GET|ANY) /.test(route));
    // What is deleted is deleted last, and the whole after its parts.
    const isDelete = (route: string): number => Number(route.startsWith('DELETE'));
    const inTurn = writing.sort((a, b) => isDelete(a) - isDelete(b) || b.length - a.length);
    for (const route of inTurn) {
      const { status } = await ask(route, bearer(key));
      expect([route, Math.floor(status / 100)]).toEqual([route, 2]);
    }
  });
});

/** A value of the same form that is in no workspace. */
function missingLike(value: string): string {
  return value.startsWith('foreign') ? value.replace('foreign', 'nowhere') : [...value].reverse().join('');
}

/** An answer but for what differs from request to request, and with what was asked for left out. */
function seen({ status, headers, body }: RawAnswer, asked: string): object {
  const { date: _date, 'x-request-id': _id, 'content-length': _length, ...rest } = headers;
  return { status, headers: rest, body: withoutRequestId(body).replaceAll(asked, '…') };
}

const withoutRequestId = (body: string): string => body.replace(/"request_id":"[^"]*"/, '');
