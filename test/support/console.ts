import { type HTMLElement, type Node, parse } from 'node-html-parser';
import request, { type Response } from 'supertest';
import { createSignInLink } from '../../src/auth/sessions.repository.js';
import { UserEntity } from '../../src/entities/user.entity.js';
import { type TestService } from './service.js';

/** A page, or what a form was answered with. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: HTMLElement;
}

/** What a browser without JavaScript does at the console. */
export interface Browser {
  /** Its cookies, as a header. */
  cookie: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a form, as from a page of ours unless the headers say otherwise. */
  post(path: string, fields?: Fields, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a form that holds nothing but a file, in the control of this name. */
  sendFile(path: string, filename: string, bytes: string, name?: string): Promise<Answer>;
}

export type Fields = Readonly<Record<string, string | readonly string[]>>;

const fromOurPage = { 'Sec-Fetch-Site': 'same-origin' };

/** A browser in which nobody is signed in. */
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
  return {
    status,
    headers,
    text,
    get html() {
      return parse(text);
    },
  };
}

/** What is behind `/sign-in/`, for a user of any workspace. */
export async function linkFor({ dataSource }: TestService, email: string): Promise<string> {
  const user = await dataSource.manager.findOneByOrFail(UserEntity, { email });
  return createSignInLink(dataSource.manager, user);
}

/** A browser in which this user is signed in. */
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

/** What a browser sends back of the cookie that it was given. */
export function cookieOf(headers: Answer['headers']): string {
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

/** The words of each element of a page that this finds, with a space between any two. */
export function texts({ html }: Answer, selector: string): string[] {
  return html.querySelectorAll(selector).map((element) => wordsIn(element).join(' '));
}

const wordsIn = (node: Node): string[] =>
  node.childNodes.length > 0 ? node.childNodes.flatMap(wordsIn) : (node.text.match(/\S+/g) ?? []);

/** Sends the first form of a page whose address ends like this, with what stands in its inputs and what is entered. */
export function sendForm(browser: Browser, page: Answer, end: string, entered: Fields = {}): Promise<Answer> {
  const form = page.html
    .querySelectorAll('#content form')
    .find((one) => one.getAttribute('action')?.endsWith(end) === true);
  const fields = Object.fromEntries(
    (form?.querySelectorAll('input[name]') ?? []).map((input) => [
      input.getAttribute('name') ?? '',
      input.getAttribute('value') ?? '',
    ]),
  );
  return browser.post(form?.getAttribute('action') ?? 'no such form', { ...fields, ...entered });
}
