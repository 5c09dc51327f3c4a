import { connect } from 'node:net';
import { everyType } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

const { service } = await startServiceWith(everyType, { WTS_MAX_BODY_BYTES: '20000' });

const key = await service.key('acme');
const api = service.client(key);

describe('7 errors', () => {
  it('are problem documents of RFC 9457, but for the 422 of fields', async () => {
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

  it('every response has X-Request-Id: the one of the client, if it is a sane one', async () => {
    expect((await api.get(tasks).set('X-Request-Id', 'my.id:1')).headers['x-request-id']).toBe('my.id:1');
    for (const odd of ['a b', 'ä', '"', 'x'.repeat(101)])
      expect((await api.get(tasks).set('X-Request-Id', encodeURI(odd).slice(0, 300))).headers['x-request-id']).toMatch(/^[\w-]{16}$/); // prettier-ignore
    expect((await api.get('/health/live')).headers['x-request-id']).toMatch(/^[\w-]{16}$/);
  });

  it('405 names the allowed methods', async () => {
    expect((await api.post(`${tasks}/1`, {}).expect(405)).headers['allow']).toBe('GET, DELETE, HEAD');
    expect((await api.post('/', {}).expect(405)).headers['allow']).toBe('GET, HEAD');
  });

  it.each([
    ['nothing at all', ''],
    ['no object', '[]'],
    ['a text', '"a"'],
    ['null', 'null'],
    ['half an object', '{"ID":"1"'],
    ['a comment', '{"ID":"1"} // x'],
    ['a trailing comma', '{"ID":"1",}'],
    ['a key given twice', '{"ID":"1","ID":"2"}'],
    ['a key given twice, once in disguise', '{"ID":"1","\\u0049D":"2"}'],
    ['NaN', '{"ID":"1","Number":NaN}'],
    ['too deep', `{"ID":"1","Text":${'['.repeat(33)}${']'.repeat(33)}}`],
    ['much too deep', '['.repeat(4000)],
  ])('400 for %s', async (_, body) => {
    const answer = await api.post(tasks, body).expect(400);
    expect(answer.body).toMatchObject({ title: 'Bad Request', status: 400 });
  });

  it('400 for bad UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"ID":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    expect(await statusOf('POST', tasks, { 'Content-Type': 'application/json' }, body)).toBe(400);
  });

  it('400 for more than 2,000 keys in one object', async () => {
    const keys = Array.from({ length: 2001 }, (_, n) => `"${n.toString(36)}":1`);
    await api.post(tasks, `{${keys.join(',')}}`).expect(400);
    await api.post(tasks, `{${keys.slice(1).join(',')}}`).expect(422);
  });

  it('a body without a content type is read as JSON; another type is 415, a compressed one too', async () => {
    const body = Buffer.from('{"ID":"typeless"}');
    expect(await statusOf('POST', tasks, {}, body)).toBe(201);
    expect(await statusOf('POST', tasks, { 'Content-Type': 'Application/JSON; charset=UTF-8' }, body)).toBe(
      200,
    );
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'application/json; charset=latin1',
      '',
    ])
      // prettier-ignore
      expect([type, await statusOf('POST', tasks, { 'Content-Type': type }, body)]).toEqual([type, 415]);
    expect(await statusOf('POST', tasks, { 'Content-Encoding': 'gzip' }, body)).toBe(415);
  });

  it('413 before the body is read', async () => {
    const { port } = new URL(service.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.once('data', (chunk) => {
        resolve(chunk.toString());
        socket.destroy();
      });
      socket.on('error', reject);
      socket.write(
        `POST ${tasks} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 20001\r\n\r\n{`,
      );
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(await statusOf('POST', tasks, { 'Transfer-Encoding': 'chunked' }, Buffer.alloc(20_001, ' '))).toBe(
      413,
    );
    expect(await statusOf('POST', tasks, {}, Buffer.from('{"ID":"limit"}'.padEnd(20_000)))).toBe(201);
  });

  it('a path that is no percent-encoded UTF-8 names nothing', async () => {
    expect(await statusOf('GET', `${tasks}/%ff`, {}, undefined)).toBe(404);
    expect(await statusOf('GET', `${tasks}/%zz`, {}, undefined)).toBe(404);
    expect(await statusOf('GET', `${tasks}/%00`, {}, undefined)).toBe(404);
  });

  function statusOf(method: string, path: string, headers: Record<string, string>, body: Buffer | undefined) {
    return new Promise<number>((resolve, reject) => {
      const { port } = new URL(service.url);
      const socket = connect(Number(port), '127.0.0.1');
      const all = { Host: 'x', Authorization: `Bearer ${key}`, Connection: 'close', ...headers };
      const isChunked = 'Transfer-Encoding' in headers;
      const length = body && !isChunked ? `Content-Length: ${body.length}\r\n` : '';
      const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join(''); // prettier-ignore
      socket.write(`${method} ${path} HTTP/1.1\r\n${head}${length}\r\n`);
      if (body && isChunked) socket.write(`${body.length.toString(16)}\r\n`);
      if (body) socket.write(body);
      if (isChunked) socket.write('\r\n0\r\n\r\n');
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('error', reject).on('close', () => {
        resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]));
      });
    });
  }
});
