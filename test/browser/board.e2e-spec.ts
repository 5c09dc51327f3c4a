import { type Browser } from 'playwright-core';
import { linkFor } from '../support/console.js';
import { startService, type TestService } from '../support/service.js';
import { describeInBrowser, launch, signedIn, violations } from './chromium.js';

const acme = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Paid, enter: by_actions }, { name: Closed, end: true }]
    fields: [{ name: Claim ID, type: uniqueId, required: true }, { name: Risk, type: singleSelect, options: [Low] }]
`;

describeInBrowser('the board in a browser', () => {
  let service: TestService;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService({ WTS_HOST: '127.0.0.1' });
    await service.apply(acme);
    const api = service.client(await service.key('acme'));
    for (let number = 1; number <= 30; number += 1)
      await api.post('/api/v1/workflows/claims/tasks', { 'Claim ID': `C-${number}` });
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it('brings more cards as they are scrolled to, and takes them where they are dragged and may go', async () => {
    const { page, context, complaints } = await signedIn(browser, service.url, await linkFor(service, 'mina@acme.test')); // prettier-ignore
    await page.goto(`${service.url}/workflows/claims`);
    const column = (name: string) => page.getByRole('region', { name: new RegExp(`^${name}`) });
    const card = (id: string) => page.locator('.task-card', { hasText: new RegExp(`^${id}(?!\\d)`) });
    await page.getByRole('link', { name: 'Show more' }).scrollIntoViewIfNeeded();
    await card('C-30').waitFor();

    await card('C-2').dragTo(column('Paid'));
    await card('C-3').dragTo(column('Closed'));
    await column('Closed').locator(card('C-3')).waitFor();
    expect(await column('Paid').locator('.task-card').count()).toBe(0);
    await card('C-4').getByLabel('Move C-4').press('Enter');
    await card('C-4').getByRole('button', { name: 'Closed' }).press('Enter');
    await column('Closed').locator(card('C-4')).waitFor();

    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'List' }).click();
    await page.getByRole('link', { name: 'Next page' }).or(page.getByRole('cell', { name: 'C-30' }).first()).first().waitFor(); // prettier-ignore
    expect([await violations(page), complaints]).toEqual([[], []]);
    await context.close();
  });
});
