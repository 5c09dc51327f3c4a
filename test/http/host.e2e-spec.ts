import { hostname } from 'node:os';
import request from 'supertest';
import { everyType } from '../support/definitions.js';
import { isPage, pagesOf, routesOf } from '../support/routes.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

const { service } = await startServiceWith(everyType);

const api = service.client(await service.key('acme', 'admin'));
for (const ID of ['a', 'b', 'c']) await api.post(tasks, { ID }).expect(201);
for (const body of ['1', '2']) await api.post(`${tasks}/a/comments`, { body }).expect(201);
const port = new URL(service.url).port;

describe('`Host`, without PUBLIC_URL', () => {
  /** The origin of the link to the next page, if the request has this `Host`. */
  async function nextFor(host: string, path = `${tasks}?_limit=1`): Promise<string> {
    const { headers } = await api.get(path).set('Host', host).expect(200);
    const [, next = ''] = /^<([^>]*)>; rel="next"$/.exec(headers['link'] as string) ?? [];
    return new URL(next).origin;
  }

  it('is the host in links to the next page, as the client sent it', async () => {
    for (const name of ['localhost', 'LOCALHOST', '127.0.0.1', hostname()])
      expect(await nextFor(`${name}:${port}`)).toBe(`http://${name.toLowerCase()}:${port}`);
  });

  it.each(['evil.test:PORT', 'localhost.evil.test:PORT', 'evil.test', 'localhost', 'localhost:1', '127.0.0.2:PORT', '[::1]:PORT', 'a b:PORT', 'x@localhost:PORT', 'localhost:PORT/x', 'localhost:', '<x>', '\xe4:PORT', ''])(
    'is not repeated if it is another host: %j', async (host) => {
      expect(await nextFor(host.replace('PORT', port))).toBe('http://localhost:3000');
    }); // prettier-ignore

  it('is not repeated by the feed and by comments either', async () => {
    for (const path of ['/api/v1/events?_limit=1', `${tasks}/a/comments?_limit=1`])
      expect([path, await nextFor('evil.test', path)]).toEqual([path, 'http://localhost:3000']);
  });

  it('is in no answer of any route, nor is the host that a proxy reports', async () => {
    const key = await service.key('acme', 'admin');
    const foreign = { Host: 'evil.test', 'X-Forwarded-Host': 'evil.test', Forwarded: 'host=evil.test' };
    for (const route of [...routesOf(service.app), ...pagesOf(service.app)]) {
      const [method = '', pattern = ''] = route.split(' ');
      const path = pattern
        .replace(':workflow_id', 'things')
        .replace(':unique_id', 'a')
        .replace(/[:*]\w+/g, 'x');
      const who = isPage(pattern)
        ? { Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' }
        : { Authorization: `Bearer ${key}` };
      const ask = request(service.app.getHttpServer());
      const asked = method === 'POST' ? ask.post(path) : method === 'PUT' ? ask.put(path) : ask.get(path);
      const { status, headers, text } = await asked.set({ ...foreign, ...who });
      expect([route, status < 500]).toEqual([route, true]);
      expect([route, JSON.stringify(headers) + text]).toEqual([
        route,
        expect.not.stringContaining('evil.test'),
      ]);
    }
  });
});
