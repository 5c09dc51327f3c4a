import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type Page } from 'playwright-core';
import { linkFor } from '../support/console.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { describeInBrowser, launch, signedIn } from './chromium.js';

// Invoices are due by a clock here.
const demo = readFileSync(join(import.meta.dirname, '../../docs/examples/onboarding.yaml'), 'utf8').replace(
  /^( *)(- id: invoices\n)/m,
  '$1$2$1  clocks: [{ id: payment, due: { field: Due Date } }]\n',
);

/** What a screen reader is told of the elements of some roles, in their order: role, name and what else they are. */
async function told(page: Page, roles: readonly string[]): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const inOrder = (id: string): typeof nodes => {
    const node = byId.get(id);
    return node ? [node, ...(node.childIds ?? []).flatMap(inOrder)] : [];
  };
  return inOrder(nodes[0]?.nodeId ?? '')
    .filter(({ ignored, role }) => !ignored && roles.includes(String(role?.value)))
    .map(({ role, name, description, properties = [] }) => {
      const states = properties.filter(({ name, value }) => ['invalid', 'required', 'focused'].includes(name) && ![false, 'false'].includes(value.value as string)); // prettier-ignore
      return [role?.value, name?.value, description?.value, ...states.map(({ name }) => name)].filter(Boolean).join(' | '); // prettier-ignore
    });
}

describeInBrowser('the first page and refused forms in a browser', () => {
  let service: TestService;
  let api: Client;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService({ WTS_HOST: '127.0.0.1' });
    await service.apply(demo);
    api = service.client(await service.key('demo'));
    browser = await launch();
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    for (const [id, owner] of [['1', 'mina'], ['2', 'mina'], ['3', 'theo']] as const) // prettier-ignore
      await api.post('/api/v1/workflows/invoices/tasks', { 'Invoice ID': `INV-${id}`, Amount: 5, 'Due Date': yesterday, 'Assigned To': `${owner}@demo.test` }).expect(201); // prettier-ignore
    // Clocks follow a moment later, and an open page is not told of that.
    await until('three are overdue', async () => {
      const { body } = await api.get('/api/v1/workflows/invoices/tasks?_overdue=true');
      return (body as unknown[]).length === 3;
    });
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  const open = async (options?: Parameters<typeof signedIn>[3]) =>
    signedIn(browser, service.url, await linkFor(service, 'mina@demo.test'), options);

  it('a manager answers in two clicks what is late and who has how much', async () => {
    const { page, context, complaints } = await open();
    await page.getByRole('link', { name: '2 Overdue' }).click();
    await page.locator('#overdue:target').waitFor();
    expect(await page.locator('#overdue:target .work-row').count()).toBe(2);
    await page.goto(service.url);
    await page.getByRole('link', { name: 'Team', exact: true }).click();
    await page.getByRole('link', { name: '1 Theo Voss, Overdue' }).click();
    await page.waitForURL(/\/workflows\/invoices\/list\?.*theo/);
    expect(await page.locator('tbody tr').count()).toBe(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each([true, false])(
    'tells a screen reader what is wrong with a form (JavaScript: %s)',
    async (javaScriptEnabled) => {
      const { page, context } = await open({ javaScriptEnabled });
      await page.goto(`${service.url}/workflows/vendors/new`);
      await page.getByRole('button', { name: 'Create task' }).click();
      await page.locator('#refusal:focus').waitFor();
      const tree = await told(page, ['RootWebArea', 'alert', 'link', 'textbox']);
      const [root] = tree;
      expect(root).toMatch(/^RootWebArea \| Error: New task/);
      const at = tree.findIndex((line) => line.startsWith('alert'));
      expect(tree.slice(at, at + 3)).toEqual([
        expect.stringMatching(/^alert/),
        'link | Vendor Name: is required',
        'link | Vendor ID: is required',
      ]);
      expect(tree.filter((line) => line.includes('invalid'))).toEqual([
        expect.stringMatching(/^textbox \| Vendor Name \*? ?required \| is required \| .*invalid/),
        expect.stringMatching(/^textbox \| Vendor ID \*? ?required \| is required \| .*invalid/),
      ]);
      expect(await page.locator('#refusal:focus').count()).toBe(1);
      await page.getByRole('link', { name: 'Vendor ID: is required' }).click();
      await page.locator('[name="Vendor ID"]:focus').waitFor();
      await context.close();
    },
  );
});
