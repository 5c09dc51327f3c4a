import { readConfig } from '../../src/config.js';
import { everyType } from '../support/definitions.js';
import { type RawAnswer, sendRaw } from '../support/raw-request.js';
import { startService } from '../support/service.js';

const page = 'https://app.example.com';
const other = 'http://localhost:5173';
const tasks = '/api/v1/workflows/things/tasks';

const service = await startService({ WTS_CORS_ORIGINS: `${page}, ${other}`, WTS_CONSOLE: 'off' });
const closed = await startService({ WTS_CONSOLE: 'off' });
await service.apply(everyType);
const key = await service.key('acme');

describe('a browser', () => {
  afterAll(() => Promise.all([service.stop(), closed.stop()]));

  const send = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    to = service,
  ): Promise<RawAnswer> => sendRaw(to.url, { method, path, headers: Object.entries(headers) });
  const preflight = (origin: string, to = service): Promise<RawAnswer> =>
    send(
      'OPTIONS',
      tasks,
      {
        Origin: origin,
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'authorization,content-type,if-match',
      },
      to,
    );
  const corsOf = ({ headers }: RawAnswer): Record<string, unknown> =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));

  describe('with a page of one of WTS_CORS_ORIGINS', () => {
    it('learns by a preflight without a key what the page may send', async () => {
      for (const origin of [page, other]) {
        const answer = await preflight(origin);
        expect([answer.status, answer.body, answer.headers['vary']]).toEqual([204, '', 'Origin']);
        expect(corsOf(answer)).toEqual({
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'GET,HEAD,POST,PUT,DELETE',
          'access-control-allow-headers':
            'Authorization,Content-Type,Idempotency-Key,If-Match,If-None-Match,If-Range,Prefer,Range,X-Request-Id',
          'access-control-expose-headers': expect.stringContaining('ETag'),
          'access-control-max-age': '600',
        });
      }
    });

    it('shows the page every answer, refusals too, with the headers that mean something; never with credentials', async () => {
      const answers = [
        await send('GET', tasks, { Origin: page, Authorization: `Bearer ${key}` }),
        await send('GET', `${tasks}/none`, { Origin: page, Authorization: `Bearer ${key}` }),
        await send('GET', tasks, { Origin: page }),
        await send('GET', '/health/live', { Origin: page }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 200]);
      for (const answer of answers)
        expect([Object.keys(corsOf(answer)).sort(), corsOf(answer)['access-control-allow-origin'], answer.headers['vary']]).toEqual([['access-control-allow-origin', 'access-control-expose-headers'], page, 'Origin']); // prettier-ignore
    });

    it('lets the page see each header that the description knows, but for those that are for the browser itself', async () => {
      const answer = await send('GET', '/docs/openapi.json', { Origin: page });
      const { components } = JSON.parse(answer.body) as { components: { headers: object } };
      const ours = /^(Connection|Vary|Cache-Control|Content-Length|Content-Security-Policy|Cross-Origin-Resource-Policy|Referrer-Policy|X-Content-Type-Options)$/; // prettier-ignore
      const told = Object.keys(components.headers).filter((name) => !ours.test(name));
      const exposed = String(corsOf(answer)['access-control-expose-headers']).split(',');
      expect(exposed).toEqual([...told, 'Allow'].sort());
    });
  });

  it.each([
    'null',
    '*',
    'https://app.example.com.evil.test',
    'https://app.example.com:8443',
    'http://app.example.com',
    `${page}, ${other}`,
    `${page} `.padEnd(3000, 'x'),
  ])('with a page of %.40s may read nothing', async (origin) => {
    const refused = await preflight(origin);
    expect([corsOf(refused)['access-control-allow-origin'], refused.headers['vary']]).toEqual([
      undefined,
      'Origin',
    ]);
    const read = await send('GET', tasks, { Origin: origin, Authorization: `Bearer ${key}` });
    expect([corsOf(read)['access-control-allow-origin'], read.headers['vary']]).toEqual([
      undefined,
      'Origin',
    ]);
  });

  it('gets no CORS headers if WTS_CORS_ORIGINS is not set, as by default', async () => {
    const answer = await preflight(page, closed);
    expect([answer.status, corsOf(answer), answer.headers['vary']]).toEqual([401, {}, undefined]);
  });

  it.each([
    '*',
    'null',
    'app.example.com',
    'https://app.example.com/',
    'https://app.example.com:443',
    'HTTPS://app.example.com',
    'https://a.test,,',
    'ftp://a.test',
    'https://*.example.com/x',
  ])('WTS_CORS_ORIGINS=%s is refused at the start: it names no origin as a browser sends it', (value) => {
    expect(() => readConfig({ WTS_CORS_ORIGINS: value })).toThrow('WTS_CORS_ORIGINS must be origins as browsers send them'); // prettier-ignore
  });
});
