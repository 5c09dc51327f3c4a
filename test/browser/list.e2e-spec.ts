import { EventEmitter, once } from 'node:events';
import { type Browser, type Page } from 'playwright-core';
import { linkFor } from '../support/console.js';
import { awaitEnds } from '../support/ends.js';
import { type Client, startService, type TestService } from '../support/service.js';
import { describeInBrowser, launch, signedIn, violations } from './chromium.js';

const acme = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test, first_name: Mina }, { email: theo@acme.test, first_name: Theo }]
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Checked }, { name: Closed, end: true, enter: by_actions, change: by_actions }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: Amount, type: number, max: 1000 }
      - { name: Risk, type: singleSelect, options: [Low, High] }
    actions:
      - { id: close, name: Close, requirements: { required_fields: [Amount], confirmation: Close them for good? }, steps: [{ name: Close, type: move_to_stage, stage: Closed }] }
`;

describeInBrowser('a list in a browser', () => {
  let service: TestService;
  let api: Client;
  let browser: Browser;
  const list = '/workflows/claims/list';
  const tasks = '/api/v1/workflows/claims/tasks';
  beforeAll(async () => {
    service = await startService({ WTS_HOST: '127.0.0.1' });
    awaitEnds(service);
    await service.apply(acme);
    api = service.client(await service.key('acme'));
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  const open = async (options: Parameters<Browser['newContext']>[0] = {}) => {
    const window = await signedIn(browser, service.url, await linkFor(service, 'mina@acme.test'), options);
    await window.page.goto(service.url + list);
    return window;
  };
  const make = async (...ids: readonly string[]): Promise<void> => {
    for (const id of ids) await api.post(tasks, { 'Claim ID': id, Amount: 5 }).expect(201);
  };
  const value = async (id: string, name: string): Promise<unknown> =>
    Reflect.get(Object((await api.get(`${tasks}/${id}`)).body), name);
  const box = (page: Page, id: string) => page.getByRole('checkbox', { name: id, exact: true });
  const chosen = (page: Page): Promise<number> => page.locator('[name=task]:checked').count();
  const said = (page: Page, text: string): Promise<void> =>
    page.locator('#announcer').getByText(text, { exact: true }).waitFor({ state: 'attached' });
  const focused = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id ?? ''); // prettier-ignore

  it('offers at the foot of the window what can be done with the chosen tasks, and leads to what was refused', async () => {
    await make('A-1', 'A-2', 'A-3');
    await api.put(tasks, { 'Claim ID': 'A-2', Amount: null }).expect(200);
    const { page, context, complaints } = await open();
    const bar = page.getByRole('form', { name: 'Selected tasks' });
    expect(await bar.isVisible()).toBe(false);
    await box(page, 'A-1').check();
    await said(page, '1 selected');
    expect(await page.locator('.select-all').evaluate(({ indeterminate }: HTMLInputElement) => indeterminate)).toBe(true); // prettier-ignore
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await said(page, '3 selected');
    await bar.getByText('Clear').click();
    expect([await chosen(page), await bar.isVisible(), await focused(page)]).toEqual([0, false, 'A-1']);
    await box(page, 'A-2').check();
    await box(page, 'A-3').check();
    await bar.getByText('Assign to', { exact: true }).click();
    expect(await violations(page)).toEqual([]);
    await bar.getByRole('button', { name: 'Theo' }).click();
    await page.locator('#notices').getByText('2 changed').waitFor();
    await said(page, '2 changed');
    expect([await chosen(page), await value('A-3', 'Assigned To')]).toEqual([0, 'theo@acme.test']);
    expect(complaints).toEqual([]);

    await box(page, 'A-1').check();
    await box(page, 'A-2').check();
    await bar.getByText('Run an action').click();
    await bar.getByRole('button', { name: 'Close', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Close them for good?' });
    await question.locator('button:focus', { hasText: 'Close: 2 tasks' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await question.getByRole('link', { name: 'Cancel' }).click();
    expect([await question.count(), await chosen(page), await value('A-1', 'Stage')]).toEqual([0, 2, 'New']);
    await bar.getByText('Run an action').click();
    await bar.getByRole('button', { name: 'Close', exact: true }).click();
    await question.locator('button:focus').press('Enter');
    const refusal = page.locator('#refusal:focus');
    await refusal.getByText('1 changed, 1 refused').waitFor();
    expect(await refusal.getByRole('listitem').allInnerTexts()).toEqual(['A-2: Amount is required']);
    expect([await chosen(page), await box(page, 'A-2').isChecked(), await value('A-1', 'Stage')]).toEqual([1, true, 'Closed']); // prettier-ignore
    expect(await violations(page)).toEqual([]);
    await refusal.getByRole('link', { name: 'A-2' }).click();
    await page.getByRole('heading', { level: 1, name: 'A-2' }).waitFor();
    await context.close();
  });

  it('keeps what is chosen while others change tasks, and overwrites none of that unseen', async () => {
    await make('B-1', 'B-2');
    const { page, context } = await open();
    await box(page, 'B-1').check();
    await api.put(tasks, { 'Claim ID': 'B-2', Amount: 77 }).expect(200);
    await page.locator('tr', { hasText: 'B-2' }).getByText('77').waitFor();
    expect([await chosen(page), await box(page, 'B-1').isChecked()]).toEqual([1, true]);
    await page.route('**/live?*', (route) => route.abort());
    await page.route(`**${list}`, async (route) => {
      if (route.request().method() === 'POST') await api.put(tasks, { 'Claim ID': 'B-1', Amount: 6 });
      await route.continue();
    });
    await page.getByText('Move to', { exact: true }).click();
    await page.getByRole('button', { name: 'Checked' }).click();
    await page.locator('#refusal:focus').getByText('somebody else changed it').waitFor();
    expect([await box(page, 'B-1').isChecked(), await value('B-1', 'Stage')]).toEqual([true, 'New']);
    await context.close();
  });

  it('is worked with by keyboard alone: rows, the bar, and a value in its cell', async () => {
    await make('C-1', 'C-2');
    const { page, context } = await open();
    await page.getByRole('link', { name: 'C-1', exact: true }).focus();
    await page.keyboard.press('x');
    await said(page, '1 selected');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await said(page, '2 selected');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await focused(page)).toBe('Edit: Assigned To, C-2');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const control = page.locator('.cell-entry :focus');
    await control.waitFor();
    expect(await page.getByRole('spinbutton', { name: 'Amount' }).inputValue()).toBe('5');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type('2000');
    await page.keyboard.press('Enter');
    await page.locator('.cell-entry').getByText('must be at most 1000').waitFor();
    await page.locator('.cell-entry [aria-invalid]:focus').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type('900');
    await page.keyboard.press('Enter');
    await said(page, 'Amount: 900');
    await page.locator('tr', { hasText: 'C-2' }).getByText('900').waitFor();
    expect([await focused(page), await value('C-2', 'Amount'), await chosen(page)]).toEqual(['Edit: Amount, C-2', '900', 2]); // prettier-ignore
    await page.keyboard.press('Enter');
    await control.waitFor();
    await page.keyboard.press('Escape');
    expect([await focused(page), await page.locator('.cell-entry').count()]).toEqual([
      'Edit: Amount, C-2',
      0,
    ]);
    await page.getByText('Move to', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await said(page, '2 changed');
    expect([await value('C-1', 'Stage'), await value('C-2', 'Stage')]).toEqual(['Checked', 'Checked']);
    await context.close();
  });

  it('sets a field of the chosen tasks, also by keyboard alone; Enter on a box does nothing to them', async () => {
    await make('S-1', 'S-2');
    await api.put(tasks, { 'Claim ID': 'S-1', 'Assigned To': 'theo@acme.test' }).expect(200);
    const { page, context } = await open();
    await box(page, 'S-1').check();
    await box(page, 'S-2').check();
    await box(page, 'S-2').press('Enter');
    await page.locator('#refusal:focus').getByText('Choose what to do').waitFor();
    expect([await chosen(page), await value('S-1', 'Assigned To')]).toEqual([2, 'theo@acme.test']);
    await page.getByText('Set a field', { exact: true }).click();
    await page.getByRole('button', { name: 'Amount', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Set a field: Amount' });
    await question
      .getByRole('spinbutton', { name: 'Set a field: Amount' })
      .and(page.locator(':focus'))
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type('42');
    await page.keyboard.press('Enter');
    await said(page, '2 changed');
    expect([await value('S-1', 'Amount'), await value('S-2', 'Amount'), await value('S-1', 'Assigned To')]).toEqual(['42', '42', 'theo@acme.test']); // prettier-ignore
    await context.close();
    const plain = await open({ javaScriptEnabled: false });
    await box(plain.page, 'S-2').check();
    await plain.page.getByText('Set a field', { exact: true }).click();
    await plain.page.getByRole('button', { name: 'Risk', exact: true }).click();
    await plain.page.getByRole('combobox', { name: 'Set a field: Risk' }).selectOption('High');
    await plain.page.getByRole('button', { name: 'Risk: 1 task' }).click();
    await plain.page.getByText('1 changed').waitFor();
    expect([await value('S-1', 'Risk'), await value('S-2', 'Risk')]).toEqual([null, 'High']);
    await plain.context.close();
  });

  it('edits a value by a double click, and only what the reader may change', async () => {
    await make('D-1', 'D-2');
    // What it does later would show the page anew, and so close an editor that is still on its way.
    await api.post('/api/v1/workflows/claims/executions', { task_id: 'D-2', action_id: 'close' }).set('Prefer', 'wait=10').expect(200); // prettier-ignore
    const { page, context, complaints } = await open();
    // Its answer belongs into the cell once it is all there.
    const editor = () => page.locator('.cell-entry form:not([data-turbo-frame])').waitFor();
    const row = (id: string) => page.locator('tr', { hasText: id });
    await row('D-2').getByText('Closed').waitFor();
    await row('D-2').getByText('5', { exact: true }).dblclick();
    await row('D-1').getByText('5', { exact: true }).dblclick();
    await editor();
    await page.getByRole('spinbutton', { name: 'Amount' }).fill('8');
    await page.getByRole('button', { name: 'Save' }).click();
    await row('D-1').getByText('8', { exact: true }).waitFor();
    expect([await row('D-2').locator('.cell-edit').count(), await page.locator('.cell-entry').count()]).toEqual([0, 0]); // prettier-ignore
    // Somebody else was quicker.
    await row('D-1').getByText('8', { exact: true }).dblclick();
    await editor();
    await page.getByRole('spinbutton', { name: 'Amount' }).fill('9');
    await api.put(tasks, { 'Claim ID': 'D-1', Amount: 10 }).expect(200);
    expect(complaints).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.cell-entry').getByText('Somebody changed this since you opened it').waitFor();
    await editor();
    await page.getByRole('button', { name: 'Save my value' }).click();
    await row('D-1').getByText('9', { exact: true }).waitFor();
    await context.close();
  });

  it('keeps an editor that is still being loaded while changes of others are shown', async () => {
    await make('H-1', 'H-2');
    const { page, context } = await open();
    const row = (id: string) => page.locator('tr', { hasText: id });
    const requests = new EventEmitter();
    await page.route(/edit=/, async (route) => {
      requests.emit('asked');
      await once(requests, 'freed');
      await route.continue();
    });
    const asked = once(requests, 'asked');
    await row('H-1').getByText('5', { exact: true }).dblclick();
    await asked;
    await api.put(tasks, { 'Claim ID': 'H-2', Amount: 77 }).expect(200);
    await row('H-2').getByText('77', { exact: true }).waitFor();
    requests.emit('freed');
    await page.locator('.cell-entry form:not([data-turbo-frame])').waitFor();
    await page.getByRole('spinbutton', { name: 'Amount' }).fill('8');
    await page.getByRole('button', { name: 'Save' }).click();
    await row('H-1').getByText('8', { exact: true }).waitFor();
    await context.close();
  });

  it('works without JavaScript, at 320 px and in the dark', async () => {
    await make('E-1', 'E-2');
    const { page, context } = await open({
      javaScriptEnabled: false,
      colorScheme: 'dark',
      viewport: { width: 320, height: 700 },
    });
    expect(await page.locator('.select-all').isVisible()).toBe(false);
    await box(page, 'E-1').check();
    await box(page, 'E-2').check();
    await page.getByText('Move to', { exact: true }).click();
    await page.getByRole('button', { name: 'Checked' }).click();
    await page.getByText('2 changed').waitFor();
    expect([await value('E-1', 'Stage'), await chosen(page)]).toEqual(['Checked', 0]);
    await box(page, 'E-2').check();
    await page.getByText('Run an action', { exact: true }).click();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Close: 1 task' }).click();
    await page.getByText('1 changed').waitFor();
    expect(await value('E-2', 'Stage')).toBe('Closed');
    await context.close();
    const narrow = await open({ colorScheme: 'dark', viewport: { width: 320, height: 700 } });
    await box(narrow.page, 'E-1').check();
    await narrow.page.getByText('Assign to', { exact: true }).click();
    const look = (): Promise<unknown> => narrow.page.evaluate(() => ({
      isWide: document.documentElement.scrollWidth > innerWidth,
      small: [...document.querySelectorAll('.bulk :is(a, button, summary)')].map((each) => each.getBoundingClientRect()).filter(({ width, height }) => width > 0 && Math.min(width, height) < 24).length,
    })); // prettier-ignore
    expect([await look(), await violations(narrow.page)]).toEqual([{ isWide: false, small: 0 }, []]);
    await narrow.context.close();
  });
});
