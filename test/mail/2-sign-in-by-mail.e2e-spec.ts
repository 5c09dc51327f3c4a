import { cookieOf, openBrowser, texts } from '../support/console.js';
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

// How long a link is valid, that it works once and how it is stored: test/console/sign-in.e2e-spec.ts.
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
  async function ask(email: string): Promise<void> {
    const { status, headers } = await openBrowser(service).post('/sign-in/mail', { email }, from());
    expect([status, headers['location'], headers['set-cookie']]).toEqual([303, '/sign-in/sent', undefined]);
  }
  let seen = 0;
  /** The letter that has come since. */
  async function nextLetter(): Promise<TakenLetter> {
    await service.settle();
    expect(mails.letters.length).toBeGreaterThan(seen);
    seen = mails.letters.length;
    return mails.letters[seen - 1] as TakenLetter;
  }
  it('sends a letter with a link to the stored address', async () => {
    await ask('mina@ACME.test');
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
    const browser = openBrowser(service);
    const { status, headers } = await browser.post(linksIn(letter)[0] ?? '', {}, from());
    expect([status, headers['location']]).toEqual([303, '/']);
    browser.cookie = /\b__Host-wts=[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '';
    expect((await browser.get('/account')).text).toContain('Mina@acme.test');
  });

  it('answers for an unknown address as for a known one', async () => {
    for (const email of ['nobody@acme.test', 'Mina@acme.test']) await ask(email);
    expect((await openBrowser(service).get('/sign-in/sent')).status).toBe(200);
    await nextLetter();
    expect(mails.letters.some(({ to }) => to === 'nobody@acme.test')).toBe(false);
  });

  it('has a link for each workspace of the user', async () => {
    await ask('theo@acme.test');
    const links = linksIn(await nextLetter());
    expect(links).toHaveLength(2);
    for (const link of links) expect((await openBrowser(service).post(link, {}, from())).status).toBe(303);
  });

  it('is refused to a deactivated user', async () => {
    await service.apply(acme.replace('email: ines@acme.test', 'email: ines@acme.test, active: false'));
    await ask('ines@acme.test');
    await ask('Mina@acme.test');
    expect((await nextLetter()).to).toBe('Mina@acme.test');
    await service.apply(acme);
  });

  it('leads to the requested page', async () => {
    const browser = openBrowser(service);
    browser.cookie = cookieOf((await browser.get('/account')).headers);
    await ask('Mina@acme.test');
    const { headers } = await browser.post(linksIn(await nextLetter())[0] ?? '', {}, from());
    expect(headers['location']).toBe('/account');
  });

  it('is limited to five in a quarter of an hour for an address, and 20 a minute for a network', async () => {
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
    'is refused for an invalid address: %j',
    async (email) => {
      const answer = await openBrowser(service).post('/sign-in/mail', { email }, from());
      expect([answer.status, texts(answer, '.fault')]).toEqual([422, ['is not an e-mail address']]);
    },
  );
});

describe('without a mail server', () => {
  it('signing in by mail is not offered', async () => {
    const service = await startService();
    await service.apply(acme);
    const { html } = await openBrowser(service).get('/sign-in');
    expect(html.querySelectorAll('form')).toEqual([]);
    expect(html.text).toContain('user link');
    const browser = openBrowser(service);
    expect((await browser.post('/sign-in/mail', { email: 'mina@acme.test' })).status).toBe(404);
    await service.stop();
  });
});
