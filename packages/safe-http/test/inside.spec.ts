import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';
import { guardedConnector, type Lookup } from '../connector.js';
import { OutboundFailure } from '../failure.js';
import { Outbound } from '../client.js';
import {
  closeAll,
  attempts,
  canary,
  closers,
  expectRefused,
  failure,
  inside,
  limits,
  listen,
  type Listener,
  ok,
  type Outcome,
  outside,
  type Page,
  pages,
  redirect,
  text,
  when,
} from './network.js';

afterAll(closeAll);

// Whatever breaks, nothing here connects to another machine: each address is one of loopback, or of this one. Which
// addresses are inside is tested in address-guard.spec.ts.
describe('F1–F5 the inside', () => {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => (address.includes(':') ? `[${address}]` : address));
  const canaries: Listener[] = [];
  let port = 0;
  let closed: Outbound;

  beforeAll(async () => {
    const first = await canary(inside);
    port = first.port;
    canaries.push(first);
    // A container may have no IPv6.
    const second = await canary('::1', port).catch(() => undefined);
    if (second) canaries.push(second);
    closed = new Outbound({ allow: [] });
    closers.push(() => closed.close());
  });
  const accepted = (): number => canaries.reduce((sum, { seen }) => sum + seen.accepted, 0);
  afterEach(() => {
    expect(accepted()).toBe(0);
  });

  it('has canaries that count', async () => {
    const open = new Outbound({ allow: [`${inside}/32`] });
    const call = open.request(`http://${inside}:${port}/`, limits(1, 500));
    await when(() => accepted() > 0);
    await failure(call);
    await open.close();
    for (const { seen } of canaries) seen.accepted = 0;
  });

  it('F1 is not reached at its own addresses, on any port', async () => {
    for (const host of [inside, outside, '127.255.255.255', '[::1]', ...own]) {
      for (const at of [80, 443, 6379, 5432, port]) await expectRefused(closed, `http://${host}:${at}/`);
      await expectRefused(closed, `https://${host}/`);
    }
  });

  it.each(
    `127.0.0.1 127.1 127.0.1 127.0.0.1. 2130706433 017700000001 0177.0.0.1 0177.0.0.01 0x7f000001 0x7f.1 0X7F.0x0.1
    0 0x0 %31%32%37.0.0.1 127.0.0.%31 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 [::1] [0:0:0:0:0:0:0:1]
    [0000::0001] [::] [::ffff:127.0.0.1] [::FFFF:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1] localhost
    LOCALHOST lo\u00adcalhost ｌｏｃａｌｈｏｓｔ`.split(/\s+/),
  )('F2 is not reached by the spelling %s', async (host) => {
    await expectRefused(closed, `http://${host}:${port}/`);
  });

  it('F2 is not reached by a name that ends with a dot, whether the system knows it or not', async () => {
    const { reason } = await failure(text(closed, `http://localhost.:${port}/`));
    expect(['address not allowed', 'unreachable']).toContain(reason);
  });

  it('F5 is not reached by other schemes, with credentials or through low ports', async () => {
    const schemes = ['file', 'ftp', 'gopher', 'data', 'blob:http', 'javascript', 'unix'];
    const urls = [
      ...schemes.map((scheme) => `${scheme}://${inside}:${port}/a`),
      ...[`http://u:p@${inside}:${port}/`, `http://a.test@${inside}:${port}/`, `http://${inside}:22/`],
      'http://[::1%25lo]/',
    ];
    for (const url of urls)
      for (const attempt of attempts(closed, url))
        expect(await failure(attempt)).toMatchObject({ reason: 'url not allowed' });
  });

  it('is not reached through a proxy that the environment names', async () => {
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    for (const name of names) process.env[name] = `http://${inside}:${port}`;
    const fresh = new Outbound({ allow: [] });
    for (const host of [inside, outside]) await expectRefused(fresh, `http://${host}:${port}/`);
    await fresh.close();
    for (const name of names) Reflect.deleteProperty(process.env, name);
  });

  describe('F3 names', () => {
    const zones: Readonly<Record<string, readonly string[]>> = {
      localhost: [inside],
      'private.test': [inside],
      'mixed.test': [outside, inside],
      'mixed-first.test': [inside, outside],
      'mixed-six.test': [outside, '::1'],
      'mapped.test': ['::ffff:7f00:1'],
      'nonsense.test': ['localhost'],
      'good.test': [outside],
      'tls.test': [outside],
    };
    const isBad = (name: string): boolean => zones[name]?.join() !== outside;
    let lookups = 0;
    // A name is looked up anew for each connection: this one answers with another address each time.
    const rebound = (): string[] => [lookups++ % 2 === 0 ? outside : inside];
    const lookup: Lookup = (name) => {
      const addresses = name === 'rebinding.test' ? rebound() : (zones[name.replace(/\.$/, '')] ?? []);
      return Promise.resolve(
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
    let open: Outbound;
    const table = new Map<string, Page>([['/', ok(['Content-Length: 2'], 'hi')]]);
    let server: Listener;
    let secure: Listener;

    beforeAll(async () => {
      // The same port as that of the canaries: only the address differs.
      server = await listen(createServer(pages(table)), outside, port);
      const { private: key, cert } = await generate([{ name: 'commonName', value: 'tls.test' }], {
        keyType: 'ec',
        extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'tls.test' }] }],
      });
      secure = await listen(createTlsServer({ key, cert }, pages(table)), outside);
      open = new Outbound({ allow: [`${outside}/32`], lookup, ca: cert });
      closers.push(() => open.close());
    });

    it('reach what is outside', async () => {
      expect(await text(open, `http://good.test:${port}/`)).toBe('hi');
    });

    it.each(Object.keys(zones).filter(isBad))(
      'are refused if any of their addresses is inside: %s',
      async (name) => {
        await expectRefused(open, `http://${name}:${port}/`);
        await expectRefused(open, `https://${name}:${port}/`);
      },
    );

    it('are not reached if there are none, or the name server fails', async () => {
      const unreachable: Outcome = { reason: 'unreachable', message: 'the server could not be reached' };
      await expectRefused(open, `http://nowhere.test:${port}/`, unreachable);
      const broken = (): Promise<never> => Promise.reject(new Error('10.0.0.1 said no'));
      const failing = new Outbound({ allow: [], lookup: broken });
      await expectRefused(failing, 'http://a.test/', unreachable);
      await failing.close();
    });

    it('that hang leave look-ups for other workspaces', async () => {
      let hanging = 0;
      let end: (addresses: []) => void = () => undefined;
      const ended = new Promise<[]>((resolve) => (end = resolve));
      const slow: Lookup = (name) => {
        if (name === 'good.test') return lookup(name);
        hanging += 1;
        return ended;
      };
      const shared = new Outbound({ allow: [`${outside}/32`], lookup: slow, lookups: 6 });
      const waiting = Array.from({ length: 20 }, (_, at) =>
        failure(shared.request(`http://hangs-${at}.test/`, limits())),
      );
      const other = { ...limits(), workspaceId: 2 };
      const { status, body } = await shared.request(`http://good.test:${port}/`, other);
      body.destroy();
      expect([status, hanging]).toEqual([200, 2]);
      end([]);
      await Promise.all(waiting);
      await shared.close();
    });

    it('do not get inside by rebinding, 50 times', async () => {
      const ends = new Map<string, number>();
      for (let tries = 0; tries < 50; tries++) {
        const end = await text(open, `http://rebinding.test:${port}/`).catch((error: unknown) =>
          String(error),
        );
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }
      expect(ends).toEqual(
        new Map([
          ['hi', 25],
          ['Error: its address is not allowed', 25],
        ]),
      );
    });

    describe('F4 redirects', () => {
      const insides = [inside, '[::ffff:7f00:1]', '2130706433', 'private.test', 'mixed.test', 'localhost'];
      const chains = [301, 302, 303, 307, 308].flatMap((status) => insides.map((host) => ({ status, host })));

      it.each(chains)('do not lead inside: $status to $host', async ({ status, host }) => {
        table.set('/in', redirect(`${status === 307 ? '' : 'http:'}//${host}:${port}/`, status));
        table.set('/far', redirect('/in', status));
        for (const path of ['/in', '/far'])
          expect(await failure(text(open, `http://good.test:${port}${path}`))).toMatchObject({
            reason: 'address not allowed',
          });
      });

      it.each([
        ['file:///etc/passwd', 'url not allowed'],
        [`gopher://${inside}/`, 'url not allowed'],
        ['javascript:alert(1)', 'url not allowed'],
        ['http://u:p@good.test/', 'url not allowed'],
        ['http://good.test:22/', 'url not allowed'],
        ['http://', 'url not allowed'],
        ['/loop', 'too many redirects'],
      ])('refuse %s', async (location, reason) => {
        table.set('/loop', redirect(location));
        expect(await failure(text(open, `http://good.test:${port}/loop`))).toMatchObject({ reason });
      });

      it('are followed 5 times, no more', async () => {
        for (let hop = 0; hop < 6; hop++) table.set(`/${hop}`, redirect(`/${hop + 1}`, 307));
        table.set('/6', ok([], 'end'));
        expect(await text(open, `http://good.test:${port}/1`)).toBe('end');
        expect(await failure(text(open, `http://good.test:${port}/0`))).toEqual({
          reason: 'too many redirects',
          message: 'too many redirects',
        });
      });

      it('carry nothing along', async () => {
        const requests: string[] = [];
        table.set('/from', redirect(`http://good.test:${port}/to`));
        table.set('/to', (socket, request) => {
          requests.push(request);
          ok([], 'end')(socket, request);
        });
        expect(await text(open, `http://${outside}:${port}/from`)).toBe('end');
        expect(requests).toEqual([
          [
            'GET /to HTTP/1.1',
            `host: good.test:${port}`,
            'connection: keep-alive',
            'accept: */*',
            'user-agent: node',
            'accept-encoding: identity',
            '\r\n',
          ].join('\r\n'),
        ]);
      });

      it('may lead from http to https', async () => {
        table.set('/up', redirect(`https://tls.test:${secure.port}/`));
        expect(await text(open, `http://good.test:${port}/up`)).toBe('hi');
      });

      it('of a bare request are the answer', async () => {
        table.set('/bare', redirect(`http://${inside}:${port}/`));
        const { status, headers, body } = await open.request(`http://good.test:${port}/bare`, limits());
        body.destroy();
        expect([status, headers.get('location')]).toEqual([302, `http://${inside}:${port}/`]);
      });

      it('leave no connection behind', async () => {
        await when(() => server.seen.open === 0 && secure.seen.open === 0);
      });
    });

    describe('TLS', () => {
      it('is verified: the authority and the name', async () => {
        const unreachable: Outcome = { reason: 'unreachable', message: 'the server could not be reached' };
        await expectRefused(open, `https://good.test:${secure.port}/`, unreachable);
        await expectRefused(open, `https://${outside}:${secure.port}/`, unreachable);
        const strict = new Outbound({ allow: [`${outside}/32`], lookup });
        await expectRefused(strict, `https://tls.test:${secure.port}/`, unreachable);
        await strict.close();
        expect(await text(open, `https://tls.test.:${secure.port}/`)).toBe('hi');
        expect(await text(open, `https://tls.test:${secure.port}/`)).toBe('hi');
        await when(() => secure.seen.open === 0);
      });
    });
  });
});

it('the address of the connected socket is checked again, before the first byte of a request', async () => {
  const listener = await canary(inside);
  let checks = 0;
  const connect = guardedConnector({
    // Simulates a change of the address between look-up and connection.
    allows: () => ++checks === 1,
    lookup: () => Promise.resolve([{ address: inside, family: 4 }]),
    connectMs: 5000,
    ca: undefined,
    addressRefusal: undefined,
  });
  const error = await new Promise((resolve) => {
    connect({ hostname: 'a.test', port: `${listener.port}`, protocol: 'http:' }, (...[refusal]) => {
      resolve(refusal);
    });
  });
  expect(error).toEqual(new OutboundFailure('address not allowed'));
  await when(() => listener.seen.accepted === 1 && listener.seen.open === 0);
  expect([listener.seen.bytes, checks]).toEqual([0, 2]);
});
