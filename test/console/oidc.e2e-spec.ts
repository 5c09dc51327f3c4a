import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { parse } from 'node-html-parser';
import { createLogger } from '../../src/common/logger.js';
import { linkFor } from '../support/console.js';
import { startService } from '../support/service.js';

const acme = `
workspace: { id: acme, name: Acme }
users:
  - { email: Mina@acme.test, first_name: Mina }
  - { email: kim@acme.test }
  - { email: both@acme.test }
  - { email: left@acme.test, active: false }
  - { email: unverified@acme.test }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }]
`;
const beta = `
workspace: { id: beta, name: Beta }
users: [{ email: both@acme.test }]
`;
const secret = 'what-only-the-provider-and-we-know';
/** Where people reach the service, as the provider knows it too. */
const ours = 'http://localhost:3000';

let answer: RequestListener = () => undefined;
let isDown = false;
const identities = createServer((request, response) => {
  if (isDown) response.writeHead(503).end();
  else answer(request, response);
}).listen(0, '127.0.0.1');
await once(identities, 'listening');
const issuer = `http://127.0.0.1:${(identities.address() as AddressInfo).port}`;
answer = await provider();
let logged = '';
const service = await startService(
  {
    WTS_OIDC_ISSUER: issuer,
    WTS_OIDC_CLIENT_ID: 'wts',
    WTS_OIDC_CLIENT_SECRET: secret,
    WTS_TRUSTED_PROXIES: '127.0.0.1',
    WTS_METRICS_PORT: '0',
  },
  createLogger('debug', { write: (line: string) => void (logged += line) }),
);
for (const yaml of [acme, beta]) await service.apply(yaml);
afterAll(async () => {
  await service.stop();
  identities.closeAllConnections();
  identities.close();
});

it('an unavailable provider is reported, and works as soon as it is back', async () => {
  isDown = true;
  const browser = new Agent();
  const { status, title } = await browser.get('/sign-in/oidc');
  expect([status, title]).toEqual([424, 'Your organisation’s sign-in service cannot be reached.']);
  isDown = false;
  await service.settle({ after: 60_000 });
  expect((await browser.get('/sign-in/oidc')).status).toBe(303);
});

it.each(['mina@acme.test', 'MINA@acme.test', 'in-userinfo.mina@acme.test'])(
  'a verified e-mail signs in its user, and leads to the requested page: %s',
  async (account) => {
    const browser = new Agent();
    const asked = '/workflows/things?ID=1';
    const { status, text } = await browser.get(asked);
    expect(status).toBe(401);
    const link = parse(text).querySelector('a.primary')?.getAttribute('href') ?? '';
    const answer = await browser.get(await browser.signInAs(account, link));
    expect([answer.status, answer.location]).toEqual([303, asked]);
    expect([...browser.jar.keys()]).toEqual(['wts']);
    expect((await browser.get('/account')).text).toContain('Mina');
  },
);

it('the provider is asked only for the e-mail, with PKCE, state and nonce', async () => {
  const { location } = await new Agent().get('/sign-in/oidc');
  const query = Object.fromEntries(new URL(location).searchParams);
  const random = expect.stringMatching(/^[\w-]{43}$/) as unknown;
  expect(query).toEqual({
    client_id: 'wts',
    redirect_uri: `${ours}/sign-in/oidc/callback`,
    response_type: 'code',
    scope: 'openid email',
    state: random,
    nonce: random,
    code_challenge: random,
    code_challenge_method: 'S256',
  });
});

it.each([
  ['unverified@acme.test', 'The e-mail address of your account is not verified.'],
  ['somebody@else.test', 'No user has this e-mail address:'],
  ['left@acme.test', 'No user has this e-mail address:'],
  // The small letter of the sign for kelvin is a k.
  ['\u212Aim@acme.test', 'No user has this e-mail address:'],
])('%s is not signed in', async (account, why) => {
  const browser = new Agent();
  const { status, title } = await browser.get(await browser.signInAs(account));
  expect([status, title]).toEqual([403, why]);
  expect([...browser.jar.keys()]).toEqual([]);
});

it('a user of several workspaces is asked which workspace', async () => {
  const browser = new Agent();
  await browser.get('/account');
  const back = await browser.signInAs('both@acme.test');
  const { status, text } = await browser.get(back);
  const forms = parse(text).querySelectorAll('form');
  expect([status, forms.map((form) => form.text.trim())]).toEqual([200, ['Acme', 'Beta']]);
  const answer = await browser.post(forms[1]?.getAttribute('action') ?? '', {});
  expect([answer.status, answer.location]).toEqual([303, '/account']);
  expect((await browser.get('/')).text).toContain('Beta');
});

