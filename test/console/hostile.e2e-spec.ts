import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type Browser, openBrowser, pageOf, signIn } from '../support/console.js';
import { pagesOf } from '../support/routes.js';
import { served } from '../support/served.js';
import { type Client } from '../support/service.js';
import { evil, fillPages, isOutside, isRefused, others, pages } from './every-page.js';

/** What breaks out of a text, an attribute, a script, a style, an address, Markdown or a header. */
const breakers = ['<', '>', '"', "'", '&', '`', '</', '-->', '<!--', ']]>', '\\', '\u2028', '${', '{{', '&#60;', '&quot;', '%3C', '\t', '\u202e', '\0', '\ud800', '__proto__', 'javascript:', '[x](javascript:alert(1))', '![x](//evil.test)', '<script>', '</script>', '</textarea>', '</title>', '<svg onload=', '<img src=x onerror=', ' onfocus=alert(1) autofocus ', 'style=', '<base href=//evil.test>', '<turbo-stream action=append>', '<meta http-equiv=refresh>', 'data-controller=live', '\r\nSet-Cookie: x=1']; // prettier-ignore

/** What the pages of the console bring to life. */
const scripts = ['controllers.js', 'work.js'].map((name) => readFileSync(join(import.meta.dirname, '../../src/console/assets', name), 'utf8')); // prettier-ignore
const ours = new Set(scripts.flatMap((text) => Array.from(/ontrollers = \{([^}]*)\}/.exec(text)?.[1]?.matchAll(/(\w+):/g) ?? [], ([, name]) => name))); // prettier-ignore
const foreign = new Set(['base', 'style', 'object', 'embed', 'turbo-stream', 'img']);
const ofMarkdown = new Set(['a', 'blockquote', 'br', 'code', 'div', 'em', 'hr', 'li', 'ol', 'p', 'pre', 's', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul']); // prettier-ignore

/** The elements and attributes of a page that we have not written. */
function strangeIn({ html }: Answer): string[] {
  // What people write may lead elsewhere, by links alone.
  const written = new Set(html.querySelectorAll('.prose, .prose *'));
  return html.querySelectorAll('*').flatMap((element) => {
    const { localName, attributes } = element;
    const isWritten = written.has(element);
    const leads = isWritten ? /^(https?:|mailto:)/ : /^(\/|#|\?|https:\/\/acme\.test)/;
    const wrong = Object.entries(attributes).filter(
      ([name, value]) =>
        /^on|^style$|^srcdoc$|^formaction$/i.test(name) ||
        (/^(href|src|action)$/.test(name) && !leads.test(value)) ||
        (name === 'data-controller' && !value.split(' ').every((each) => ours.has(each))),
    );
    const isForeign = foreign.has(localName) || 'http-equiv' in attributes || (isWritten && !ofMarkdown.has(localName)); // prettier-ignore
    const isScript = localName === 'script' && !/^\/console\/assets\//.test(attributes['src'] ?? '');
    return wrong.length > 0 || isForeign || isScript ? [element.toString().slice(0, 200)] : [];
  });
}

const inTens = (texts: readonly string[]): string[] =>
  texts.flatMap((_, at) => (at % 10 === 0 ? [texts.slice(at, at + 10).join('alert(1)')] : []));

describe('hostile texts', () => {
  const { service } = served([]);
  let api: Client;
  let mina: Browser;
  let addressOf: (at: string) => string;

  beforeAll(async () => {
    addressOf = await fillPages(service);
    api = service.client(await service.key('demo'));
    mina = await signIn(service, 'mina@demo.test');
  });

  it('every route answers with a page of the table, or with no page', () => {
    const routes = pagesOf(service.app).filter((route) => route.startsWith('GET ')).map((route) => route.slice(4)); // prettier-ignore
    expect(routes.filter((route) => !(route in pages) && !others.test(route))).toEqual([]);
  });

  it('stay texts on every page that shows them', async () => {
    const nobody = openBrowser(service);
    let shown = 0;
    for (const at of Object.values(pages).flat()) {
      const page = await (isOutside(at) ? nobody : mina).get(addressOf(at));
      expect([at, page.status < 400, strangeIn(page)]).toEqual([at, !isRefused(at), []]);
      if (page.html.text.includes('onerror=alert(1)')) shown += 1;
    }
    expect(shown).toBeGreaterThan(30);
  });

  it('stay texts in everything that people write, and in the boxes for editing', async () => {
    const Notes = breakers.filter((text) => !/[\0\ud800]/.test(text)).join('\n');
    const path = pageOf(await api.post('/api/v1/workflows/vendors/tasks', { 'Vendor ID': 'H-1', 'Vendor Name': 'Hostile', Notes }).expect(201)); // prettier-ignore
    for (const text of Notes.split('\n'))
      await api.post('/api/v1/workflows/vendors/tasks/H-1/comments', { body: `${text}x${evil}` }).expect(201);
    const [page, edited] = [await mina.get(path), await mina.get(`${path}?edit=Notes`)];
    expect([strangeIn(page), strangeIn(edited)]).toEqual([[], []]);
    expect(page.html.querySelectorAll('.time-line .prose')).toHaveLength(Notes.split('\n').length);
    expect(edited.html.querySelector('.field textarea')?.text).toBe(`\n${Notes}`);
  });

  it('in addresses and in names of form fields change nothing, and cause no fault', async () => {
    const task = addressOf('{task}');
    const texts = ['\0', '\ud800', '\r\nSet-Cookie: x=1', ...inTens(breakers)];
    for (const text of texts) {
      const at = encodeURIComponent(text.toWellFormed());
      const answers = [
        await mina.get(`/workflows/${at}/tasks/${at}`),
        await mina.get(`${task}?edit=${at}&execution=${at}`),
        await mina.get(`/workflows/vendors/filter?Notes=${at}`),
        await mina.get(`/sign-in/${at}`),
        await mina.post(task, { name: text, value: text, was: text, version: text }),
        await mina.post('/workflows/vendors/new', { 'Vendor ID': text, 'Vendor Name': '', Notes: text, Risk: text }), // prettier-ignore
        await mina.post('/admin/keys', { name: text, scope: text, expires: text }),
      ];
      for (const answer of answers)
        expect([text, answer.status < 500, strangeIn(answer), answer.headers['set-cookie']]).toEqual([text, true, [], undefined]); // prettier-ignore
    }
  });
});
