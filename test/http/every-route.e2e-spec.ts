import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createApiKey, listApiKeys, revokeApiKey } from '../../src/access/api-keys.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { formOf } from '../support/attachments.js';
import { type RawAnswer, sendRaw } from '../support/raw-request.js';
import { routesOf } from '../support/routes.js';
import { startServiceWith } from '../support/service.js';
import { fillWorkspace, requestOf } from './requests.js';
import { type Ids, type Instead, type Name, rows, task } from './rows.js';
import { told } from '../support/told.js';

/** The root leads to the description. */
const answerOf = (route: string): number => (route === 'GET /' ? 303 : 200);

// Executions stay as they are: a row that ends by itself would be a change.
const { service } = await startServiceWith([], { WTS_ROLE: 'api' });
const own = await fillWorkspace(service, 'own');
const foreign = await fillWorkspace(service, 'foreign');
const key = await service.key('own', 'admin');
const [ownId, foreignId] = [await workspaceId('own'), await workspaceId('foreign')];

async function workspaceId(slug: string): Promise<number> {
  return (await service.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug })).id;
}

const routes = routesOf(service.app);
const open = routes.filter((route) => rows[route]?.isPublic && route.startsWith('GET'));
const closed = routes.filter((route) => !rows[route]?.isPublic);
const routed = closed.filter((route) => !route.startsWith('ANY'));