it('an answer of the provider works only once, in the same browser, and for the same attempt', async () => {
  const browser = new Agent();
  const back = await browser.signInAs('mina@acme.test');
  const stolen = await new Agent().get(back);
  expect([stolen.status, stolen.title]).toEqual([
    400,
    'This sign-in has ended, was started in another browser, or took longer than 10 minutes.',
  ]);

  const kept = new Map(browser.jar);
  expect((await browser.get(back)).status).toBe(303);
  expect((await browser.get(back)).status).toBe(400);
  const thief = new Agent();
  thief.jar = kept;
  const replayed = await thief.get(back);
  expect([replayed.status, replayed.title]).toEqual([
    403,
    'Your organisation’s sign-in service refused, or it took too long.',
  ]);
  expect([...thief.jar.keys()]).toEqual([]);

  // The code of one attempt under the state of another.
  const [one, other] = [await browser.signInAs('mina@acme.test'), new Agent()];
  const mixed = new URL(one);
  mixed.searchParams.set('state', await other.begin());
  expect((await other.get(mixed.href)).status).toBe(403);
  expect((await browser.get(mixed.href)).status).toBe(400);
});

it('a user who cancels is told so, and so is a user whose provider becomes unavailable', async () => {
  const browser = new Agent();
  const state = await browser.begin();
  const cancelled = await browser.get(`/sign-in/oidc/callback?error=access_denied&state=${state}`);
  expect([cancelled.status, cancelled.title]).toEqual([
    403,
    'Your organisation’s sign-in service refused, or it took too long.',
  ]);

  const back = await browser.signInAs('mina@acme.test');
  isDown = true;
  const { status } = await browser.get(back);
  isDown = false;
  expect(status).toBe(424);
});

it('a callback that a page elsewhere makes a browser load uses no attempts up', async () => {
  const browser = new Agent();
  for (let times = 0; times < 30; times += 1)
    expect((await browser.get('/sign-in/oidc/callback?code=guessed&state=guessed')).status).toBe(400);
  expect((await browser.get(await browser.signInAs('mina@acme.test'))).status).toBe(303);
});

it('from one address, about 20 wrong codes a minute reach the provider, and links go on working', async () => {
  const browser = new Agent('198.51.100.7');
  const guess = async (): Promise<number> => {
    const state = await browser.begin();
    return (await browser.get(`/sign-in/oidc/callback?code=guessed&state=${state}`)).status;
  };
  for (let times = 0; times < 20; times += 1) expect(await guess()).toBe(403);
  expect(await guess()).toBe(429);
  expect((await browser.post(`/sign-in/${await linkFor(service, 'Mina@acme.test')}`)).status).toBe(303);
  // What a client wrote itself stands before what the proxy has added.
  browser.forwardedFor = '198.51.100.8, 198.51.100.7';
  expect(await guess()).toBe(429);
});

it('an e-mail that no user can have is answered by a page, without a query', async () => {
  const browser = new Agent();
  const texts = ['\0@acme.test', 'mina@acme.test\0', '\ud800@acme.test', 'mina\udfff@acme.test', `${'x'.repeat(100_000)}@acme.test`, '', ' ', '\r\nSet-Cookie: a=b', '<script>@acme.test', 'mina@acme.test ']; // prettier-ignore
  for (const text of texts) {
    claimed = text;
    const { status, text: page } = await browser.get(await browser.signInAs('claimed'));
    expect([text.slice(0, 30), status, page.length < 20_000]).toEqual([text.slice(0, 30), 403, true]);
  }
  expect([...browser.jar.keys()]).toEqual([]);
});

it('any invalid callback or cookie is answered by a page', async () => {
  const queries = ['', '?', '?state', '?state=%00', '?state=a;b', '?code=%ff&state=%E0%A4%A', `?state=${'x'.repeat(4000)}`, '?state=a&state=b', '?iss=x#y']; // prettier-ignore
  const parts = ['x', '%00', '\u00e9\u00ff', 'x'.repeat(3000), '"', '\\', ' ', 'eyJ9', '__proto__'];
  const kept = parts.flatMap((part) => [`s.${part}.v`, `s.n.${part}`, `s.n.v.${part}`]);
  const ofKept = ['?state=s&code=%00', '?state=s&error=%00', '?state=s&code=a&code=b'];
  const cases = [
    ...queries.map((query) => ['', query] as const),
    ...kept.flatMap((cookie) => ofKept.map((query) => [cookie, query] as const)),
  ];
  for (const [index, [cookie, query]] of cases.entries()) {
    const browser = new Agent(`198.51.101.${index}`);
    browser.jar = new Map(cookie ? [['wts-oidc', cookie]] : []);
    const { status } = await browser.get(`/sign-in/oidc/callback${query}`);
    expect([cookie, query, [400, 403].includes(status)]).toEqual([cookie, query, true]);
  }
});

