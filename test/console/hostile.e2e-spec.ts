import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** So many of them in each place of one task, and in one definition. */
const OF_TASK = 50;
const OF_DEFINITION = 500;

/** A definition that has texts wherever it may have one. */
function definitionOf(slug: string, texts: readonly string[]): string {
  const taken = [...texts];
  const take = (count: number): string[] => taken.splice(0, count);
  const actions = take(10).map((name, index) => {
    const [confirmation = '', message = ''] = take(2);
    return {
      id: `act-${index}`,
      name,
      requirements: { confirmation, conditions: [{ when: 'false', message }] },
    };
  });
  const [workspace = '', workflow = '', role = ''] = take(3);
  const stages = take(10).map((name) => ({ name }));
  const fields = take(40).map((name) => ({ name, type: 'text' }));
  const people = take(100).map((first_name, index) => ({ email: `p${index}-${slug}@acme.test`, first_name }));
  const checklist = take(40).map((title) => ({ title, stage: stages[0]?.name }));
  const roles = [{ id: 'all', name: role, admin: true }];
  return JSON.stringify({
    workspace: { id: slug, name: workspace },
    users: [{ email: `${slug}@acme.test` }, ...people],
    workflows: [
      {
        id: 'things',
        name: workflow,
        stages: [...stages, { name: 'Done', end: true }],
        fields: [
          { name: 'ID', type: 'uniqueId', required: true },
          ...fields,
          { name: 'Choice', type: 'singleSelect', options: take(taken.length) },
        ],
        checklist,
        actions,
        roles,
        members: [{ email: `${slug}@acme.test`, role: 'all' }],
      },
    ],
  });
}

/** What the pages of the console bring to life. */
const scripts = ['controllers.js', 'work.js', 'inbox.js', 'keys.js'].map((name) => readFileSync(join(import.meta.dirname, '../../src/console/assets', name), 'utf8')); // prettier-ignore
const ours = new Set(scripts.flatMap((text) => Array.from(/ontrollers = \{([^}]*)\}/.exec(text)?.[1]?.matchAll(/(\w+):/g) ?? [], ([, name]) => name))); // prettier-ignore
const foreign = new Set(['base', 'style', 'iframe', 'object', 'embed', 'turbo-stream', 'img']);

/** Each of so many on one page. */
const OF_PAGE = 500;
const PAGES = COUNT / OF_PAGE;

