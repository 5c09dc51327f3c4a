import { type Locator, type Page, type Route } from 'playwright-core';
import { linkFor, pageOf, servedTo } from '../support/console.js';
import { describeInBrowser, launched, signedIn } from './chromium.js';

const acme = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test, first_name: Mina }, { email: theo@acme.test, first_name: Theo }]
workflows:
  - id: claims
    name: Claims
    search: true
    stages: [{ name: New }, { name: Checked }, { name: Paid, enter: by_actions }, { name: Closed, end: true }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: Name, type: text }
      - { name: Amount, type: number, max: 1000 }
      - { name: Risk, type: singleSelect, options: [Low, High] }
    roles: [{ id: lead, name: Lead, admin: true }]
    members: [{ email: mina@acme.test, role: lead }, { email: theo@acme.test, role: lead }]
    actions:
      - { id: close, name: Close, requirements: { required_fields: [Amount], confirmation: Close them for good? }, steps: [{ name: Close, type: move_to_stage, stage: Closed }] }
  - id: bills
    name: Bills
    search: true
    stages: [{ name: Open }]
    fields: [{ name: Bill, type: uniqueId, required: true }]
relationships:
  - { id: bills, kind: one_to_many, from: { workflow: claims, name: Bills }, to: { workflow: bills, name: Claim } }