it('the log names the result of each attempt, and nothing secret or personal', () => {
  const outcomes = [...logged.matchAll(/"way":"oidc","outcome":"([\w ]+)"/g)].map(([, outcome]) => outcome);
  expect(new Set(outcomes)).toEqual(
    new Set(['away', 'signed in', 'unverified', 'unknown', 'several workspaces', 'over', 'refused']),
  );
  expect(logged).not.toMatch(/acme\.test|code=|state=|eyJ[\w-]+\./);
  expect(logged).not.toContain(secret);
});

/** An identity provider in which everybody has the account that they say. */
async function provider(): Promise<RequestListener> {
  // It complains of its keys, which live as long as the test.
  jest.spyOn(console, 'warn').mockReturnValue();
  jest.spyOn(console, 'info').mockReturnValue();
  const { default: Provider } = await import('oidc-provider');
  const identities = new Provider(issuer, {
    clients: [{ client_id: 'wts', client_secret: secret, redirect_uris: [`${ours}/sign-in/oidc/callback`] }],
    claims: { email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: (use: string) =>
        use === 'id_token' && id.startsWith('in-userinfo.') ? { sub: id } : { sub: id, ...emailOf(id) },
    }),
  });
  return identities.callback();
}

/** What the account `claimed` says that its e-mail is. */
let claimed = '';

function emailOf(account: string): object {
  if (account === 'claimed') return { email: claimed, email_verified: true };
  const email = account.replace('in-userinfo.', '');
  return { email, email_verified: email !== 'unverified@acme.test' };
}

/** A browser without JavaScript, which keeps the cookies of each host. */
class Agent {
  /** By the names of the cookies that the service has set. */
  jar = new Map<string, string>();
  private readonly ofProvider = new Map<string, string>();

  constructor(public forwardedFor = '198.51.100.1') {}

  get(path: string): Promise<Answer> {
    return this.send(path, {});
  }

  post(path: string, fields: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send(path, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** The state of a new attempt. */
  async begin(): Promise<string> {
    const { location } = await this.get('/sign-in/oidc');
    return new URL(location).searchParams.get('state') ?? '';
  }

  /** Goes where this path of ours leads, signs in there, and says where the provider then sends the browser. */
  async signInAs(account: string, path = '/sign-in/oidc'): Promise<string> {
    let at = path;
    for (let steps = 0; steps < 20; steps += 1) {
      const { location, text } = await this.get(at);
      if (location.startsWith(`${ours}/sign-in/oidc/callback`)) return location;
      const form = parse(text).querySelector('form');
      const prompt = form?.querySelector('[name=prompt]')?.getAttribute('value') ?? '';
      const action = form?.getAttribute('action');
      const next = action === undefined ? location : (await this.post(action, { prompt, login: account, password: 'x' })).location; // prettier-ignore
      at = new URL(next, at.startsWith('/') ? ours : at).href;
      if (at.startsWith(`${ours}/sign-in/oidc/callback`)) return at;
    }
    throw new Error(`the provider does not come to an end: ${at}`);
  }

  private async send(path: string, options: RequestInit): Promise<Answer> {
    const url = new URL(path.replace(ours, ''), service.url);
    const cookies = url.href.startsWith(issuer) ? this.ofProvider : this.jar;
    const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': this.forwardedFor, Cookie }; // prettier-ignore
    const answer = await read(await fetch(url, { ...options, headers, redirect: 'manual' }));
    for (const cookie of answer.cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }
}

type Answer = Awaited<ReturnType<typeof read>>;
const read = async (answer: Response) => {
  const text = await answer.text();
  return {
    status: answer.status,
    location: answer.headers.get('location') ?? '',
    cookies: answer.headers.getSetCookie(),
    text,
    /** What it says, if it refuses. */
    title: parse(text).querySelector('[role=alert]')?.text,
  };
};
