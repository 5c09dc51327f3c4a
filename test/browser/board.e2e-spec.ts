import { type Browser, type Locator, type Page } from 'playwright-core';
import { linkFor } from '../support/console.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { describeInBrowser, launch, resize, signedIn, violations } from './chromium.js';

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
  let api: Client;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService({ WTS_HOST: '127.0.0.1' });
    await service.apply(acme);
    api = service.client(await service.key('acme'));
    for (let number = 1; number <= 30; number += 1)
      await api.post('/api/v1/workflows/claims/tasks', { 'Claim ID': `C-${number}` });
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  const card = (page: Page, id: string): Locator =>
    page.locator('.task-card', { hasText: new RegExp(`^${id}(?!\\d)`) });
  const column = (page: Page, name: string): Locator =>
    page.getByRole('region', { name: new RegExp(`^${name}`) });
  const move = (id: string, stage: string): Promise<unknown> =>
    api.put('/api/v1/workflows/claims/tasks', { 'Claim ID': id, Stage: stage }).then();
  const open = async (path = '/workflows/claims') => {
    const window = await signedIn(browser, service.url, await linkFor(service, 'mina@acme.test'));
    await window.page.goto(service.url + path);
    return window;
  };

  it('shows by itself what others do, and leaves where it is who looks at it', async () => {
    const { page, context, complaints } = await open();
    await page.getByRole('link', { name: 'Show more' }).scrollIntoViewIfNeeded();
    await card(page, 'C-30').waitFor();
    const scrolled = (): Promise<number> =>
      column(page, 'New')
        .locator('.cards')
        .evaluate((cards) => cards.scrollTop);
    const before = await scrolled();
    await card(page, 'C-29').getByRole('link').focus();
    await page.locator('.filter-menu > summary').click();
    await page.getByRole('combobox', { name: 'Risk' }).selectOption('Low');

    await move('C-28', 'Closed');
    await column(page, 'Closed').locator(card(page, 'C-28')).waitFor();
    expect(await column(page, 'New').getByText('29', { exact: true }).count()).toBe(1);
    expect([await card(page, 'C-30').count(), before > 0, await page.getByRole('combobox', { name: 'Risk' }).inputValue()]).toEqual([1, true, 'Low']); // prettier-ignore

    await card(page, 'C-29').getByRole('link').focus();
    await move('C-29', 'Closed');
    await column(page, 'Closed').locator(card(page, 'C-29')).locator('a:focus').waitFor();
    expect(Math.abs((await scrolled()) - before)).toBeLessThan(200);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('does not ask while nobody sees it, says when it is not connected, and catches up', async () => {
    const { page, context } = await open();
    const look = (hidden: boolean): Promise<void> =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await look(true);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await move('C-27', 'Closed');
    expect(asked).toEqual([]);
    await look(false);
    await column(page, 'Closed').locator(card(page, 'C-27')).waitFor();

    await context.setOffline(true);
    await page.locator('.connection', { hasText: 'No connection' }).waitFor();
    await page.locator('#announcer', { hasText: 'No connection' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await move('C-26', 'Closed');
    await context.setOffline(false);
    await column(page, 'Closed').locator(card(page, 'C-26')).waitFor();
    expect(await page.locator('.connection').textContent()).toBe('');
    await context.close();
  });

  it('is worked with by keyboard alone, and the focus stays at the card that is moved', async () => {
    const { page, context } = await open();
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
    await page.locator('main:focus').waitFor();
    await page.getByLabel('Move C-8').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.locator('button:focus', { hasText: 'Closed' }).press('Enter');
    await column(page, 'Closed').locator(card(page, 'C-8')).waitFor();
    await card(page, 'C-8').locator('summary:focus').waitFor();
    expect(await card(page, 'C-8').locator('details').getAttribute('open')).toBeNull();
    await page.locator('#announcer', { hasText: 'C-8 was moved to Closed' }).waitFor();
    await context.close();
  });

  it('opens its menus over what is there, and closes them by Escape and by a press elsewhere', async () => {
    const { page, context } = await open();
    const menu = page.locator('details.move[open]');
    const top = async (id: string): Promise<number> => (await card(page, id).boundingBox())?.y ?? 0;
    const next = async (): Promise<number> => (await top('C-14')) - (await top('C-13'));
    const before = await next();
    await page.getByLabel('Move C-13').press('Enter');
    await menu.locator('form').waitFor();
    expect([await next(), await menu.getByRole('button').count()]).toEqual([before, 1]);
    await page.keyboard.press('Escape');
    await card(page, 'C-13').locator('summary:focus').waitFor();
    expect(await menu.count()).toBe(0);
    await page.locator('.filter-menu > summary').click();
    await page.getByRole('combobox', { name: 'Risk' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('heading', { level: 1 }).click();
    await page.getByRole('combobox', { name: 'Risk' }).waitFor({ state: 'hidden' });
    await context.close();
  });

  it('needs no scrolling sideways at 320 px, and has nothing to press that is smaller than 24 px', async () => {
    const { page, context } = await open(
      '/workflows/claims?_sort=-Claim ID&Claim ID[contains]=C-&_active=true',
    );
    await resize(page, 320, 900);
    const look = (): Promise<unknown> =>
      page.evaluate(() => ({
        isWide: document.documentElement.scrollWidth > innerWidth,
        cut: [...document.querySelectorAll('.filters *')].filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1 && /auto|scroll|hidden/.test(getComputedStyle(each).overflowX) && !each.matches('input, select')).map(({ className, tagName }) => `${tagName} ${className}`), // prettier-ignore
        small: [...document.querySelectorAll('.filters :is(a, button, summary, select)')].map((each) => each.getBoundingClientRect()).filter(({ width, height }) => width > 0 && Math.min(width, height) < 24).length, // prettier-ignore
      }));
    for (const path of ['', '/list']) {
      await page.goto(
        `${service.url}/workflows/claims${path}?_sort=-Claim ID&Claim ID[contains]=C-&_active=true`,
      );
      expect(await look()).toEqual({ isWide: false, cut: [], small: 0 });
      await page.locator('.filter-menu > summary').click();
      expect(await look()).toEqual({ isWide: false, cut: [], small: 0 });
      expect(await violations(page)).toEqual([]);
    }
    await resize(page, 1280, 900);
    await page.getByText('Columns', { exact: true }).click();
    const { height = 0 } = (await page.getByRole('link', { name: 'Export CSV' }).boundingBox()) ?? {};
    expect(height).toBeLessThan(48);
    await context.close();
  });

  it('is kept under a name, which the side bar has from then on', async () => {
    const { page, context, complaints } = await open('/workflows/claims?_sort=-Claim ID');
    await page.getByText('Save view').click();
    await page.getByLabel('Name').fill('Newest IDs');
    await page.getByLabel('Name').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Newest IDs' }).waitFor();
    await page.getByRole('link', { name: 'My tasks' }).click();
    // The side bar that goes has the link, too.
    await page.waitForURL(`${service.url}/`);
    await page.getByRole('link', { name: 'Newest IDs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Newest IDs' }).waitFor();
    expect([await page.locator('.task-card .row-id, .task-card > a').first().textContent(), complaints]).toEqual(['C-9', []]); // prettier-ignore
    await context.close();
  });

  it('says in the language of its reader where a card went, or why it did not', async () => {
    const { page, context } = await signedIn(browser, service.url, await linkFor(service, 'mina@acme.test'), {
      locale: 'de-AT',
    });
    const send = async (id: string): Promise<void> => {
      await page.getByLabel(`${id} verschieben`).press('Enter');
      await card(page, id).getByRole('button', { name: 'Closed' }).press('Enter');
    };
    await page.goto(`${service.url}/workflows/claims?Claim ID[contains]=C-`);
    const said = page.locator('#announcer');
    await send('C-9');
    await said.filter({ hasText: 'C-9 wurde nach Closed verschoben' }).waitFor();
    // What others do meanwhile is shown, and takes nothing back that was said.
    await move('C-10', 'Closed');
    await column(page, 'Closed').locator(card(page, 'C-10')).waitFor();
    expect(await said.textContent()).toBe('C-9 wurde nach Closed verschoben');

    await context.setOffline(true);
    // This is said, too.
    await page.locator('.connection', { hasText: /./ }).waitFor();
    await send('C-11');
    await said.filter({ hasText: 'C-11 wurde vielleicht nicht verschoben' }).waitFor();
    // The board would come anew, with the version in force.
    await page.route('**/live?*', (route) => route.abort());
    await context.setOffline(false);
    await card(page, 'C-12').locator('[name=version]').evaluate((input: HTMLInputElement) => { input.value = '1'; }); // prettier-ignore
    await send('C-12');
    await page.getByRole('alert').filter({ hasText: 'C-12 wurde nicht verschoben: Jemand hat die Aufgabe geändert' }).waitFor(); // prettier-ignore
    await context.close();
  });

  it('brings more cards as they are scrolled to, and takes them where they are dragged and may go', async () => {
    const { page, context, complaints } = await open();
    await card(page, 'C-2').dragTo(column(page, 'Paid'));
    await card(page, 'C-3').dragTo(column(page, 'Closed'));
    await column(page, 'Closed').locator(card(page, 'C-3')).waitFor();
    expect(await column(page, 'Paid').locator('.task-card').count()).toBe(0);
    await card(page, 'C-4').getByLabel('Move C-4').press('Enter');
    await card(page, 'C-4').getByRole('button', { name: 'Closed' }).press('Enter');
    await column(page, 'Closed').locator(card(page, 'C-4')).waitFor();

    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'List' }).click();
    await page.getByRole('link', { name: 'Next page' }).or(page.getByRole('cell', { name: 'C-25' }).first()).first().waitFor(); // prettier-ignore
    expect([await violations(page), complaints]).toEqual([[], []]);
    await context.close();
  });
});
