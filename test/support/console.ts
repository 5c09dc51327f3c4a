import { type HTMLElement, type Node, parse } from 'node-html-parser';
import request, { type Response } from 'supertest';
import { createSignInLink } from '../../src/access/sessions.js';
import { UserEntity } from '../../src/workflows/model/entities/user.entity.js';
import { type Environment } from '../../src/config.js';
import { awaitEnds } from './ends.js';
import { later, served } from './served.js';
import { type TestService } from './service.js';

/** A page, or the answer to a form. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: HTMLElement;
  /** The text of the first element that the selector finds; '' if there is none. */
  textOf(selector: string): string;
  /** An attribute of the first element that the selector finds; '' if there is none. */
  attributeOf(selector: string, name: string): string;
  /** An attribute of all elements that the selector finds. */
  attributesOf(selector: string, name: string): string[];
  hrefOf(selector: string): string;
}

/** A browser without JavaScript at the console. */
export interface Browser {
  /** Its cookies as a header. */
  cookie: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a form as if from a page of the console, unless the headers differ. */
  post(path: string, fields?: Fields, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a form with only a file, in the control of this name. */
  sendFile(path: string, filename: string, bytes: string, name?: string): Promise<Answer>;
}

export type Fields = Readonly<Record<string, string | readonly string[]>>;

const fromOurPage = { 'Sec-Fetch-Site': 'same-origin' };

/** Opens a browser without a session. */
export function openBrowser(service: TestService): Browser {
  const server = service.app.getHttpServer();
  const browser: Browser = {
    cookie: '',
    get: async (path, headers = {}) =>
      answerOf(
        await request(server)
          .get(path)
          .set({ Accept: 'text/html', Cookie: browser.cookie, ...headers }),
      ),
    async post(path, fields = {}, headers = fromOurPage) {
      const body = new URLSearchParams();
      for (const [name, values] of Object.entries(fields))
        for (const value of [values].flat()) body.append(name, value);
      const form = { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' };
      const answer = request(server)
        .post(path)
        .set({ ...form, Cookie: browser.cookie, ...headers });
      return answerOf(await answer.send(body.toString()));
    },
    sendFile: async (path, filename, bytes, name = 'file') =>
      answerOf(
        await request(server)
          .post(path)
          .set({ Accept: 'text/html', Cookie: browser.cookie, ...fromOurPage })
          .attach(name, Buffer.from(bytes), { filename, contentType: 'text/plain' }),
      ),
  };
  return browser;
}

function answerOf({ status, headers, text }: Response): Answer {
  const attributesOf: Answer['attributesOf'] = (selector, name) =>
    parse(text).querySelectorAll(selector).map((found) => found.getAttribute(name)?.replaceAll('&amp;', '&') ?? ''); // prettier-ignore
  const attributeOf: Answer['attributeOf'] = (selector, name) => attributesOf(selector, name)[0] ?? '';
  return {
    status,
    headers,
    text,
    attributeOf,
    attributesOf,
    get html() {
      return parse(text);
    },
    textOf: (selector) => parse(text).querySelector(selector)?.text.trim() ?? '',
    hrefOf: (selector) => attributeOf(selector, 'href'),
  };
}

/** The token after `/sign-in/` for a user of any workspace. */
export async function linkFor({ dataSource }: TestService, email: string): Promise<string> {
  const user = await dataSource.manager.findOneByOrFail(UserEntity, { email });
  return createSignInLink(dataSource.manager, user);
}

/** Opens a browser in which this user is signed in. */
export async function signIn(service: TestService, email: string, userAgent = ''): Promise<Browser> {
  const browser = openBrowser(service);
  const { headers } = await browser.post(
    `/sign-in/${await linkFor(service, email)}`,
    {},
    { ...fromOurPage, 'User-Agent': userAgent },
  );
  browser.cookie = cookieOf(headers);
  return browser;
}

/** Serves a definition to these people of acme.test, each signed in with a browser of their own. */
export function servedTo<Name extends string>(
  people: readonly Name[],
  definition: string,
  environment: Environment = {},
): ReturnType<typeof served> & Readonly<Record<Name, Browser>> {
  const { service, api } = served(definition, environment);
  const browsers = new Map<string, Browser>();
  beforeAll(async () => {
    awaitEnds(service);
    for (const name of people) browsers.set(name, await signIn(service, `${name}@acme.test`));
  });
  const opened = people.map((name) => [name, later(() => browsers.get(name))]);
  return { service, api, ...(Object.fromEntries(opened) as Record<Name, Browser>) };
}

/** The page to which an answer leads. */
export const follow = (browser: Browser, { headers }: Answer): Promise<Answer> =>
  browser.get(headers['location'] ?? '/leads-nowhere');

/** The path of the page of the task with which the API has answered. */
export const pageOf = ({ body }: { readonly body: unknown }): string =>
  new URL(String(Reflect.get(Object(body), 'Task URL'))).pathname;

/** What the inputs of a form hold, by their names. */
export function fieldsOf(
  form: HTMLElement | null | undefined,
  inputs = 'input[name]',
): Record<string, string> {
  const found = form?.querySelectorAll(inputs) ?? [];
  const valueOf = (input: HTMLElement): string =>
    input.getAttribute('value')?.replaceAll('&quot;', '"') ?? '';
  return Object.fromEntries(found.map((input) => [input.getAttribute('name') ?? '', valueOf(input)]));
}

/** The cookie header that a browser sends after it was given this cookie. */
export function cookieOf(headers: Answer['headers']): string {
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

/** The texts of all elements that the selector finds, with spaces between their parts. */
export function texts({ html }: Answer, selector: string): string[] {
  return html.querySelectorAll(selector).map((element) => wordsIn(element).join(' '));
}

const wordsIn = (node: Node): string[] =>
  node.childNodes.length > 0 ? node.childNodes.flatMap(wordsIn) : (node.text.match(/\S+/g) ?? []);

/** Sends the first form of a page whose address has this end, with its own inputs and the entered values. */
export function sendForm(browser: Browser, page: Answer, end: string, entered: Fields = {}): Promise<Answer> {
  const form = page.html
    .querySelectorAll('#content form')
    .find((one) => one.getAttribute('action')?.endsWith(end) === true);
  return browser.post(form?.getAttribute('action') ?? 'no such form', { ...fieldsOf(form), ...entered });
}
