import { type Browser, signIn } from '../support/console.js';
import { type Client, startService, type TestService } from '../support/service.js';

const acme = (name: string): string => `
workspace: { id: acme, name: ${JSON.stringify(name)} }
users: [{ email: mina@acme.test, first_name: ${JSON.stringify(name.slice(0, 100))} }]
workflows:
  - id: things
    name: ${JSON.stringify(name)}
    stages: [{ name: ${JSON.stringify(`S ${name}`)} }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Text, type: text }
      - { name: ${JSON.stringify(`N ${name}`)}, type: longText }
      - { name: Choice, type: singleSelect, options: [${JSON.stringify(name)}] }
      - { name: File, type: file }
    actions:
      - { id: act, name: ${JSON.stringify(name)}, requirements: { confirmation: ${JSON.stringify(name)}, conditions: [{ when: 'false', message: ${JSON.stringify(name)} }] } }
`;

// What breaks out of a text, an attribute, a script, a style, a URL or a header, in ever different company.
const breakers = ['<', '>', '"', "'", '&', '`', '</', '-->', '<!--', ']]>', '\\', '\u2028', '${', '{{', '&#60;', '&quot;', '%3C', '\t', '\u202e', 'javascript:', '<script>', '</script>', '</textarea>', '</title>', '<svg onload=', '<img src=x onerror=', ' onfocus=alert(1) autofocus ', 'style=', '<base href=//evil.test>', '<turbo-stream action=append>', '<meta http-equiv=refresh>', 'data-controller=live']; // prettier-ignore
const COUNT = 4000;
const hostile = Array.from({ length: COUNT }, (_, index) => {
  const at = (step: number): string =>
    breakers[(index * step + Math.floor(index / breakers.length)) % breakers.length] ?? '';
  return `${at(1)}alert(${index})${at(7)}x${at(13)}`;
});

/** Each of so many on one page. */
const OF_PAGE = 200;
const PAGES = COUNT / OF_PAGE;

describe('hostile texts', () => {
  let service: TestService;
  let api: Client;
  let mina: Browser;

  beforeAll(async () => {
    service = await startService();
    await service.apply(acme('Acme'));
    api = service.client(await service.key('acme'));
    mina = await signIn(service, 'mina@acme.test');
  });
  afterAll(() => service.stop());

  /** Whether a page holds no element and no attribute that we have not written. */
  function expectOurs(text: string, html: Awaited<ReturnType<Browser['get']>>['html']): void {
    expect(html.querySelectorAll('script').map((script) => script.getAttribute('src'))).toEqual([
      expect.stringMatching(/^\/console\/assets\//),
    ]);
    expect(
      html.querySelectorAll('base, style, iframe, object, embed, turbo-stream, img, meta[http-equiv]'),
    ).toEqual([]);
    for (const element of html.querySelectorAll('*')) {
      const names = Object.keys(element.attributes);
      expect(names.filter((name) => /^on|^style$|^srcdoc$|^formaction$/i.test(name))).toEqual([]);
      const controller = element.getAttribute('data-controller');
      expect([undefined, 'live', 'time', 'entry', 'upload', 'opener', 'dialog']).toContain(controller);
      for (const name of ['href', 'src', 'action'])
        expect(element.getAttribute(name) ?? '/').toMatch(/^(\/|#|\?)/);
    }
    expect(text).not.toMatch(/<svg onload|<img src=x/i);
  }

  it('in names, values, comments, checklists and file names stay texts', async () => {
    for (let page = 0; page < PAGES; page += 1) {
      const texts = hostile.slice(page * OF_PAGE, (page + 1) * OF_PAGE);
      const lines = texts.map((text) => text.replace(/[\t\u2028]/g, ' '));
      const payload = {
        ID: `T-${page}`,
        Text: lines.slice(0, 100).join(' ').slice(0, 10_000),
        'N Acme': texts.join('\n'),
        'Assigned To': 'mina@acme.test',
        File: [
          {
            base64contents: 'SGVsbG8=',
            contentType: 'text/plain',
            filename: (lines[0] ?? '').replace(/[/\\]/g, '_').trim().slice(0, 100),
          },
        ],
      };
      const { body, status } = await api.post('/api/v1/workflows/things/tasks', payload);
      expect([status, body]).toEqual([201, expect.anything()]);
      const path = new URL(String(Reflect.get(Object(body), 'Task URL'))).pathname;
      await api.post(`/api/v1/workflows/things/tasks/T-${page}/comments`, {
        body: texts.slice(0, 100).join('\n'),
      });
      await api.post(`/api/v1/workflows/things/tasks/T-${page}/checklist_items`, {
        title: (lines[1] ?? '').trim(),
        Stage: 'S Acme',
      });
      const shown = await mina.get(path);
      expectOurs(shown.text, shown.html);
      expect(shown.html.querySelectorAll('.field .lines')[0]?.text).toBe(texts.join('\n'));
      const edited = await mina.get(`${path}?edit=${encodeURIComponent('N Acme')}`);
      expectOurs(edited.text, edited.html);
      expect(edited.html.querySelector('.field textarea')?.text).toBe(`\n${texts.join('\n')}`);
    }
    const home = await mina.get('/');
    expectOurs(home.text, home.html);
  });

  it('in a definition stay texts, too', async () => {
    for (const name of hostile
      .filter((_, index) => index % 523 === 0)
      .map((text) => text.replace(/[\t\u2028]|\{\{/g, ' ').trim())) {
      await service.apply(acme(name));
      const { body } = await api.get('/api/v1/workflows/things/tasks/T-0');
      const { text, html } = await mina.get(new URL(String(Reflect.get(Object(body), 'Task URL'))).pathname);
      expectOurs(text, html);
      expect(html.querySelector('.impossible a, .impossible span')?.text).toContain(name);
    }
  });

  it('in an address and in what forms name change nothing, and nothing fails', async () => {
    for (const text of hostile.filter((_, index) => index % 251 === 0)) {
      const at = encodeURIComponent(text);
      for (const path of [
        `/workflows/${at}/tasks/${at}`,
        `/sign-in/${at}`,
        `/?edit=${at}`,
        `/workflows/things/tasks/${at}?edit=${at}&confirm=${at}&execution=${at}`,
      ]) {
        const { status, text: page, html } = await mina.get(path);
        expect([path, status < 500]).toEqual([path, true]);
        if (page.startsWith('<!doctype')) expectOurs(page, html);
      }
    }
  });
});
