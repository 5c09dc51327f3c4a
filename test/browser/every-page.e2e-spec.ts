import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type Page } from 'playwright-core';
import { listApiKeys } from '../../src/auth/api-keys.js';
import { linkFor } from '../support/console.js';
import { pagesOf } from '../support/routes.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { describeInBrowser, launch, openContext, signedIn, violations } from './chromium.js';

const demo = readFileSync(join(import.meta.dirname, '../../docs/examples/onboarding.yaml'), 'utf8');
const vendors = '/api/v1/workflows/vendors';

/** By the routes that answer with a page: where each is looked at, in which states. */
const pages: Readonly<Record<string, readonly string[]>> = {
  '/': ['/'],
  '/account': ['/account'],
  '/admin': ['/admin'],
  '/admin/*path': ['/admin/nowhere'],
  '/admin/bin': ['/admin/bin'],
  '/admin/definition': ['/admin/definition'],
  '/admin/definition/versions': ['/admin/definition/versions'],
  '/admin/definition/versions/:version': ['/admin/definition/versions/1'],
  '/admin/definition/workflows/:workflow': ['/admin/definition/workflows/vendors'],
  '/admin/executions': ['/admin/executions', '/admin/executions?status=Pending'],
  '/admin/executions/:execution': ['/admin/executions/{execution}'],
  '/admin/keys': ['/admin/keys'],
  '/admin/keys/:key/rotate': ['/admin/keys/{key}/rotate'],
  '/admin/keys/new': ['/admin/keys/new'],
  '/admin/messages': ['/admin/messages'],
  '/admin/rules': ['/admin/rules'],
  '/admin/rules/:workflow/:starter': ['/admin/rules/vendors/high-risk?task=E-1'],
  '/admin/schedules': ['/admin/schedules'],
  '/admin/schedules/:workflow/:starter': ['/admin/schedules/vendors/stale'],
  '/admin/users': ['/admin/users'],
  '/admin/users/:user': ['/admin/users/{user}'],
  '/admin/webhooks': ['/admin/webhooks', '/admin/webhooks?new'],
  '/admin/webhooks/:webhook': ['/admin/webhooks/stock'],
  '/admin/webhooks/:webhook/edit': ['/admin/webhooks/stock/edit'],
  '/console/styleguide': ['/console/styleguide'],
  '/inbox': ['/inbox'],
  '/search': ['/search', '/search?q=E', '/search?q=nothing+such'],
  '/sign-in': ['/sign-in'],
  '/sign-in/:token': ['/sign-in/none'],
  '/team': ['/team'],
  '/unsubscribe/:token': ['/unsubscribe/none'],
  '/views': ['/views'],
  '/workflows/*path': ['/workflows/none'],
  '/workflows/:workflow': ['/workflows/vendors', '/workflows/vendors?Risk=High&_sort=-Vendor%20Name&_fields=Risk', '/workflows/vendors?Colour=red'],
  '/workflows/:workflow/list': ['/workflows/vendors/list', '/workflows/vendors/list?Risk=Low&_fields=Risk', '/workflows/vendors/list?Colour=red'],
  '/workflows/:workflow/new': ['/workflows/vendors/new'],
  '/workflows/:workflow/tasks/:task': ['{task}', '{task}?edit=Notes', '{task}?edit=Stage', '{task}?confirm=approve', '{done}'],
  '/workflows/:workflow/tasks/:task/comments': ['{task}/comments?before=9'],
  '/workflows/:workflow/tasks/:task/delete': ['{task}/delete'],
  '/workflows/:workflow/tasks/:task/deleted': ['{gone}/deleted'],
  '/workflows/:workflow/tasks/:task/files/:field/:blob/preview': ['{file}/preview'],
  '/workflows/:workflow/tasks/:task/history': ['{task}/history?before={before}'],
  '/workflows/:workflow/tasks/:task/restored': ['{task}/restored'],
  '/workflows/:workflow/tasks/:task/runs': ['{task}/runs'],
  '/{*path}': ['/nowhere'],
}; // prettier-ignore

/** What is looked at as it is refused. */
const refused = /none|nowhere|Colour=red/;

/** What answers with something else, or with a part of a page, or leads elsewhere. */
const others = /\/(live|count|audience|export|filter|file|restored|callback)$|\/console\/(assets|brand)\/|\/links\/|\/texts\/|\/files\/:field\/:blob(\/shown)?$|^\/(palette|mcp|views\/:view|sign-in\/(oidc|code))/; // prettier-ignore

/** Colours do not depend on the width, and places not on the theme. */
const widths = { light: [1280, 375], dark: [320] };

