import { type Browser, type Page } from 'playwright-core';
import { linkFor } from '../support/console.js';
import { type MovedClock, movedClock } from '../support/moved-clock.js';
import { startService, type TestService } from '../support/service.js';
import { describeInBrowser, launch, signedIn, violations } from './chromium.js';

const definition = `
workspace: { id: acme, name: Acme, timezone: UTC }
users:
  - { email: rhea@acme.test, first_name: Rhea }
  - { email: theo@acme.test, first_name: Theo }
  - { email: ines@acme.test, first_name: Ines }
  - { email: abel@acme.test, first_name: Abel }
workflows:
  - id: orders
    name: Orders
    stages: [{ name: Draft }, { name: Review }, { name: Ordered, end: true }]
    fields:
      - { name: Order, type: uniqueId, required: true }
      - { name: Amount, type: currency, required: true }
      - { name: Note, type: text }
    roles:
      - { id: requester, name: Requester, actions: [ask, order] }
      - { id: legal, name: Legal, edits: none, creates: false, actions: [] }
      - { id: auditor, name: Auditor, edits: none, creates: false, actions: [] }
    members:
      - { email: rhea@acme.test, role: requester }
      - { email: theo@acme.test, role: legal }
      - { email: ines@acme.test, role: legal }
      - { email: abel@acme.test, role: auditor }
    actions:
      - { id: ask, name: Ask for approval, stages: [Draft], steps: [{ name: Ask, type: move_to_stage, stage: Review }] }
      - id: order
        name: Order it
        stages: [Review]
        requirements:
          approvals: { of: [{ id: legal, count: 2, roles: [legal], not: [creator, editors], covers: [Amount] }] }
        steps: [{ name: Order, type: move_to_stage, stage: Ordered }]
`;

describeInBrowser('approvals in four browsers', () => {
  let service: TestService;
  let clock: MovedClock;
  let browser: Browser;
  beforeAll(async () => {
    clock = await movedClock();
    service = await startService({ WTS_HOST: '127.0.0.1', ...clock.environment });
    await service.apply(definition);
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await clock.remove();
  });

  const complaints: string[][] = [];
  async function as(name: string): Promise<Page> {
    const link = await linkFor(service, `${name}@acme.test`);
    const window = await signedIn(browser, service.url, link, { locale: 'en-GB' });
    complaints.push(window.complaints);
    return window.page;
  }

  /** Opens the task by the line of the inbox that tells of it. */
  async function openFromInbox(page: Page): Promise<void> {
    await page.locator('.unread-count').getByText(/[1-9] unread/).waitFor(); // prettier-ignore
    await page.goto(`${service.url}/inbox`);
    await page.getByRole('link', { name: /PO-1/ }).first().click();
    await page.getByRole('heading', { name: 'Approvals', exact: true }).waitFor();
  }

  async function decide(page: Page, button: 'Approve' | 'Reject', comment: string): Promise<void> {
    const form = page.getByRole('form', { name: 'Decide' });
    await form.getByLabel('Comment').fill(comment);
    await form.getByRole('button', { name: button }).click();
    await page.getByRole('button', { name: 'Take back my decision' }).waitFor();
    // An open page of the task marks its notifications as read.
    await page.goto(`${service.url}/account`);
  }

  // people.md, 1 and 2: asked, told, one too few, rejected with a reason, mended, approved, and read ten days later.
  it('a request is rejected, mended and approved, and an auditor reads why it counted', async () => {
    const rhea = await as('rhea');
    const [theo, ines] = [await as('theo'), await as('ines')];
    await rhea.goto(`${service.url}/workflows/orders/new`);
    await rhea.getByLabel('Order').fill('PO-1');
    await rhea.getByLabel('Amount').fill('90000');
    await rhea.getByRole('button', { name: 'Create task' }).click();
    await rhea.getByRole('button', { name: 'Ask for approval' }).click();
    await rhea.getByText('0 of 2 approved').waitFor();

    // Both are told without loading a page anew; one approval is one too few.
    await openFromInbox(theo);
    await decide(theo, 'Approve', 'Fits the frame contract');
    await rhea.getByText('1 of 2 approved').waitFor();
    await rhea.getByRole('link', { name: 'Approvals are missing' }).waitFor();

    await openFromInbox(ines);
    await ines.getByRole('form', { name: 'Decide' }).getByRole('button', { name: 'Reject' }).click();
    await ines.getByRole('form', { name: 'Decide' }).getByText('is required').waitFor();
    await decide(ines, 'Reject', 'Too dear: ask for a discount');
    await rhea.getByText('Too dear: ask for a discount').first().waitFor();
    expect(await violations(rhea)).toEqual([]);

    // A change of the amount makes both decisions stale, and both people are asked again.
    await rhea.getByRole('link', { name: 'Edit: Amount' }).click();
    await rhea.locator('.entry input[name=value]').fill('80000');
    await rhea.keyboard.press('Enter');
    await rhea.getByText('0 of 2 approved').waitFor();
    for (const page of [theo, ines]) {
      await openFromInbox(page);
      await page.getByText('Amount has changed since').first().waitFor();
      await decide(page, 'Approve', 'Now it does');
    }
    await rhea.getByRole('button', { name: 'Order it' }).click();
    await rhea.locator('.track [aria-current=step]', { hasText: 'Ordered' }).waitFor();

    await clock.move(service.dataSource, 10 * 24 * 3_600_000);
    const abel = await as('abel');
    await abel.goto(rhea.url().split('#')[0] ?? '');
    const past = abel.locator('#past-decisions');
    await past.locator('summary').click();
    const rows = past.locator('tbody tr');
    const evidence = await rows.allInnerTexts();
    expect(evidence.map((row) => row.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/Order it legal .*Ines.* approval counted .*Now it does/),
      expect.stringMatching(/Order it legal .*Theo.* approval counted .*Now it does/),
      expect.stringMatching(/Ines.* rejection did not count .*Too dear.*Amount has changed/),
      expect.stringMatching(/Theo.* approval did not count .*Fits the frame.*Amount has changed/),
    ]);
    expect(await violations(abel)).toEqual([]);
    // That a rejection without a reason is refused.
    expect(complaints.flat()).toEqual([expect.stringContaining('a status of 422')]);
  });
});