const ofMarkdown = new Set(['a', 'blockquote', 'br', 'code', 'div', 'em', 'hr', 'li', 'ol', 'p', 'pre', 's', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul']); // prettier-ignore

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
    // What people write may lead elsewhere, by links alone.
    const written = new Set(html.querySelectorAll('.prose, .prose *'));
    const strange = html.querySelectorAll('*').flatMap((element) => {
      const { localName, attributes } = element;
      const isWritten = written.has(element);
      const leads = isWritten ? /^(https?:|mailto:)/ : /^(\/|#|\?)/;
      if (isWritten && !ofMarkdown.has(localName)) return [element.toString()];
      const wrong = Object.entries(attributes).filter(
        ([name, value]) =>
          /^on|^style$|^srcdoc$|^formaction$/i.test(name) ||
          (/^(href|src|action)$/.test(name) && !leads.test(value)) ||
          (name === 'data-controller' && !value.split(' ').every((each) => ours.has(each))),
      );
      return wrong.length > 0 || foreign.has(localName) || 'http-equiv' in attributes ? [element.toString()] : []; // prettier-ignore
    });
    expect(strange).toEqual([]);
    expect(text).not.toMatch(/<svg onload|<img src=x/i);
  }

  it('in every place that people write in stay texts, each of them', async () => {
    const file = { base64contents: 'SGVsbG8=', contentType: 'text/plain', filename: 'x.txt' };
    const { body } = await api.post('/api/v1/workflows/things/tasks', { ID: 'T', Text: 'Text', File: [file], 'Assigned To': 'mina@acme.test' }); // prettier-ignore
    expect(Reflect.get(Object(body), 'ID')).toBe('T');
    const lines = hostile.map((text) => text.replace(/[\t\u2028]/g, ' ').trim());
    await service.dataSource.query(
      `WITH texts AS (SELECT n, t FROM unnest($1::text[]) WITH ORDINALITY x (t, n)),
      one AS (SELECT t.*, f.key AS files, f.value -> 0 AS file, v.key AS text FROM tasks t, jsonb_each(t.field_values) f, jsonb_each(t.field_values) v
        WHERE t.unique_value = 'T' AND jsonb_typeof(f.value) = 'array' AND v.value = '"Text"'),
      made AS (
        INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, assignee_id, field_values)
        SELECT o.workspace_id, o.workflow_id, 'hostile' || n, t || ' ' || n, o.stage_id, true, o.assignee_id, jsonb_build_object(o.text, t,
          o.files, CASE WHEN n % $2 = 1 THEN (SELECT jsonb_agg(o.file || jsonb_build_object('filename', b.t) ORDER BY b.n) FROM texts b WHERE b.n >= texts.n AND b.n < texts.n + $2) ELSE '[]' END)
        FROM one o, texts RETURNING *),
      places AS (SELECT m.*, b.t, b.n FROM made m, texts b WHERE m.public_id = 'hostile' || (b.n - (b.n - 1) % $2)),
      said AS (INSERT INTO comments (workspace_id, workflow_id, task_id, author_id, body) SELECT workspace_id, workflow_id, id, assignee_id, t FROM places ORDER BY n)
      INSERT INTO checklist_items (workspace_id, id, workflow_id, task_id, title, stage_id, status, is_editable)
      SELECT workspace_id, 'item' || n, workflow_id, id, t, stage_id, 'Blank', true FROM places ORDER BY n`,
      [lines, OF_TASK],
    );
    const seen = {
      titles: [] as string[],
      files: [] as string[],
      comments: [] as string[],
      items: [] as string[],
    };
    for (let first = 1; first <= COUNT; first += OF_TASK) {
      const { text, html } = await mina.get(`/workflows/things/tasks/hostile${first}`);
      expectOurs(text, html);
      const texts = (selector: string): string[] => html.querySelectorAll(selector).map((element) => element.text.trim()); // prettier-ignore
      seen.files.push(...texts('.files a:first-child'));
      seen.comments.push(...texts('.time-line > .comment'));
      seen.items.push(...texts('#checklist .item-title'));
    }
    for (let path: string | undefined = '/workflows/things/list?_fields=ID'; path !== undefined;) {
      const { text, html } = await mina.get(path);
      expectOurs(text, html);
      seen.titles.push(...html.querySelectorAll('tbody td:first-child').map((cell) => cell.text.trim()));
      const next = html.querySelectorAll('a').find((link) => link.text === 'Next page');
      path = next?.getAttribute('href')?.replaceAll('&amp;', '&');
    }
    expect(seen.titles).toEqual(expect.arrayContaining(lines));
    expect(seen.files).toEqual(lines);
    expect(seen.items).toEqual(lines);
    expect(seen.comments.length).toBe(COUNT);
    for (const path of ['/', '/workflows/things', '/search?q=alert']) {
      const { text, html } = await mina.get(path);
      if (text.startsWith('<!doctype')) expectOurs(text, html);
    }
  });

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
      expect(shown.html.querySelector('.field :is(.lines, .prose)')?.text).not.toBe('');
      const edited = await mina.get(`${path}?edit=${encodeURIComponent('N Acme')}`);
      expectOurs(edited.text, edited.html);
      expect(edited.html.querySelector('.field textarea')?.text).toBe(`\n${texts.join('\n')}`);
    }
    const home = await mina.get('/');
    expectOurs(home.text, home.html);
  });

  it('in a definition stay texts, too', async () => {
    const names = hostile.map((text) => text.replace(/[\t\u2028]|\{\{/g, ' ').trim());
    for (let at = 0; at < COUNT; at += OF_DEFINITION) {
      const slug = `acme-${at}`;
      await service.apply(definitionOf(slug, names.slice(at, at + OF_DEFINITION)));
      const theirs = service.client(await service.key(slug));
      const { body } = await theirs.post('/api/v1/workflows/things/tasks', { ID: 'T-1' });
      const path = new URL(String(Reflect.get(Object(body), 'Task URL'))).pathname;
      const person = await signIn(service, `${slug}@acme.test`);
      const list = '/workflows/things/list';
      for (const shown of [
        path,
        `${path}?edit=Choice`,
        `${path}?confirm=act-1`,
        '/',
        '/workflows/things',
        list,
        '/workflows/things/new',
        '/admin',
      ]) {
        const { text, html } = await person.get(shown);
        if (text.startsWith('<!doctype')) expectOurs(text, html);
        if (shown === path) for (const name of names.slice(at, at + 10)) expect(html.text.replace(/\s+/g, ' ')).toContain(name.replace(/\s+/g, ' ').slice(0, 20)); // prettier-ignore
      }
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
