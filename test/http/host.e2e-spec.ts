import request from 'supertest';
import { everyType } from '../support/definitions.js';
import { isPage, pagesOf, routesOf } from '../support/routes.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

const { service } = await startServiceWith(everyType);

const api = service.client(await service.key('acme', 'admin'));
for (const ID of ['a', 'b', 'c']) await api.post(tasks, { ID }).expect(201);
for (const body of ['1', '2']) await api.post(`${tasks}/a/comments`, { body }).expect(201);

describe('`Host`, without PUBLIC_URL', () => {
  /** The origin of the link to the next page, if the request has this `Host`. */
  async function nextFor(host: string, path: string): Promise<string> {
    const { headers } = await api.get(path).set('Host', host).expect(200);
    const [, next = ''] = /^<([^>]*)>; rel="next"$/.exec(headers['link'] as string) ?? [];
    return new URL(next).origin;
  }

  it('is not repeated by links to the next page: they begin with the address of the service', async () => {
    for (const path of [`${tasks}?_limit=1`, '/api/v1/events?_limit=1', `${tasks}/a/comments?_limit=1`])
      for (const host of ['evil.test:3000', 'x@localhost:3000', '<x>', ''])
        expect([path, await nextFor(host, path)]).toEqual([path, 'http://localhost:3000']);
  });

  it('is in no answer of any route, nor is what a proxy says in its place', async () => {
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
