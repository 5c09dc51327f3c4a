import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type RequestListener } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Response } from 'supertest';
import { filesOf, inline, stateOf } from '../support/attachments.js';
import {
  allowed,
  api,
  bytesOf as textOf,
  cases,
  expectRefused,
  maxFileBytes,
  namesOf,
  service,
} from './cases.js';

/** Where the service may not fetch files from. */
const inside = '127.0.0.2';

// Every spelling of an address, DNS answers and the other ways of a download are tested beside `packages/safe-http`.
describe('2.2 remoteUrl', () => {
  const closers: (() => Promise<unknown>)[] = [];
  const visits: string[] = [];
  let site: string;
  let canary: string;

  beforeAll(async () => {
    canary = await website(inside, () => undefined);
    site = await website(allowed, (request, response) => {
      const disposition = `attachment; filename="x"; filename*=UTF-8''%E2%82%AC.txt`;
      const answers: Readonly<Record<string, readonly [number, OutgoingHttpHeaders, (string | Buffer)?]>> = {
        '/dir/a.txt': [200, { 'Content-Type': 'text/plain; charset=utf-8' }, 'aaa'],
        '/named': [200, { 'Content-Disposition': disposition }, 'n'],
        '/largest': [200, {}, Buffer.alloc(maxFileBytes, 'x')],
        '/larger': [200, {}, Buffer.alloc(maxFileBytes + 1, 'x')],
        '/hop': [302, { Location: '/dir/a.txt' }],
        '/inside': [302, { Location: canary }],
      };
      const [status, headers, body] = answers[request.url ?? ''] ?? [404, {}, 'secret'];
      response.writeHead(status, headers).end(body);
    });
  });
  afterAll(async () => {
    for (const end of closers) await end();
  });

  async function website(host: string, page: RequestListener): Promise<string> {
    const server = createServer((request, response) => {
      visits.push(`${host}${request.url ?? ''}`);
      page(request, response);
    });
    server.listen(0, host);
    await once(server, 'listening');
    closers.push(async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    });
    return `http://${host}:${(server.address() as AddressInfo).port}/`;
  }

  const remote = (path: string, given = {}): object => ({ remoteUrl: new URL(path, site).href, ...given });
  const bytesOf = (answer: Response): Promise<string[]> => Promise.all(filesOf(answer, 'Photos').map(textOf));

  it.each([
    [
      'the request',
      '/named',
      { filename: 'mine.bin', contentType: 'image/png' },
      'mine.bin',
      'image/png',
      'n',
    ],
    ['Content-Disposition', '/named', { filename: null }, '€.txt', 'application/octet-stream', 'n'],
    ['the last segment of the path', '/hop', {}, 'a.txt', 'text/plain; charset=utf-8', 'aaa'],
  ])('name and type are taken from %s', async (what, path, given, filename, contentType, bytes) => {
    const answer = await api.post(cases, { ID: what, Photos: [remote(path, given)] }).expect(201);
    expect(filesOf(answer, 'Photos')).toMatchObject([{ filename, contentType }]);
    expect(await bytesOf(answer)).toEqual([bytes]);
  });

  it('kept, inline and remote elements keep their order; a file of the largest size is stored', async () => {
    const first = await api
      .post(cases, { ID: 'order', Photos: [inline('a'), remote('/largest')] })
      .expect(201);
    const [a, largest] = filesOf(first, 'Photos');
    const Photos = [remote('/named'), largest, inline('b'), a];
    const second = await api.put(cases, { ID: 'order', Photos }).expect(200);
    expect(namesOf(filesOf(second, 'Photos'))).toEqual(['€.txt', 'largest', 'b', 'a']);
    expect((await bytesOf(second)).map(({ length }) => length)).toEqual([1, maxFileBytes, 1, 1]);
  });

  it.each([
    ['what is not there', '/secret', 'the server answered 404'],
    ['what is too large', '/larger', `it is larger than ${maxFileBytes} bytes`],
    ['a redirect to an inside address', '/inside', 'its address is not allowed (WTS_OUTBOUND_ALLOW)'],
  ])('%s is refused on the field, and nothing of the payload is stored', async (_, path, reason) => {
    const payload = { ID: 'order', Title: 'new', Docs: [inline('b'), remote(path)] };
    await expectRefused(payload, { Docs: [`could not be downloaded: ${reason}`] });
  });

  it('no inside address is reached, whatever its spelling', async () => {
    const { port } = new URL(canary);
    const refused = { Docs: ['could not be downloaded: its address is not allowed (WTS_OUTBOUND_ALLOW)'] };
    for (const host of [inside, '0x7f000002', '[::ffff:127.0.0.2]', '[::1]'])
      await expectRefused({ ID: 'order', Docs: [{ remoteUrl: `http://${host}:${port}/` }] }, refused);
    expect(visits.filter((visit) => visit.startsWith(inside))).toEqual([]);
  });

  it('failed downloads of several fields are in one answer; other faults prevent downloads', async () => {
    const failed = ['could not be downloaded: the server answered 404'];
    const Docs = [remote('/none')];
    const tries = (): number => visits.filter((visit) => visit.endsWith('/none')).length;
    const both = { ID: 'order', Docs, Photos: [inline('a'), ...Docs] };
    await expectRefused(both, { Docs: failed, Photos: failed });
    const before = tries();
    await expectRefused({ ID: 'order', Docs, Nope: 1 }, { Nope: ['is not a field of this workflow'] });
    await api.put(cases, { ID: 'nobody', Docs }).expect(404);
    await api.post(cases, { ID: 'nobody', Docs }).set('If-Match', '*').expect(412);
    expect(tries()).toBe(before);
  });

  it('a download ends when its storage fails; meanwhile, no transaction is open', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const endless = await website(allowed, (_, response) => {
      closed = once(response.writeHead(200), 'close');
      response.write('half');
    });
    const before = await stateOf(service);
    let open: unknown;
    // As a disk does that is full: it fails before it has read anything.
    jest.spyOn(service.blobs, 'write').mockImplementation(async () => {
      open = await service.dataSource.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
      );
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    });
    await api.post(cases, { ID: 'endless', Docs: [{ remoteUrl: endless }] }).expect(503);
    await closed;
    expect(open).toEqual([]);
    expect(await stateOf(service)).toEqual(before);
    jest.restoreAllMocks();
  });
});