`;

describeInBrowser('among many tasks in a browser', () => {
  const browser = launched();
  const { service, api } = servedTo([], acme, { WTS_HOST: '127.0.0.1' });
  const list = '/workflows/claims/list';
  const tasks = '/api/v1/workflows/claims/tasks';

  const open = async (path: string) => {
    const window = await signedIn(browser, service.url, await linkFor(service, 'mina@acme.test'));
    await window.page.goto(service.url + path);
    return window;
  };
  const make = async (id: string, values: object = { Amount: 5 }): Promise<string> => {
    return service.url + pageOf(await api.post(tasks, { 'Claim ID': id, ...values }).expect(201));
  };
  const change = async (id: string, values: object): Promise<void> => {
    await api.put(tasks, { 'Claim ID': id, ...values }).expect(200);
  };
  const value = async (id: string, name: string): Promise<unknown> =>
    Reflect.get(Object((await api.get(`${tasks}/${id}`)).body), name);
  const card = (page: Page, id: string): Locator => page.locator('.task-card', { hasText: new RegExp(`^${id}(?!\\d)`) }); // prettier-ignore
  const column = (page: Page, name: string): Locator =>
    page.getByRole('region', { name: new RegExp(`^${name}`) });
  const said = (page: Page, text: string): Promise<void> =>
    page.locator('#announcer').getByText(text, { exact: true }).waitFor({ state: 'attached' });

  it("cards are scrolled to, dragged, and moved by keyboard; the board shows others' changes by itself", async () => {
    for (let number = 1; number <= 28; number += 1) await make(`C-${number}`);
    const { page, context, complaints } = await open('/workflows/claims');
    const moved = (id: string): Promise<void> => column(page, 'Closed').locator(card(page, id)).waitFor();
    await page.getByRole('link', { name: 'Show more' }).scrollIntoViewIfNeeded();
    await card(page, 'C-28').waitFor();
    const scrolled = (): Promise<number> => column(page, 'New').locator('.cards').evaluate((cards) => cards.scrollTop); // prettier-ignore
    const before = await scrolled();
    await card(page, 'C-27').getByRole('link').focus();
    await page.locator('.filter-menu > summary').click();
    await page.locator('.filter-fields summary', { hasText: 'Created' }).click();
    const held: Route[] = [];
    await page.route(/_after=/, (route) => void held.push(route), { times: 1 });
    await Promise.all([page.waitForRequest(/_after=/), change('C-26', { Stage: 'Closed' })]);
    await moved('C-26');
    expect([await column(page, 'New').getByText('27', { exact: true }).count(), await card(page, 'C-28').count(), before > 0, await page.getByLabel('Created, from').isVisible()]).toEqual([1, 1, true, true]); // prettier-ignore
    // The frame, read later than the page, lacks C-27 before the page shows C-27 in its new column.
    await card(page, 'C-27').getByRole('link').focus();
    await change('C-27', { Stage: 'Closed' });
    await held[0]?.continue();
    await column(page, 'Closed').locator(card(page, 'C-27')).locator('a:focus').waitFor();

    // Typed text stays. A choice is applied at once and becomes a chip.
    await page.getByLabel('Created, from').fill('2026-01-01');
    await change('C-24', { Stage: 'Closed' });
    expect(await page.getByLabel('Created, from').inputValue()).toBe('2026-01-01');
    await page.locator('.filter-fields summary', { hasText: 'Stage' }).click();
    await page.getByRole('combobox', { name: 'Stage' }).selectOption('New');
    const chip = page.getByRole('link', { name: /^Remove filter: Stage/ });
    await chip.click();
    // A page that is replaced meanwhile ends a drag.
    await chip.waitFor({ state: 'detached' });
    await page.locator('html:not([aria-busy], [data-turbo-preview])').waitFor();

    await card(page, 'C-2').dragTo(column(page, 'Paid'));
    await change('C-23', { Stage: 'Closed' });
    await moved('C-23');
    expect([await column(page, 'Paid').locator('.task-card').count(), await page.locator('#refusal').textContent()]).toEqual([0, 'C-2 cannot be moved to Paid by hand']); // prettier-ignore
    await card(page, 'C-3').dragTo(column(page, 'Closed'));
    await moved('C-3');

    // The menu of a card lies above the others, and closes by Escape.
    await page.getByLabel('Move C-8').focus();
    await page.keyboard.press('Enter');
    await page.locator('.move form:popover-open').waitFor();
    await page.keyboard.press('Escape');
    await card(page, 'C-8').locator('.move > button:focus').press('Enter');
    await card(page, 'C-8').getByRole('button', { name: 'Closed' }).press('Enter');
    await moved('C-8');
    await card(page, 'C-8').locator('.move > button:focus').waitFor();
    expect(await page.locator('.move form:popover-open').count()).toBe(0);
    await said(page, 'C-8 is in Closed now');
    // What others do meanwhile takes nothing back that was said.
    await change('C-10', { Stage: 'Closed' });
    await moved('C-10');
    await said(page, 'C-8 is in Closed now');
    expect(complaints).toEqual([]);

    // Nobody asks while nobody looks.
    const look = (hidden: boolean): Promise<void> =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await look(true);
    const asked: string[] = [];
    // The pointer may rest on a card, whose page is prefetched.
    page.on('request', (request) => {
      if (!request.url().includes('/tasks/')) asked.push(request.url());
    });
    await change('C-11', { Stage: 'Closed' });
    expect(asked).toEqual([]);
    await look(false);
    await moved('C-11');

    // It says when it is not connected, and catches up.
    const send = async (id: string): Promise<void> => {
      await page.getByLabel(`Move ${id}`, { exact: true }).press('Enter');
      await card(page, id).getByRole('button', { name: 'Closed' }).press('Enter');
    };
    await context.setOffline(true);
    await page.locator('.connection', { hasText: 'No connection' }).waitFor();
    await page.locator('#announcer', { hasText: 'No connection' }).waitFor();
    await send('C-12');
    await said(page, 'C-12 may not have been moved: no connection');
    await change('C-13', { Stage: 'Closed' });
    await context.setOffline(false);
    await moved('C-13');
    expect(await page.locator('.connection').textContent()).toBe('');
    await page.route('**/live?*', (route) => route.abort());
    await change('C-14', { Name: 'Changed by others' });
    await send('C-14');
    await page.getByRole('alert').filter({ hasText: 'C-14 was not moved, because somebody changed it' }).waitFor(); // prettier-ignore
    await context.close();
  });

  it('tasks are selected, and changed together', async () => {
    for (const id of ['L-1', 'L-2', 'L-3']) await make(id);
    await change('L-2', { Amount: null });
    const { page, context } = await open(`${list}?Claim ID[contains]=L-`);
    const bar = page.getByRole('form', { name: 'Selected tasks' });
    const box = (id: string) => page.getByRole('checkbox', { name: id, exact: true });
    const chosen = (): Promise<number> => page.locator('[name=task]:checked').count();
    await box('L-1').press('Space');
    await said(page, '1 selected');
    await box('L-2').press('Space');
    await said(page, '2 selected');
    await bar.getByText('Run an action…').click();
    await page.getByRole('dialog', { name: 'Run an action on 2 tasks' }).getByRole('button', { name: 'Close 1 of 2, because: Amount is required' }).click(); // prettier-ignore
    const question = page.getByRole('dialog', { name: 'Close them for good?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect([await question.count(), await chosen(), await value('L-1', 'Stage')]).toEqual([0, 2, 'New']);
    await bar.getByText('Run an action…').click();
    await page.getByRole('dialog', { name: 'Run an action on 2 tasks' }).getByRole('button', { name: 'Close 1 of 2, because: Amount is required' }).click(); // prettier-ignore
    await question.locator('button:focus', { hasText: 'Close: 2 tasks' }).press('Enter');
    const refusal = page.locator('#refusal:focus');
    await refusal.getByText('1 changed, 1 refused').waitFor();
    expect(await refusal.getByRole('listitem').allInnerTexts()).toEqual(['L-2: Amount is required']);
    expect([await chosen(), await box('L-2').isChecked(), await value('L-1', 'Stage')]).toEqual([1, true, 'Closed']); // prettier-ignore
    await box('L-2').press('Enter');
    await refusal.getByText('Choose what to do').waitFor();
    await bar.getByText('Clear').click();
    expect([await chosen(), await bar.isVisible()]).toEqual([0, false]);
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await said(page, '3 selected');
    await context.close();
  });

  it('tasks to link are found while a person types', async () => {
    const quay = await make('F-1', { Name: 'Quayside', Amount: 5 });
    await api.post('/api/v1/workflows/bills/tasks', { Bill: 'B-1' }).expect(201);
    const { page, context, complaints } = await open('/account');
    await page.goto(quay);
    await page.locator('.finder input').first().fill('B-1');
    await page.getByRole('button', { name: 'Link B-1' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('.linked a', { hasText: 'B-1' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});