describeInBrowser('every page, light at 1280 and 375 pixels, and dark at 320', () => {
  let service: TestService;
  let api: Client;
  let browser: Browser;
  /** What stands in braces in the table. */
  const named = new Map<string, string>();

  beforeAll(async () => {
    service = await startService({ WTS_HOST: '127.0.0.1' });
    await service.apply(demo);
    api = service.client(await service.key('demo', 'admin'));
    await fill();
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  async function create(id: string, more: object): Promise<{ path: string; body: Record<string, unknown> }> {
    const answer = await api.post(`${vendors}/tasks`, { 'Vendor ID': id, 'Vendor Name': `Vendor ${id}`, ...more }); // prettier-ignore
    const body = answer.body as Record<string, unknown>;
    return { path: new URL(String(body['Task URL'])).pathname, body };
  }

  /** One of everything that pages show. */
  async function fill(): Promise<void> {
    const mine = { 'Assigned To': 'mina@demo.test', Stage: 'In Review' };
    const file = { base64contents: 'eA==', contentType: 'text/plain', filename: 'contract.txt' };
    const { path, body } = await create('E-1', { ...mine, Notes: 'Long\n\ntext\n'.repeat(20), Regions: ['EMEA'], Website: 'https://acme.test', Risk: 'Low', 'Contract Value': 5, Contract: [file], 'Expected Close Date': '2026-01-05' }); // prettier-ignore
    const [{ blobId = '' } = {}] = body['Contract'] as { blobId?: string }[];
    named.set('task', path).set('file', `${path}/files/Contract/${blobId}`);
    await api.post(`${vendors}/tasks/E-1/comments`, { body: 'Hello @mina@demo.test', performed_by: 'theo@demo.test' }); // prettier-ignore
    const items = (await api.get(`${vendors}/tasks/E-1/checklist_items`)).body as { id: string; title: string }[]; // prettier-ignore
    for (const { id } of items) await api.put(`${vendors}/tasks/E-1/checklist_items/${id}`, { status: 'Completed' }); // prettier-ignore
    const done = await create('E-2', { ...mine, Risk: 'High', Notes: 'No' });
    named.set('done', done.path);
    const asked = { task_id: 'E-2', action_id: 'reject', performed_by: 'mina@demo.test' };
    const execution = (await api.post(`${vendors}/executions`, asked).set('Prefer', 'wait=10')).body as { id: string }; // prettier-ignore
    named.set('execution', execution.id);
    const gone = await create('E-3', mine);
    named.set('gone', gone.path);
    await api.delete(`${vendors}/tasks/E-3`).expect(204);
    await api
      .post('/api/v1/webhooks', {
        id: 'stock',
        url: 'https://stock.test/x',
        events: ['task.created'],
      })
      .expect(201);
    await service.dataSource.query(`
      INSERT INTO personal_views (workspace_id, user_id, workflow_id, name, shown_as, query)
      SELECT u.workspace_id, u.id, w.id, 'Risky ones', 'list', 'Risk=High' FROM users u JOIN workflows w USING (workspace_id)
      WHERE u.email = 'mina@demo.test' AND w.slug = 'vendors'`);
    const [key] = await listApiKeys(service.dataSource.manager);
    named.set('key', key?.id ?? '');
    const [{ id: user }] = await service.dataSource.query<[{ id: string }]>(`SELECT id FROM users WHERE email = 'theo@demo.test'`); // prettier-ignore
    named.set('user', user);
    const history = await api.get(`${vendors}/tasks/E-1/history?_limit=1`);
    named.set('before', /_after=([\w-]+)/.exec(history.headers['link'] ?? '')?.[1] ?? '');
    // Clocks follow a moment later.
    await until(async () => ((await api.get(`${vendors}/tasks?_overdue=true`)).body as unknown[]).length > 0); // prettier-ignore
  }

  const addressOf = (at: string): string =>
    service.url + at.replace(/\{(\w+)\}/g, (_, name: string) => named.get(name) ?? name);

  /** What is wrong with a page as it is, at each width. */
  async function faultsOf(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
    const faults: string[] = [];
    for (const width of widths[colorScheme]) {
      await page.setViewportSize({ width, height: 800 });
      // It takes a moment until a window has its new width.
      const isNarrow = await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth).then(() => true, () => false); // prettier-ignore
      const found = [...(isNarrow ? [] : ['is scrolled sideways']), ...(await violations(page))];
      faults.push(...found.map((fault) => `${width}: ${fault}`));
    }
    return faults;
  }

  it('each route is in the table, or answers with no page', () => {
    const routes = pagesOf(service.app).filter((route) => route.startsWith('GET ')).map((route) => route.slice(4)); // prettier-ignore
    const known = new Set(Object.keys(pages));
    expect(routes.filter((route) => !known.has(route) && !others.test(route))).toEqual([]);
  });

  it('has nothing that axe finds wrong, and is not scrolled sideways', async () => {
    const looked = (['light', 'dark'] as const).map(async (colorScheme) => {
      const options = { colorScheme, locale: 'en-GB', reducedMotion: 'reduce' } as const;
      const link = await linkFor(service, 'mina@demo.test');
      const { page: inside, context } = await signedIn(browser, service.url, link, options);
      const signedOut = await openContext(browser, options);
      const outside = await signedOut.newPage();
      const faults: string[] = [];
      for (const at of Object.values(pages).flat()) {
        const page = /^\/(sign-in|unsubscribe)/.test(at) ? outside : inside;
        const answer = await page.goto(addressOf(at));
        if (answer?.ok() === refused.test(at)) faults.push(`${at} answers with ${answer.status()}`);
        await page.locator('main :is(h1, h2)').first().waitFor();
        faults.push(...(await faultsOf(page, colorScheme)).map((fault) => `${at} ${colorScheme} ${fault}`));
      }
      await Promise.all([context.close(), signedOut.close()]);
      return faults;
    });
    expect((await Promise.all(looked)).flat()).toEqual([]);
  });
});
