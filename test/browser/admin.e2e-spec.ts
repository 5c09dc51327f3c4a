import { type Browser } from 'playwright-core';
import { listApiKeys } from '../../src/auth/api-keys.js';
import { linkFor } from '../support/console.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { describeInBrowser, launch, signedIn, violations } from './chromium.js';

const acme = (url: string): string => `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test, first_name: Mina }, { email: theo@acme.test }]
workflows:
  - id: orders
    name: Orders
    stages: [{ name: Open }, { name: Ordered, end: true }]
    fields: [{ name: Order, type: uniqueId, required: true }, { name: Amount, type: currency }]
    roles: [{ id: lead, name: Lead, admin: true }, { id: clerk, name: Clerk, actions: [order] }]
    members: [{ email: mina@acme.test, role: lead }, { email: theo@acme.test, role: clerk }]
    actions:
      - id: order
        name: Order it
        stages: [Open]
        requirements: { required_fields: [Amount] }
        steps:
          - { name: Tell the supplier, type: api_call, url: '${url}/supplier', tries: 1, timeout_seconds: 60 }
          - { name: Move on, type: move_to_stage, stage: Ordered }
webhooks: [{ id: books, url: '${url}/books', events: [task.created, execution.failed] }]
`;

describeInBrowser('the administration in a browser', () => {
  let service: TestService;
  let receiver: Receiver;
  let api: Client;
  let browser: Browser;
  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startService({ WTS_HOST: '127.0.0.1', WTS_OUTBOUND_ALLOW: '127.0.0.1/32' });
    await service.apply(acme(receiver.url));
    api = service.client(await service.key('acme'));
    await api.post('/api/v1/workflows/orders/tasks', { Order: 'O-1', Amount: '10' });
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    receiver.stop();
  });
  const open = async (options?: Parameters<typeof signedIn>[3]) =>
    signedIn(browser, service.url, await linkFor(service, 'mina@acme.test'), options);

  it('an admin finds out why an execution failed, and tries it again', async () => {
    receiver.answer('/supplier', (response) => response.writeHead(503).end());
    const asked = { task_id: 'O-1', action_id: 'order', performed_by: 'theo@acme.test' };
    await api.post('/api/v1/workflows/orders/executions', asked).expect(202);
    // The overview is as things are when it is opened.
    await until('a failure', async () => {
      const { body } = await api.get('/api/v1/workflows/orders/executions?status=Fail');
      return (body as unknown[]).length === 1;
    });
    const { page, context, complaints } = await open();
    await page.getByRole('link', { name: 'Administration' }).click();
    await page.getByRole('link', { name: /1 failed in the last 24 hours/ }).click();
    await page.getByRole('link', { name: /Order it/ }).click();
    await page.getByText('Tell the supplier: was answered with status 503').first().waitFor();

    // It is answered late, so that the end is to be seen as it comes.
    let answer = (): void => undefined;
    const isSeen = new Promise<void>((resolve) => (answer = resolve));
    receiver.answer('/supplier', (response) => isSeen.then(() => response.end()));
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: /Under way/ }).waitFor();
    answer();
    await page.getByRole('heading', { name: /Done/ }).waitFor();
    await page.getByRole('link', { name: 'O-1' }).first().click();
    await page.getByText('Ordered').first().waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('finds the same from their own task, without knowing of the administration', async () => {
    receiver.answer('/supplier', (response) => response.writeHead(403).end());
    const mine = { Order: 'O-2', Amount: '20', 'Assigned To': 'mina@acme.test' };
    await api.post('/api/v1/workflows/orders/tasks', mine);
    const { page, context, complaints } = await open();
    await page.getByRole('link', { name: /O-2/ }).click();
    await page.getByRole('button', { name: 'Order it' }).click();
    await page.getByRole('link', { name: 'See why, and try again' }).click();
    await page.getByText('The other system denied access.').waitFor();
    receiver.answer('/supplier', (response) => response.end());
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: /Done/ }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('a key is made and shown once: not in the address, nor on the way back', async () => {
    const { page, context, complaints } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${service.url}/admin/keys`);
    await page.getByRole('link', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('the books');
    await page.getByLabel('Scope').selectOption('read');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const key = await page.evaluate(() => navigator.clipboard.readText());
    expect([await page.getByRole('textbox', { name: 'The key of the books' }).inputValue(), page.url()]).toEqual([key, `${service.url}/admin/keys`]); // prettier-ignore
    expect((await service.client(key).get('/api/v1/workspace')).status).toBe(200);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Administration' }).waitFor();
    await page.goBack();
    await page.getByText('the books').first().waitFor();
    expect(await page.content()).not.toContain(key);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('without JavaScript a webhook is added, changed and removed', async () => {
    const { page, context } = await open({ javaScriptEnabled: false });
    await page.goto(`${service.url}/admin/webhooks`);
    await page.getByRole('link', { name: 'New webhook' }).click();
    await page.getByRole('textbox', { name: 'ID', exact: true }).fill('stock');
    await page.getByLabel('task.created').check();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('link', { name: 'Address: is required' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill(`${receiver.url}/stock`);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    expect(await page.getByRole('textbox', { name: 'The secret of stock' }).inputValue()).toMatch(/^whsec_/);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('task.deleted').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The webhook is saved.').waitFor();
    await page.getByRole('link', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('stock is removed.').waitFor();
    await context.close();
  });

  it('a link for somebody is shown once, and copied', async () => {
    const { page, context, complaints } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${service.url}/admin/users`);
    await page.getByRole('link', { name: /theo@acme.test/ }).click();
    await page.getByRole('button', { name: 'Create a sign-in link' }).click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('/sign-in/');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Administration' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'theo' }).waitFor();
    expect(await page.locator('input[readonly]').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('keeps nobody out: axe finds nothing on any page, none is too wide, and each has one live region', async () => {
    const executions = (await api.get('/api/v1/workflows/orders/executions')).body as { id: string }[];
    await api.post('/api/v1/webhooks', { id: 'stock', url: receiver.url, events: ['task.created'] });
    const [key] = await listApiKeys(service.dataSource.manager);
    const pages = [
      '/admin',
      '/admin/executions',
      '/admin/executions?status=Pending',
      ...executions.map(({ id }) => `/admin/executions/${id}`),
      '/admin/webhooks',
      '/admin/webhooks/books',
      '/admin/webhooks/stock?remove',
      '/admin/webhooks/stock/edit',
      '/admin/webhooks?new',
      '/admin/keys',
      '/admin/keys/new',
      `/admin/keys/${key?.id ?? ''}/rotate`,
      '/admin/definition',
      '/admin/definition/workflows/orders',
      '/admin/definition/versions',
      '/admin/definition/versions/1',
      '/admin/users',
      '/admin/users?q=nobody',
    ];
    const narrow = [['/admin/keys/new', '.shown-once'], ['/admin/keys/new', '.fault'], ['/admin/webhooks?new', '.fault']] as const; // prettier-ignore
    for (const [colorScheme, width, locale] of [
      ['light', 1280, 'en'],
      ['dark', 320, 'de'],
    ] as const) {
      const { page, context } = await open({ colorScheme, viewport: { width, height: 800 }, locale });
      for (const at of pages) {
        await page.goto(service.url + at);
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        const live = await page.locator('[role=status], [aria-live]').count();
        expect([at, width, isWide, live, await violations(page)]).toEqual([at, width, false, 1, []]);
      }
      for (const [at, state] of [
        ['/admin/users', '.shown-once'],
        ...(width === 320 ? narrow : []),
      ] as const) {
        await page.goto(service.url + at);
        if (at.endsWith('users')) await page.getByRole('link', { name: /theo@acme.test/ }).click();
        else if (state === '.shown-once') await page.locator('#form-name').fill('a program');
        await page.locator('.invite button, .admin-form button').click();
        await page.locator(state).first().waitFor();
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        expect([at, state, width, isWide, await violations(page)]).toEqual([at, state, width, false, []]);
      }
      await context.close();
    }
  });
});