describe('every route', () => {
  /** All that the database knows of a workspace but its keys, which tests make, and what tells of them. */
  async function stateOf(id: number): Promise<string> {
    const tables = await service.dataSource.query<{ name: string }[]>(`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'workspace_id'
        AND table_name NOT IN ('api_keys', 'event_chunks', 'event_streams') ORDER BY 1`);
    expect(tables.length).toBeGreaterThan(15);
    const rows = tables.map(
      ({ name }) =>
      service.dataSource.query<object[]>(`SELECT t::text AS ${name} FROM ${name} t WHERE workspace_id = $1 ${name === 'events' ? "AND type NOT LIKE 'key.%'" : ''} ORDER BY 1`, [id]), // prettier-ignore
    );
    return JSON.stringify(await Promise.all(rows));
  }

  async function ask(
    route: string,
    headers: readonly (readonly [string, string])[],
    ids: Ids = own,
    instead: Instead = {},
  ): Promise<RawAnswer> {
    return sendRaw(service.url, requestOf(route, headers, ids, own, instead));
  }

  const bearer = (text: string): [string, string][] => [['Authorization', `Bearer ${text}`]];

  it('in a row exists in the service', () => {
    expect(Object.keys(rows).filter((route) => !routes.includes(route))).toEqual([]);
  });

  it('answers a valid key; the rows are requested in this way', async () => {
    for (const route of closed.filter((route) => route.startsWith('GET')))
      expect([route, (await ask(route, bearer(key))).status]).toEqual([route, 200]);
    for (const route of open)
      expect([route, (await ask(route, [])).status]).toEqual([route, answerOf(route)]);
  });

  it('T3: without a valid key is 401 with one and the same body', async () => {
    const before = await stateOf(ownId);
    const { manager } = service.dataSource;
    const wanted = { workspaceId: ownId, name: 'x', scope: 'write' } as const;
    const expired = await createApiKey(manager, { ...wanted, expiresAt: new Date(Date.now() - 1000) });
    const revoked = await createApiKey(manager, { ...wanted, expiresAt: null });
    expect((await ask('GET /api/v1/files/:blob_id', bearer(revoked))).status).toBe(200);
    const { id = '' } = (await listApiKeys(manager)).findLast(({ workspace }) => workspace === 'own') ?? {};
    expect(await revokeApiKey(manager, id)).toBe(true);
    await told(service);
    // Other forms, such as two headers: test/auth/5-authentication.e2e-spec.ts.
    const forms: Readonly<Record<string, [string, string][]>> = {
      none: [],
      revoked: bearer(revoked),
      expired: bearer(expired),
    };
    const bodies = new Set<string>();
    for (const route of closed)
      for (const [form, headers] of Object.entries(forms)) {
        const answer = await ask(route, headers);
        expect([route, form, answer.status, answer.headers['www-authenticate']]).toEqual([route, form, 401, 'Bearer']); // prettier-ignore
        bodies.add(withoutRequestId(answer.body));
      }
    expect(bodies.size).toBe(1);
    expect(await stateOf(ownId)).toBe(before);
  });

  it('that writes is closed to a key with the scope read: 403, and nothing changes', async () => {
    const before = await stateOf(ownId);
    const reader = bearer(await service.key('own', 'read'));
    for (const route of closed) {
      const { status } = await ask(route, [...reader, ['X-HTTP-Method-Override', 'GET']]);
      const isOpen = route.startsWith('GET') && !rows[route]?.isForAdmin;
      expect([route, status]).toEqual([route, isOpen ? 200 : 403]);
    }
    expect(await stateOf(ownId)).toBe(before);
  });

  it('for administrators is closed to a key with the scope write: 403, and nothing changes', async () => {
    const before = await stateOf(ownId);
    const writer = bearer(await service.key('own', 'write'));
    for (const route of closed.filter((route) => rows[route]?.isForAdmin)) {
      const { status, body } = await ask(route, writer);
      expect([route, status, body]).toEqual([route, 403, expect.stringContaining('scope admin')]);
    }
    expect(await stateOf(ownId)).toBe(before);
  });

  it('T1: answers things of another workspace like unknown things, byte for byte, and changes none', async () => {
    const before = await stateOf(foreignId);
    const ownBefore = await stateOf(ownId);
    let positions = 0;
    for (const route of closed) {
      const { names = [] } = rows[route] ?? {};
      // All workspaces have the same metrics.
      const inPath = [...route.matchAll(/:(?!metric)(\w+)/g)].map(([, name]) => name as Name);
      for (const name of new Set([...inPath, ...names])) {
        positions += 1;
        const missing = missingLike(foreign[name]);
        const theirs = await ask(route, bearer(key), { ...own, [name]: foreign[name] });
        const nobodys = await ask(route, bearer(key), { ...own, [name]: missing });
        expect([route, name, isRefused(theirs)]).toEqual([route, name, true]);
        expect([route, name, seen(theirs, foreign[name])]).toEqual([route, name, seen(nobodys, missing)]);
      }
    }
    expect(positions).toBeGreaterThan(50);
    expect(await stateOf(foreignId)).toBe(before);
    expect(await stateOf(ownId)).toBe(ownBefore);
  });

  it('refuses an unknown query parameter, by 422 on its name, and changes nothing', async () => {
    const before = await stateOf(ownId);
    for (const route of routed) {
      const { status, body } = await ask(route, bearer(key), own, { more: 'strange=1&strange=2' });
      expect([route, status, Object.keys(errorsOf(body))]).toEqual([route, 422, ['strange']]);
    }
    // Probes and browsers add what they like.
    for (const route of open)
      expect([route, (await ask(route, [], own, { more: 'v=1' })).status]).toEqual([route, answerOf(route)]);
    expect(await stateOf(ownId)).toBe(before);
  });

  it('refuses an unknown key of its body, and any body that it does not read, by 422', async () => {
    const before = await stateOf(ownId);
    for (const route of routed) {
      const { body, isForm } = rows[route] ?? {};
      // Of a definition, faults are told in its own words.
      if (isForm || route.startsWith('GET') || route.includes('/definition/')) continue;
      const known = body?.(own, own) ?? {};
      const answer = await ask(route, bearer(key), own, { body: JSON.stringify({ ...known, strange: 1 }) });
      const reason = body ? /strange(":\["| )is not a (key|field) of / : /"strange":\["is not a key here: the request takes no body"\]/; // prettier-ignore
      expect([route, isRefused(answer), answer.body]).toEqual([route, true, expect.stringMatching(reason)]);
      if (!body)
        expect([route, (await ask(route, bearer(key), own, { body: '[]' })).status]).toEqual([route, 422]);
    }
    expect(await stateOf(ownId)).toBe(before);
  });

  it('answers HEAD as GET, without a body: 304 where If-None-Match has its ETag', async () => {
    const tagged: string[] = [];
    for (const route of routes.filter((route) => route.startsWith('GET'))) {
      const headers = bearer(key);
      const { etag } = (await ask(route, headers)).headers;
      const head = await ask(route, headers, own, { verb: 'HEAD' });
      expect([route, head.status, head.headers['etag'], head.body]).toEqual([
        route,
        answerOf(route),
        etag,
        '',
      ]);
      if (typeof etag !== 'string') continue;
      tagged.push(route);
      for (const verb of ['GET', 'HEAD']) {
        const known = await ask(route, [...headers, ['If-None-Match', `"other", W/${etag}`]], own, { verb });
        expect([route, verb, known.status, known.headers['etag']]).toEqual([route, verb, 304, etag]);
      }
    }
    const workflow = 'GET /api/v1/workflows/:workflow_id';
    const definitions = ['GET /api/v1/workspace', 'GET /api/v1/workflows', workflow, `${workflow}/stages`];
    const descriptions = ['GET /docs/openapi.json', `${workflow}/openapi.json`];
    const expected = [`GET ${task}`, 'GET /api/v1/files/:blob_id', ...definitions, ...descriptions];
    expect(tagged).toEqual(expect.arrayContaining(expected));
  });

  it('takes an Idempotency-Key if it is a POST: the same request is done once, another one is 409', async () => {
    const posts = closed.filter((route) => route.startsWith('POST '));
    // A discarded post can no longer be accepted.
    const isDiscard = (route: string): number => Number(route.endsWith('/discard'));
    posts.sort((a, b) => isDiscard(a) - isDiscard(b));
    for (const route of posts) {
      const headers: [string, string][] = [...bearer(key), ['Idempotency-Key', `key of ${route}`]];
      const again = { ...own, user: own.user.toUpperCase() };
      if (route.endsWith('/batch')) {
        expect([route, (await ask(route, headers)).status]).toEqual([route, 400]);
        continue;
      }
      const first = await ask(route, headers);
      expect([route, Math.floor(first.status / 100)]).toEqual([route, 2]);
      const before = await stateOf(ownId);
      for (const repeated of await Promise.all([1, 2, 3].map(() => ask(route, headers))))
        if (repeated.status !== 409) expect([route, alike(repeated)]).toEqual([route, alike(first)]);
      // What has no body, or can have but one, is one request.
      const { body, isForm } = rows[route] ?? {};
      if (isForm || JSON.stringify(body?.(own, own)) !== JSON.stringify(body?.(again, own))) {
        const other = await ask(route, headers, again, isForm ? otherForm : {});
        expect([route, other.status]).toEqual([route, 409]);
      }
      const elsewhere = posts.find((post) => post !== route && !post.endsWith('/batch')) ?? '';
      expect([route, elsewhere, (await ask(elsewhere, headers)).status]).toEqual([route, elsewhere, 409]);
      expect(await stateOf(ownId)).toBe(before);
    }
  });

  it('writes with the ids of its own workspace, so that nothing above was refused for another reason', async () => {
    const writing = closed.filter((route) => !/^(GET|ANY) /.test(route));
    // What is deleted is deleted last, and the whole after its parts.
    const isDelete = (route: string): number => Number(route.startsWith('DELETE'));
    const inTurn = writing.sort((a, b) => isDelete(a) - isDelete(b) || b.length - a.length);
    for (const route of inTurn) {
      const { body, isForm } = rows[route] ?? {};
      const { status } = await ask(route, bearer(key), own, body || isForm ? {} : { body: '{}' });
      expect([route, Math.floor(status / 100)]).toEqual([route, 2]);
    }
  });

  it('B5: may lose its client during the request or the answer, and then holds nothing of it', async () => {
    const ids = await fillWorkspace(service, 'fickle');
    const headers = bearer(await service.key('fickle', 'admin'));
    const server = service.app.getHttpServer();
    const batch = requestOf('POST /api/v1/workflows/:workflow_id/tasks/batch', headers, ids, ids);
    for (const { method, path, headers: own = [], body = '' } of [
      batch,
      requestOf('POST /api/v1/workflows/:workflow_id/tasks', headers, ids, ids),
      requestOf(`POST ${task}/attachments/:field`, headers, ids, ids),
      requestOf('GET /api/v1/files/:blob_id', headers, ids, ids),
    ]) {
      const length: [string, string] = ['Content-Length', String(Buffer.byteLength(body))];
      const lines = [['Host', 'x'], ...own, length].map((header) => `${header.join(': ')}\r\n`).join('');
      const head = `${method} ${path} HTTP/1.1\r\n${lines}\r\n`;
      const text = body.toString();
      for (const sent of [head.slice(0, 40), head, head + text.slice(0, text.length / 2), head + text]) {
        const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
        const [seen] = (await once(server, 'connection')) as [Socket];
        const gone = once(seen, 'close');
        await new Promise((written) => socket.write(sent, written));
        socket.destroy();
        await gone;
      }
    }
    // All places of batches are free, and all connections to the database.
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendRaw(service.url, batch)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });
});

