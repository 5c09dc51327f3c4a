import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Response } from 'supertest';
import { everyType } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

const { service, api, key } = await startServiceWith(everyType, { WTS_MAX_BODY_BYTES: '20000' });

describe('7 errors', () => {
  it('are problem documents of RFC 9457, except the 422 of fields', async () => {
    const answer = await api.get('/api/v1/workflows/nope/tasks').set('X-Request-Id', 'abc-1').expect(404);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'No workflow `nope` in this workspace; it has: things, parts.',
      request_id: 'abc-1',
    });
  });

  it.each<[string, () => PromiseLike<Response>]>([
    ['an unknown path', () => api.get('/nowhere')],
    ['an unknown task', () => api.get(`${tasks}/none`)],
    ['an unknown filter', () => api.get(`${tasks}?Nope=1&Number=x&_sort=Nope`)],
    ['half a body', () => api.post(tasks, '{')],
    ['a value that will not do', () => api.post(tasks, { ID: '\u0000', Owner: "' OR 1=1" })],
    ['a path for a file', () => api.post(tasks, { ID: '1', Contract: [{ blobId: '../../etc/passwd' }] })],
    ['an inside address', () => api.post(tasks, { ID: '1', Contract: [{ remoteUrl: 'http://127.0.0.1:5432/' }] })], // prettier-ignore
    ['an unknown key', () => service.client('wts_none').get(tasks)],
  ])('of %s reveal no SQL, code, paths, hosts or versions', async (_, send) => {
    const { status, text, headers } = await send();
    expect([400, 401, 404, 422]).toContain(status);
    expect(text).not.toMatch(/\b(SELECT|INSERT|UPDATE|relation|column|syntax|pg_|typeorm|nestjs|express)\b/i);
    expect(text).not.toMatch(
      /\bat \S+:\d+|node_modules|\/src\/|\.js\b|127\.0\.0\.1|5432|localhost|ECONN|v\d+\.\d+/,
    );
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  it("every response has X-Request-Id: the client's own, if it is valid", async () => {
    const idFor = async (sent: string): Promise<unknown> =>
      (await api.get(tasks).set('X-Request-Id', sent)).headers['x-request-id'];
    expect(await idFor('my.id:1')).toBe('my.id:1');
    for (const odd of ['a b', encodeURI('ä'), '"', 'x'.repeat(101)])
      expect(await idFor(odd)).toMatch(/^[\w-]{16}$/);
    expect((await api.get('/health/live')).headers['x-request-id']).toMatch(/^[\w-]{16}$/);
  });

  it.each([
    ['post', `${tasks}/1`, 'GET, DELETE, HEAD', /^Only GET, DELETE, HEAD are allowed here/],
    [
      'put',
      `${tasks}/1`,
      'GET, DELETE, HEAD',
      /here\. Use PUT or POST `.*\/tasks` with the Unique ID in the body\.$/,
    ],
    ['post', '/', 'GET, HEAD', /^Only GET, HEAD are allowed here/],
    ['put', '/api/v1/webhooks/w/test', 'POST', /^Only POST is allowed here/],
  ] as const)('405 for %s %s names the allowed methods', async (verb, path, methods, said) => {
    const { headers, body } = await api[verb](path, {}).expect(405);
    expect([headers['allow'], body]).toEqual([
      methods,
      expect.objectContaining({ detail: expect.stringMatching(said) as string }),
    ]);
  });

  // What else is no JSON is tested beside packages/exact-json.
  it.each([
    ['no object', '[]'],
    ['half an object', '{"ID":"1"'],
    ['too deep', `{"ID":"1","Text":${'['.repeat(33)}${']'.repeat(33)}}`],
  ])('400 for %s', async (_, body) => {
    expect((await api.post(tasks, body).expect(400)).body).toMatchObject({
      title: 'Bad Request',
      status: 400,
    });
  });

  it('400 for an empty body, with that reason', async () => {
    const { body } = await api.post(tasks).expect(400);
    expect(body).toMatchObject({ detail: 'The body is empty: it must be a JSON object.' });
    await api.post(tasks, '').expect(400);
  });

  it('400 for more than 2,000 keys in one object', async () => {
    const keys = Array.from({ length: 2001 }, (_, n) => `"${n.toString(36)}":1`);
    await api.post(tasks, `{${keys.join(',')}}`).expect(400);
    await api.post(tasks, `{${keys.slice(1).join(',')}}`).expect(422);
  });

  it.each([
    ['no type', [], 201],
    ['JSON', ['Content-Type: Application/JSON; charset=UTF-8'], 200],
    ['a text', ['Content-Type: text/plain'], 415],
    ['a form', ['Content-Type: application/x-www-form-urlencoded'], 415],
    ['XML', ['Content-Type: application/xml'], 415],
    ['another charset', ['Content-Type: application/json; charset=latin1'], 415],
    ['a blank type', ['Content-Type: '], 415],
    ['a compression', ['Content-Encoding: gzip'], 415],
  ])('a body with %s is read as JSON or is 415', async (_, headers, status) => {
    expect(await statusOf(headers, '{"ID":"typed"}')).toBe(status);
  });

  it('413 before the body is read', async () => {
    expect(await statusOf(['Content-Length: 20001'], '{', false)).toBe(413);
    const chunk = `${(20_001).toString(16)}\r\n${' '.repeat(20_001)}\r\n0\r\n\r\n`;
    expect(await statusOf(['Transfer-Encoding: chunked'], chunk, false)).toBe(413);
    expect(await statusOf([], '{"ID":"limit"}'.padEnd(20_000))).toBe(201);
  });

  it.each(['Stage[]', 'Stage[0]'])('%s points to the right form', async (name) => {
    const errors = { [name]: ['takes no []: to give several values, repeat Stage'] };
    await api.get(`${tasks}?${name}=New`).expect(422, { errors });
  });

  /** The status that answers this body, sent as it is, with its length unless the headers tell it. */
  async function statusOf(headers: readonly string[], body: string, isMeasured = true): Promise<number> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const length = isMeasured ? [`Content-Length: ${body.length}`] : [];
    const own = ['Host: x', `Authorization: Bearer ${key}`, 'Connection: close', ...headers, ...length];
    socket.write(`${[`POST ${tasks} HTTP/1.1`, ...own].join('\r\n')}\r\n\r\n`);
    socket.write(body);
    return Number(/^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1]);
  }
});
