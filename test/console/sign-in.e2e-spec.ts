import { type Browser, cookieOf, linkFor, openBrowser, signIn, texts } from '../support/console.js';
import { pagesOf } from '../support/routes.js';
import { served } from '../support/served.js';

const acme = `
workspace: { id: acme, name: Acme }
users:
  - { email: mina@acme.test, first_name: Mina }
  - { email: theo@acme.test }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }]
`;

const minute = 60_000;

describe('signing in to the console', () => {
  const { service } = served(acme);
  const mina = (userAgent = ''): Promise<Browser> => signIn(service, 'mina@acme.test', userAgent);
  const linkOf = async (name = 'mina'): Promise<string> =>
    `/sign-in/${await linkFor(service, `${name}@acme.test`)}`;
  const accountOf = async (browser: Browser): Promise<number> => (await browser.get('/account')).status;
  /** Applies the definition with Theo deactivated, and as it is. */
  const deactivate = (): Promise<void> =>
    service.apply(acme.replace('email: theo@acme.test', 'email: theo@acme.test, active: false'));

  describe('a link', () => {
    it('shows a button, and is used up only by the button: scanners of mails follow links', async () => {
      const browser = openBrowser(service);
      const path = await linkOf();
      for (let times = 0; times < 3; times += 1) {
        const page = await browser.get(path);
        expect([page.status, page.textOf('.person')]).toEqual([200, 'MMina']);
        expect(page.headers['set-cookie']).toBeUndefined();
        expect(page.attributeOf('form', 'action')).toBe(path);
      }
      const { status, headers } = await browser.post(path);
      expect([status, headers['location']]).toEqual([303, '/']);
    });

    it('is made by a command, which the sign-in page tells operators', async () => {
      const hint = 'npm run -s wts -- user link YOUR-ADDRESS --workspace acme';
      for (const path of ['/sign-in', '/'])
        expect((await openBrowser(service).get(path)).text).toContain(hint);
    });

    it('pressed by two people at the same moment signs in one of them', async () => {
      const path = await linkOf();
      const answers = await Promise.all(Array.from({ length: 4 }, () => openBrowser(service).post(path)));
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404]);
    });

    it('signs in within 15 minutes', async () => {
      const path = await linkOf();
      await service.settle({ after: 14 * minute });
      expect((await openBrowser(service).get(path)).status).toBe(200);
      await service.settle({ after: minute });
      expect((await openBrowser(service).get(path)).status).toBe(404);
      expect((await openBrowser(service).post(path)).status).toBe(404);
    });

    it('cannot be found in the database', async () => {
      const token = await linkFor(service, 'mina@acme.test');
      const links = "SELECT *, encode(hash, 'escape') AS text FROM sign_in_links";
      const rows = JSON.stringify(await service.dataSource.query(links));
      expect(rows).not.toContain(token.slice(3));
    });

    it('does not work for a user who is no longer active', async () => {
      const path = await linkOf('theo');
      await deactivate();
      expect((await openBrowser(service).post(path)).status).toBe(404);
      await service.apply(acme);
      expect((await openBrowser(service).post(path)).status).toBe(404);
    });
  });

  describe('the page that was requested before signing in', () => {
    /** Where a link leads in this browser. */
    async function follow(browser: Browser): Promise<string | undefined> {
      const link = await linkOf();
      await browser.get(link);
      return (await browser.post(link)).headers['location'];
    }

    it('is where a link leads, kept in the browser for at most a quarter of an hour', async () => {
      for (const path of ['/account', '/workflows/things?ID[contains]=%C3%A4&_sort=-ID']) {
        const browser = openBrowser(service);
        const { headers } = await browser.get(path);
        expect(headers['set-cookie']).toEqual([expect.stringMatching(/^wts-to=[\w-]+; Max-Age=900; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/)]); // prettier-ignore
        browser.cookie = cookieOf(headers);
        expect(await follow(browser)).toBe(path);
        const signedIn = await browser.post(await linkOf());
        expect(signedIn.headers['set-cookie']).toContainEqual(expect.stringMatching(/^wts-to=; .*Expires=Thu, 01 Jan 1970/)); // prettier-ignore
      }
    });

    it('is no part of a page, no prefetch, and no request of a program', async () => {
      for (const headers of [{ 'Turbo-Frame': 'x' }, { 'Sec-Purpose': 'prefetch' }, { 'X-Sec-Purpose': 'prefetch' }, { Accept: 'text/event-stream' }])
        expect((await openBrowser(service).get('/account', headers)).headers['set-cookie']).toBeUndefined(); // prettier-ignore
    });

    const hostile = ['https://evil.test', '//evil.test', '/\\evil.test', '\\\\evil.test', '/\t/evil.test', ' //evil.test', '/.//evil.test', '/a/../..//evil.test', '/%2e%2e//evil.test', '@evil.test', 'javascript:alert(1)', '/x\r\nSet-Cookie: a=b', '/sign-out', '/sign-in/1.x', '', `/${'x'.repeat(3000)}`]; // prettier-ignore

    it('is never on another host, however the host is spelt', async () => {
      for (const text of hostile) {
        const browser = openBrowser(service);
        browser.cookie = `wts-to=${Buffer.from(text).toString('base64url')}`;
        expect([text, await follow(browser)]).toEqual([text, '/']);
      }
    });
  });

  describe('a session', () => {
    it('is a cookie that no script can read and no other site sends', async () => {
      const { headers } = await openBrowser(service).post(await linkOf());
      const cookie = /^wts=\d+\.[\w-]{43}; Max-Age=2592000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/;
      expect(headers['set-cookie']).toEqual([expect.stringMatching(cookie)]);
    });

    it('ends after 12 hours without use, and after 30 days', async () => {
      const idle = await mina();
      await service.settle({ after: 12 * 60 * minute - minute });
      expect(await accountOf(idle)).toBe(200);
      await service.settle({ after: 12 * 60 * minute });
      expect(await accountOf(idle)).toBe(401);

      const busy = await mina();
      for (let hours = 0; hours < 30 * 24; hours += 11) {
        expect([hours, await accountOf(busy)]).toEqual([hours, 200]);
        await service.settle({ after: 11 * 60 * minute, kind: 'none' });
      }
      expect(await accountOf(busy)).toBe(401);
    });

    it('ends at once when its user is deactivated, and does not come back', async () => {
      const browser = await signIn(service, 'theo@acme.test');
      expect(await accountOf(browser)).toBe(200);
      await deactivate();
      expect(await accountOf(browser)).toBe(401);
      await service.apply(acme);
      expect(await accountOf(browser)).toBe(401);
    });

    it('ends by signing out: this one, or all of the user', async () => {
      const [one, two, other] = [await mina(), await mina(), await signIn(service, 'theo@acme.test')];
      expect(cookieOf((await one.post('/sign-out')).headers)).toBe('wts=');
      expect([await accountOf(one), await accountOf(two)]).toEqual([401, 200]);
      await two.post('/sign-out/everywhere');
      expect([await accountOf(two), await accountOf(other)]).toEqual([401, 200]);
    });

    it('is listed with the other sessions of its user', async () => {
      await (await mina()).post('/sign-out/everywhere');
      const one = await mina('Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0');
      await mina('Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Safari/604.1');
      const page = await one.get('/account');
      expect(texts(page, 'tbody tr td:first-child').sort()).toEqual([
        'Firefox, Linux this browser',
        'Safari, iPhone',
      ]);
    });

    it('is not valid if somebody else has set a second cookie of its name', async () => {
      const browser = await mina();
      browser.cookie = `${browser.cookie}; wts=1.${'A'.repeat(43)}`;
      expect(await accountOf(browser)).toBe(401);
    });

    it('gives no access to the API, and a key gives no access to a page', async () => {
      const { cookie } = await mina();
      const key = `Bearer ${await service.key('acme', 'admin')}`;
      const nobody = openBrowser(service);
      const token = `Bearer ${cookie.replace('wts=', '')}`;
      for (const headers of [{ Cookie: cookie }, { Authorization: token }])
        expect((await nobody.get('/api/v1/workflows', headers)).status).toBe(401);
      expect((await nobody.get('/account', { Authorization: key })).status).toBe(401);
    });
  });

  it('a mistyped address is a page for people without a session, and JSON for programs', async () => {
    const json = 'application/problem+json; charset=utf-8';
    const page = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'Accept-Language': 'de' };
    const answerTo = async (path: string, headers = {}): Promise<unknown[]> => {
      const answer = await fetch(service.url + path, { headers });
      const text = await answer.text();
      return [answer.status, answer.headers.get('content-type'), /lang="en-DE".*href="\/"/s.test(text)];
    };
    for (const path of ['/workflow/vendors', '/Admin', '/tasks?x=1']) {
      expect(await answerTo(path, page)).toEqual([404, 'text/html; charset=utf-8', true]);
      expect(await answerTo(path)).toEqual([404, json, false]);
    }
    expect(await answerTo('/api/v1/nothing', page)).toEqual([401, json, false]);
  });

  describe('a request that changes something', () => {
    it('is refused unless a page of ours sends it, for everybody and everywhere', async () => {
      const browser = await mina();
      // Mail programs do not say where they come from (RFC 8058): the token of a letter says what they may do. So does the token of a form for people outside. Agents come with a key.
      const others = ['POST /unsubscribe/:token', 'POST /f/:token', 'POST /ask/:token', 'POST /mcp'];
      const forms = pagesOf(service.app).filter((route) => route.startsWith('POST ') && !others.includes(route)); // prettier-ignore
      expect(forms.length).toBeGreaterThan(2);
      const foreign: Record<string, string>[] = [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { 'Sec-Fetch-Site': 'none' },
        { Origin: 'https://evil.test' },
        { Origin: 'null' },
        { Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': 'cross-site' },
        { Origin: 'nonsense' },
        { Origin: `https://${new URL(service.url).host}.evil.test` },
        { Origin: `https://${new URL(service.url).host}@evil.test` },
        { Origin: service.url, 'Sec-Fetch-Site': 'same-site' },
        { Referer: `${service.url}/` },
      ];
      const refuse = async (route: string, headers: Record<string, string>): Promise<void> => {
        const { status } = await browser.post(route.slice(5).replace(/:\w+/g, 'x'), {}, headers);
        expect([route, headers, status]).toEqual([route, headers, 403]);
      };
      for (const route of forms) await refuse(route, {});
      for (const headers of foreign) await refuse('POST /account/absence', headers);
      expect(await accountOf(browser)).toBe(200);
    });

    it('is checked by Origin in an older browser', async () => {
      const { host } = new URL(service.url);
      const answer = await (await mina()).post('/sign-out', {}, { Origin: `http://${host}`, Host: host });
      expect(answer.status).toBe(303);
    });
  });

  it('every page asks a visitor without a session to sign in, and says nothing else', async () => {
    const open = ['GET /console/assets/:version/:name', 'GET /sign-in', 'GET /sign-in/:token', 'GET /sign-in/sent', 'POST /sign-in/mail', 'GET /unsubscribe/:token', 'GET /f/:token', 'POST /f/:token', 'GET /ask/:token', 'POST /ask/:token', 'GET /calendar/:token.ics', 'POST /unsubscribe/:token', 'GET /sign-in/oidc', 'GET /sign-in/oidc/callback', 'POST /sign-in/:token']; // prettier-ignore
    const nobody = openBrowser(service);
    for (const route of pagesOf(service.app).filter((route) => !open.includes(route))) {
      const [method, path = ''] = route.split(' ');
      const at = path.replace(/[:*]\w+/g, 'things');
      const { status, text } = await (method === 'GET' ? nobody.get(at) : nobody.post(at));
      expect([route, status, text.includes('Acme')]).toEqual([route, 401, false]);
    }
    const page = await nobody.get('/');
    expect([page.status, page.textOf('h1')]).toEqual([200, 'Sign in']);
  });

  it('an address that an untrusted proxy reports is not believed', async () => {
    const nobody = openBrowser(service);
    const tries = Array.from({ length: 21 }, (_, at) =>
      nobody.post('/sign-in/x', {}, { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': `198.51.100.${at}` }),
    ); // prettier-ignore
    expect((await Promise.all(tries)).map(({ status }) => status)).toContain(429);
  });
});

describe('a page', () => {
  const { service } = served(acme, {
    PUBLIC_URL: 'https://tasks.acme.test',
    WTS_CONSOLE_NAME: 'Acme <Desk>',
  });

  it('behind https sets cookies for this host only', async () => {
    const path = `/sign-in/${await linkFor(service, 'mina@acme.test')}`;
    const { headers } = await openBrowser(service).post(path);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-wts=.*; HttpOnly; Secure; SameSite/),
    ]);
  });

  it('runs and shows only our own files, in no frame, and is not cached', async () => {
    const { headers, html, text } = await (await signIn(service, 'mina@acme.test')).get('/');
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-WAyOw4V+FqDc35lQPyRADLBWbuNK8ahvYEaQIYF1+Ps='; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(text).not.toMatch(
      /https?:\/\/|\son\w+=|\sstyle=|<style|<script(?! type="module" src="\/console\/)/,
    );
    for (const file of html.querySelectorAll('link, script')) {
      const path = file.getAttribute('href') ?? file.getAttribute('src') ?? '';
      const { status, headers } = await openBrowser(service).get(path);
      const kept = 'public, max-age=31536000, immutable';
      expect([path, status, headers['cache-control']]).toEqual([path, 200, kept]);
    }
  });

  it('is sent compressed, as are its scripts', async () => {
    const page = await openBrowser(service).get('/');
    const script = await openBrowser(service).get(page.attributeOf('script', 'src'));
    const vary = expect.stringContaining('Accept-Encoding') as unknown;
    for (const { headers } of [page, script])
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary });
  });

  it('shows the name of the service', async () => {
    expect((await openBrowser(service).get('/')).textOf('title')).toBe('Sign in · Acme <Desk>');
  });

  it.each([
    ['de-AT, en;q=0.5', 'en-AT'],
    ['de', 'en-DE'],
    ['no language', 'en'],
  ])("is in English, with dates and numbers in the reader's region: %s", async (wanted, language) => {
    const page = await openBrowser(service).get('/', { 'Accept-Language': wanted });
    expect(page.attributeOf('html', 'lang')).toBe(language);
  });
});