const otherForm: Instead = { body: formOf({ filename: 'b.txt', bytes: 'other' }).body.toString() };

/** The fields and parameters that an answer of 422 names. */
function errorsOf(body: string): object {
  return (JSON.parse(body) as { errors?: object }).errors ?? {};
}

/** A value of the same form that is in no workspace. */
function missingLike(value: string): string {
  return value.startsWith('foreign') ? value.replace('foreign', 'nowhere') : [...value].reverse().join('');
}

/** An answer but for its time and the number of its request. */
/** Whether it is not found or not done; a batch tells so of each row. */
const isRefused = ({ status, body }: RawAnswer): boolean =>
  [404, 422].includes(status) || (status === 200 && body.startsWith('{"row":1,"status":"error"'));

function alike({ status, headers, body }: RawAnswer): object {
  const { date: _date, 'x-request-id': _id, ...rest } = headers;
  return { status, headers: rest, body };
}

/** An answer but for what differs from request to request, and with what was asked for left out. */
function seen({ status, headers, body }: RawAnswer, asked: string): object {
  const { date: _date, 'x-request-id': _id, 'content-length': _length, ...rest } = headers;
  return { status, headers: rest, body: withoutRequestId(body).replaceAll(asked, '…') };
}

const withoutRequestId = (body: string): string => body.replace(/"request_id":"[^"]*"/, '');
