import { type Browser, cookieOf, openBrowser, texts } from '../support/console.js';
import { startService, startServiceWith } from '../support/service.js';
import { headerText, startMailServer, type TakenLetter } from '../messages/mail-server.js';

const acme = `
workspace: { id: acme, name: Acme & Söhne }
users: [{ email: Mina@acme.test, first_name: Mina }, { email: theo@acme.test }, { email: ines@acme.test }, { email: much@acme.test }]
`;
const beta = `
workspace: { id: beta, name: Beta }
users: [{ email: theo@acme.test }]
`;

const codeIn = (letter: TakenLetter | undefined): string =>
  /^\d{6}$/m.exec(letter?.parts.get('text/plain') ?? '')?.[0] ?? '';
const linksIn = (letter: TakenLetter | undefined): string[] =>
  [...(letter?.parts.get('text/plain') ?? '').matchAll(/https?:\/\/\S+/g)].map(
    ([link]) => new URL(link).pathname,
  );

const mails = await startMailServer();
const { service } = await startServiceWith([acme, beta], {
  WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
  WTS_MAIL_FROM: 'Acme <wts@acme.test>',
  PUBLIC_URL: 'https://wts.acme.test/',
  WTS_TRUSTED_PROXIES: '127.0.0.1',
  WTS_CONSOLE_NAME: 'Acme Desk',
});
afterAll(() => mails.stop());

