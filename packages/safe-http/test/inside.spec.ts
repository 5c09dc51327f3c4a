import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';
import { guardedConnector } from '../connector.js';
import { type Lookup } from '../lookups.js';
import { OutboundFailure } from '../failure.js';
import { Outbound } from '../client.js';
import { reserved } from './reserved-addresses.js';
import {
  closeAll,
  type Answers,
  attempts,
  canary,
  closers,
  expectRefused,
  failure,
  inside,
  limits,
  listen,
  type Listener,
  nameServer,
  noAddress,
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

describe('F1–F5 the inside', () => {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);
  const canaries: Listener[] = [];
  let port = 0;
  let closed: Outbound;

  beforeAll(async () => {
    const first = await canary(inside);
    port = first.port;
    canaries.push(first);
    for (const host of ['::1', ...own]) {
      // A container may have no IPv6, but has its own address.
      const listener = await canary(host, port).catch(() => undefined);
      if (listener) canaries.push(listener);
    }
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

  it(`F1 is not reached at ${reserved.length} reserved addresses and its own, on any port`, async () => {
    expect(reserved.length).toBeGreaterThanOrEqual(56);
    const hosts = [...reserved, ...own.map((address) => (address.includes(':') ? `[${address}]` : address))];
    for (const host of hosts) {
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
    const urls = [
      ...[
        'file:///etc/passwd',
        `ftp://${inside}:${port}/`,
        `gopher://${inside}:${port}/`,
        'data:text/plain,a',
      ],
      ...[`blob:http://${inside}:${port}/a`, 'javascript:alert(1)', 'unix:/var/run/docker.sock'],
      ...[
        `http://u:p@${inside}:${port}/`,
        `http://a.test@${inside}:${port}/`,
        'http://a.test:22/',
        'http://[::1%25lo]/',
      ],
    ];
    for (const url of urls)
      for (const attempt of attempts(closed, url))
        expect(await failure(attempt)).toMatchObject({ reason: 'url not allowed' });
  });

  it('is not reached through a proxy that the environment names', async () => {
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    for (const name of names) process.env[name] = `http://${inside}:${port}`;
    const fresh = new Outbound({ allow: [] });
    await expectRefused(fresh, `http://${inside}:${port}/`);
    await expectRefused(fresh, 'http://192.0.2.1/');
    await fresh.close();
    for (const name of names) Reflect.deleteProperty(process.env, name);
  });

  describe('F3 names', () => {
    const outsideOnly = { A: [outside] };
    const zones: Readonly<Record<string, Answers>> = {
      localhost: { A: [inside] },
      'private.test': { A: [inside] },
      'metadata.test': { A: ['169.254.169.254'] },
      'mixed.test': { A: [outside, inside] },
      'mixed-first.test': { A: [inside, outside] },
      'mixed-six.test': { A: [outside], AAAA: ['0:0:0:0:0:0:0:1'] },
      'mapped.test': { AAAA: ['0:0:0:0:0:ffff:7f00:1'] },
      'translated.test': { AAAA: ['64:ff9b:0:0:0:0:7f00:1'] },
      'alias.test': { CNAME: 'localhost', A: [inside], AAAA: ['0:0:0:0:0:0:0:1'] },
      'good.test': outsideOnly,
      'tls.test': outsideOnly,
    };
    let queries = 0;
    let lookup: Lookup;
    let open: Outbound;
    const table = new Map<string, Page>([['/', ok(['Content-Length: 2'], 'hi')]]);
    let server: Listener;
    let secure: Listener;

    beforeAll(async () => {
      lookup = await nameServer((name, type) => {
        if (name !== 'rebinding.test') return zones[name] ?? {};
        return type === 'A' ? { A: [queries++ % 2 === 0 ? outside : inside] } : {};
      });
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

    it.each(Object.keys(zones).filter((name) => zones[name] !== outsideOnly))(
      'are refused if any of their addresses is inside: %s',
      async (name) => {
        await expectRefused(open, `http://${name}:${port}/`);
        await expectRefused(open, `https://${name}:${port}/`);
      },
    );

    it('are not reached if there are none, or the name server fails', async () => {
      const unreachable: Outcome = { reason: 'unreachable', message: 'the server could not be reached' };
      await expectRefused(open, `http://nowhere.test:${port}/`, unreachable);
      const failing = new Outbound({
        allow: [],
        lookup: () => Promise.reject(new Error('10.0.0.1 said no')),
      });
      await expectRefused(failing, 'http://a.test/', unreachable);
      const nonsense = new Outbound({
        allow: [],
        lookup: () => Promise.resolve([{ address: 'localhost', family: 4 }]),
      });
      await expectRefused(nonsense, 'http://a.test/');
      await Promise.all([failing.close(), nonsense.close()]);
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
          ['Error: could not be downloaded: its address is not allowed', 25],
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
          expect(await failure(text(open, `http://good.test:${port}${path}`))).toEqual({
            ...noAddress,
            message: 'could not be downloaded: its address is not allowed',
          });
      });

      it.each([
        ['file:///etc/passwd', 'url not allowed'],
        ['gopher://127.0.0.1/', 'url not allowed'],
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
          message: 'could not be downloaded: too many redirects',
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

      it('may lead from http to https, never back', async () => {
        table.set('/up', redirect(`https://tls.test:${secure.port}/`));
        expect(await text(open, `http://good.test:${port}/up`)).toBe('hi');
        table.set('/down', redirect(`http://good.test:${port}/`));
        expect(await failure(text(open, `https://tls.test:${secure.port}/down`))).toEqual({
          reason: 'redirect not allowed',
          message: 'could not be downloaded: it leads from https to http',
        });
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

describe('the address that is connected to', () => {
  it.each(['http:', 'https:'])('is judged again before the first byte: %s', async (protocol) => {
    const listener = await canary(inside);
    let asked = 0;
    const doors = {
      // Simulates a change of the address between look-up and connection.
      allows: () => ++asked === 1,
      lookup: () => Promise.resolve([{ address: inside, family: 4 }]),
      connectMs: 5000,
      ca: undefined,
      addressRefusal: undefined,
    };
    const connect = guardedConnector(doors, () => undefined);
    const target = { hostname: 'a.test', port: `${listener.port}`, protocol };
    const error = await new Promise((resolve) => {
      connect(target, (...[refusal]) => {
        resolve(refusal);
      });
    });
    expect(error).toEqual(new OutboundFailure('address not allowed'));
    await when(() => listener.seen.accepted === 1 && listener.seen.open === 0);
    expect(listener.seen.bytes).toBe(0);
    expect(asked).toBe(2);
  });
});