// Rule (people.md 5): six digits, 15 min, 5 tries, bound to the browser that asked; a mailed link is bound to none, shows
// a page with a button, works once.
describe('signing in by mail', () => {
  // What one test asks for leaves the others their five mails.
  beforeEach(async () => {
    await service.dataSource.query('TRUNCATE sign_in_failures');
    addressesUsed += 1;
  });

  let addressesUsed = 0;
  const from = (more: object = {}): Record<string, string> => ({
    'Sec-Fetch-Site': 'same-origin',
    'X-Forwarded-For': `198.51.100.${addressesUsed}`,
    ...more,
  });
  /** Asks for a mail, and keeps the cookie. */
  async function ask(email: string, browser: Browser = openBrowser(service), more = {}): Promise<Browser> {
    const { status, headers } = await browser.post('/sign-in/mail', { email }, from(more));
    expect([status, headers['location']]).toEqual([303, '/sign-in/code']);
    browser.cookie = cookieOf(headers);
    return browser;
  }
  let seen = 0;
  /** The letter that has come since. */
  async function nextLetter(): Promise<TakenLetter> {
    await service.settle();
    expect(mails.letters.length).toBeGreaterThan(seen);
    seen = mails.letters.length;
    return mails.letters[seen - 1] as TakenLetter;
  }
  const enter = (browser: Browser, code: string) => browser.post('/sign-in/code', { code }, from());
  const wrong = (code: string): string => String((Number(code) + 1) % 10 ** 6).padStart(6, '0');

  it('sends a letter with a link and a code to the address as it is kept, and the code signs in', async () => {
    const browser = await ask('mina@ACME.test');
    const letter = await nextLetter();
    expect([letter.to, headerText(letter.headers.get('subject'))]).toEqual([
      'Mina@acme.test',
      'Sign in to Acme Desk',
    ]);
    expect(letter.headers.get('auto-submitted')).toBe('auto-generated');
    expect(letter.parts.get('text/plain')).toMatch(
      /^Sign in to Acme & Söhne:\s+https:\/\/wts\.acme\.test\/sign-in\/\d+\.[\w-]{43}$/m,
    );
    expect(letter.parts.get('text/html')).toContain('>Sign in to Acme &#38; Söhne</a>');
    const code = codeIn(letter);
    const { status, headers } = await enter(browser, ` ${code.slice(0, 3)} ${code.slice(3)} `);
    expect([status, headers['location']]).toEqual([303, '/']);
    browser.cookie = /\b__Host-wts=[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '';
    expect((await browser.get('/account')).text).toContain('Mina@acme.test');
  });

  it('by the link works in any browser, once, and uses up the code beside it; looking at it changes nothing: scanners open every link', async () => {
    const browser = await ask('Mina@acme.test');
    const letter = await nextLetter();
    const [path = ''] = linksIn(letter);
    for (let times = 0; times < 2; times += 1)
      expect((await openBrowser(service).get(path)).attributeOf('form', 'action')).toBe(path);
    expect((await openBrowser(service).post(path, {}, from())).status).toBe(303);
    expect((await openBrowser(service).post(path, {}, from())).status).toBe(404);
    expect((await enter(browser, codeIn(letter))).status).toBe(422);
  });

  it('by the code is bound to the browser that has asked, and uses up the link beside it', async () => {
    const browser = await ask('Mina@acme.test');
    const letter = await nextLetter();
    const other = await ask('ines@acme.test');
    await nextLetter();
    expect((await enter(other, codeIn(letter))).status).toBe(422);
    expect((await enter(openBrowser(service), codeIn(letter))).headers['location']).toBe('/sign-in');
    expect((await enter(browser, codeIn(letter))).status).toBe(303);
    expect((await enter(browser, codeIn(letter))).status).toBe(422);
    expect((await openBrowser(service).get(linksIn(letter)[0] ?? '')).status).toBe(404);
  });

  it('takes five tries, also when all come at once', async () => {
    const browser = await ask('Mina@acme.test');
    const code = codeIn(await nextLetter());
    const tried = await Promise.all(Array.from({ length: 12 }, () => enter(browser, wrong(code))));
    expect(tried.map(({ status }) => status)).toEqual(Array(12).fill(422));
    expect(texts(tried[0] as never, '.fault')).toEqual(['is wrong, used up or too old']);
    expect((await enter(browser, code)).status).toBe(422);
    const most = await service.dataSource.query('SELECT tries FROM sign_in_links WHERE tries >= 5');
    expect(most).toEqual([{ tries: 5 }]);
    const again = await ask('Mina@acme.test');
    expect((await enter(again, codeIn(await nextLetter()))).status).toBe(303);
  });

  it('of two who enter the code at the same moment, one', async () => {
    const browser = await ask('Mina@acme.test');
    const code = codeIn(await nextLetter());
    const answers = await Promise.all(Array.from({ length: 4 }, () => enter(browser, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422, 422, 422]);
  });

  it('ends after 15 minutes', async () => {
    const browser = await ask('Mina@acme.test');
    const letter = await nextLetter();
    await service.settle({ after: 14 * 60_000 });
    expect((await openBrowser(service).get(linksIn(letter)[0] ?? '')).status).toBe(200);
    await service.settle({ after: 60_000 });
    expect((await openBrowser(service).get(linksIn(letter)[0] ?? '')).status).toBe(404);
    expect((await enter(browser, codeIn(letter))).status).toBe(422);
  });

  it('answers for an address that nobody has as for one that somebody has, page by page', async () => {
    const pages = [];
    for (const email of ['Mina@acme.test', 'nobody@acme.test']) {
      const browser = await ask(email);
      const page = await browser.get('/sign-in/code');
      const refused = await enter(browser, '12345');
      const plain = (text: string): string => text.replaceAll(email, 'WHO');
      pages.push([browser.cookie.length - Buffer.from(email).toString('base64url').length, page.status, plain(page.text), refused.status, plain(refused.text)]); // prettier-ignore
    }
    expect(pages[0]).toEqual(pages[1]);
    await nextLetter();
    expect(mails.letters.some(({ to }) => to === 'nobody@acme.test')).toBe(false);
  });

  it('signs in a user of several workspaces to the one that they choose', async () => {
    const browser = await ask('theo@acme.test');
    const letter = await nextLetter();
    expect(linksIn(letter)).toHaveLength(2);
    const answer = await enter(browser, codeIn(letter));
    expect([answer.status, texts(answer, 'form button')]).toEqual([200, ['Acme & Söhne', 'Beta']]);
    const [first, second] = answer.html.querySelectorAll('form');
    expect((await browser.post(second?.getAttribute('action') ?? '', {}, from())).status).toBe(303);
    expect((await browser.post(first?.getAttribute('action') ?? '', {}, from())).status).toBe(303);
  });

  it('is not for who was deactivated, before the mail or after it', async () => {
    const browser = await ask('ines@acme.test');
    const letter = await nextLetter();
    await service.apply(acme.replace('email: ines@acme.test', 'email: ines@acme.test, active: false'));
    expect((await enter(browser, codeIn(letter))).status).toBe(422);
    expect((await openBrowser(service).post(linksIn(letter)[0] ?? '', {}, from())).status).toBe(404);
    await ask('ines@acme.test');
    await ask('Mina@acme.test');
    expect((await nextLetter()).to).toBe('Mina@acme.test');
    await service.apply(acme);
  });

  it('leads to the page that was asked for', async () => {
    const browser = openBrowser(service);
    browser.cookie = cookieOf((await browser.get('/account')).headers);
    const before = browser.cookie;
    await ask('Mina@acme.test', browser);
    browser.cookie = `${browser.cookie}; ${before}`;
    const { headers } = await enter(browser, codeIn(await nextLetter()));
    expect(headers['location']).toBe('/account');
  });

  it('is asked for five times in a quarter of an hour, whoever has the address, and 20 a minute from one network', async () => {
    for (const email of ['much@acme.test', 'nobody@acme.test']) {
      const statuses = [];
      for (let times = 0; times < 7; times += 1)
        statuses.push((await openBrowser(service).post('/sign-in/mail', { email }, from())).status);
      expect(statuses).toEqual([303, 303, 303, 303, 303, 429, 429]);
    }
    const late = await openBrowser(service).post('/sign-in/mail', { email: 'Much@acme.test' }, from());
    expect([late.status, late.headers['retry-after']]).toEqual([429, '900']);
    expect(late.text).toContain('Five mails were requested for this address.');
    const others = Array.from({ length: 10 }, (_, at) =>
      openBrowser(service).post('/sign-in/mail', { email: `n${at}@acme.test` }, from()),
    );
    expect((await Promise.all(others)).map(({ status }) => status)).toContain(429);
    await nextLetter();
    expect(await mails.lettersTo('much@acme.test', 5)).toHaveLength(5);
  });

  it.each(['', 'mina', 'a@b@c', 'Mina <mina@acme.test>', 'mina@acme.test\r\nBcc: x@y.test', 'é'.repeat(300)])(
    'is refused for what is no address: %j',
    async (email) => {
      const answer = await openBrowser(service).post('/sign-in/mail', { email }, from());
      expect([answer.status, texts(answer, '.fault')]).toEqual([422, ['is not an e-mail address']]);
    },
  );

  it('keeps nothing in the database that signs in', async () => {
    const browser = await ask('Mina@acme.test');
    const letter = await nextLetter();
    const escaped = ['hash', 'browser', 'code'].map((column) => `encode(${column}, 'escape') AS ${column}`);
    const rows = JSON.stringify(
      await service.dataSource.query(`SELECT ${escaped.join()} FROM sign_in_links`),
    );
    expect(rows).not.toContain(codeIn(letter));
    expect(rows).not.toContain(/[\w-]{43}/.exec(browser.cookie)?.[0]);
    expect(rows).not.toContain(/[\w-]{43}$/.exec(linksIn(letter)[0] ?? '')?.[0]);
  });
});

describe('where no mail server is set', () => {
  it('nothing of it is there', async () => {
    const service = await startService();
    await service.apply(acme);
    const { html } = await openBrowser(service).get('/sign-in');
    expect(html.querySelectorAll('form')).toEqual([]);
    expect(html.text).toContain('user link');
    const browser = openBrowser(service);
    for (const answer of [
      await browser.post('/sign-in/mail', { email: 'mina@acme.test' }),
      await browser.get('/sign-in/code'),
      await browser.post('/sign-in/code', { code: '123456' }),
    ])
      expect(answer.status).toBe(404);
    await service.stop();
  });
});
