import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Page, type Route } from 'playwright-core';
import { linkFor, pageOf, servedTo } from '../support/console.js';
import { describeInBrowser, launched, signedIn, upload } from './chromium.js';

const contract = { name: 'contract.txt', mimeType: 'text/plain', buffer: Buffer.from('signed') };
const checks = ['Check the company register', 'Screen against sanctions lists'] as const;
const demo = readFileSync(join(import.meta.dirname, '../../docs/examples/onboarding.yaml'), 'utf8');
const vendors = '/api/v1/workflows/vendors/tasks';

describeInBrowser('on the page of a task in a browser', () => {
  const browser = launched();
  const legalEdits = demo.replace('name: Legal, edits: none', 'name: Legal, edits: assigned');
  const { service, api } = servedTo([], legalEdits, { WTS_HOST: '127.0.0.1' });

  const create = async (id: string, more: object = {}): Promise<string> => {
    const payload = { 'Vendor ID': id, 'Vendor Name': `Vendor ${id}`, ...more };
    return service.url + pageOf(await api.post(vendors, payload).expect(201));
  };
  const change = async (id: string, values: object): Promise<void> => {
    await api.put(vendors, { 'Vendor ID': id, ...values }).expect(200);
  };
  const ofMina = { Stage: 'In Review', 'Assigned To': 'mina@demo.test' };
  const open = async (name: string) =>
    signedIn(browser, service.url, await linkFor(service, `${name}@demo.test`), { locale: 'en-GB' });
  const announced = (page: Page, text: string) => page.locator('#announcer', { hasText: text }).waitFor();

  it('a question is asked without JavaScript, too', async () => {
    const link = await linkFor(service, 'mina@demo.test');
    const { page, context } = await signedIn(browser, service.url, link, { javaScriptEnabled: false });
    await page.goto(await create('J-1'));
    await page.getByRole('button', { name: /^Delete this task/ }).click();
    await page.locator('dialog:modal').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`${service.url}/workflows/vendors`);
    await context.close();
  });

  it('by keyboard only, a person finds a task, meets a requirement, and performs the action', async () => {
    await create('P-1', { 'Assigned To': 'mina@demo.test' });
    const { page, context, complaints } = await open('mina');
    const press = (key: string): Promise<void> => page.keyboard.press(key);
    const focus = (selector: string) => page.locator(`${selector}:focus`).waitFor();
    const tabTo = async (selector: string): Promise<void> => {
      const isThere = () => page.evaluate((at) => document.activeElement?.matches(at), selector);
      for (let tabs = 0; tabs < 40 && !(await isThere()); tabs += 1) await press('Tab');
      await focus(selector);
    };
    // It takes a moment until choosers are watched for.
    const chosen = page.waitForEvent('filechooser');
    await press('Control+k');
    await page.keyboard.type('P-1');
    await press('Enter');
    await page.locator('#found').getByRole('link', { name: /P-1/ }).waitFor();
    await focus('#search-words');
    await tabTo('#found a');
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Vendor P-1' }).waitFor();
    await press('Tab');
    await press('Tab');
    await page.locator('a.skip:focus', { hasText: 'Skip to the next action' }).waitFor();
    await press('Enter');
    // It takes a moment until the way on begins there.
    await page.locator('a.skip:focus').waitFor({ state: 'detached' });
    await tabTo('#next-action button.primary');
    await press('Enter');
    await page.locator('#notices', { hasText: 'Start review: done' }).waitFor();
    // A page that is shown anew has its focus again after its next frame.
    await page.waitForFunction(() => document.activeElement !== document.body);
    await tabTo('.missing input[name=value]');
    await page.keyboard.type('9800');
    await press('Enter');
    // What is met is a value again, and what is left is said.
    await focus('.field-edit');
    await announced(page, 'Approve needs: Contract is required, Checklist must be completed');
    await tabTo('.field input[type=file]');
    await press('Enter');
    await upload(page, async () => (await chosen).setFiles(contract));
    for (const title of checks) {
      await tabTo('#checklist .blank [role=checkbox]');
      await press('Space');
      await page.locator('#checklist [aria-checked=true]:focus', { hasText: title }).waitFor();
    }
    await announced(page, 'Approve is possible now');
    await page.locator('#next-action button', { hasText: 'Approve…' }).focus();
    await press('Enter');
    await focus('dialog button.primary');
    await press('Escape');
    await page.locator('#next-action button:focus', { hasText: 'Approve…' }).press('Enter');
    await focus('dialog button.primary');
    await press('Enter');
    await page.locator('#notices', { hasText: 'Approve: done' }).waitFor();
    await announced(page, 'Approve: done');
    await page.locator('.track [aria-current=step]', { hasText: 'Approved' }).waitFor();
    await page.waitForFunction(() => document.activeElement !== document.body);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('no key has an effect while an input method composes', async () => {
    const { page, context } = await open('mina');
    const url = await create('P-9', { ...ofMina, Notes: 'No' });
    await page.goto(`${url}?edit=Risk`);
    const leaves = (isComposing: boolean): Promise<boolean> =>
      page.locator('.field select').evaluate((select, isComposing) => {
        const seen = { isLeft: false };
        const ending = new AbortController();
        document.addEventListener(
          'click',
          (event) => {
            seen.isLeft = true;
            event.preventDefault();
          },
          { capture: true, signal: ending.signal },
        );
        select.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, isComposing }));
        ending.abort();
        return seen.isLeft;
      }, isComposing);
    expect([await leaves(true), await leaves(false)]).toEqual([false, true]);
    await context.close();
  });

  it("two people see each other's changes without a reload, and neither loses text", async () => {
    const url = await create('P-2', ofMina);
    const [mina, theo] = [await open('mina'), await open('theo')];
    for (const { page } of [mina, theo]) {
      await page.goto(`${url}?edit=Notes`);
      await page.locator('.field textarea').fill(page === mina.page ? 'of Mina' : 'of Theo');
    }
    await theo.page.getByRole('button', { name: 'Save', exact: true }).click();
    await theo.page.locator('.prose', { hasText: 'of Theo' }).waitFor();
    // Hers stands as she typed it, and her page goes on once it is saved.
    await change('P-2', { Risk: 'Medium' });
    await theo.page.locator('.field', { hasText: 'Risk' }).getByText('Medium').waitFor();
    await announced(theo.page, 'API (test) changed');
    expect(await mina.page.locator('.field textarea').inputValue()).toBe('of Mina');

    await mina.page.getByRole('button', { name: 'Save', exact: true }).click();
    await mina.page.getByRole('alert').filter({ hasText: 'of Theo' }).waitFor();
    expect(await mina.page.locator('.field textarea').inputValue()).toBe('of Mina');
    await mina.page.getByRole('button', { name: 'Save my value' }).click();
    await theo.page.locator('.prose', { hasText: 'of Mina' }).waitFor();

    // A value opens where it is clicked.
    const risk = mina.page.locator('.field', { hasText: 'Risk' });
    await risk.locator('.badge', { hasText: 'Medium' }).click();
    await risk.locator('select').selectOption('High');
    await risk.getByRole('button', { name: 'Save' }).click();
    await risk.locator('.badge', { hasText: 'High' }).waitFor();
    await theo.page.locator('.field', { hasText: 'Risk' }).getByText('High').waitFor();
    // An editor that is still being loaded comes, whatever changes meanwhile; then the page goes on.
    const held: Route[] = [];
    await mina.page.route(/edit=/, (route) => void held.push(route), { times: 1 });
    await Promise.all([mina.page.waitForRequest(/edit=/), risk.locator('.badge').click()]);
    await change('P-2', { Notes: 'of nobody' });
    await held[0]?.continue();
    await risk.locator('select').press('Escape');
    await mina.page.locator('.prose', { hasText: 'of nobody' }).waitFor();
    for (const { context } of [mina, theo]) await context.close();
  });

  it('a form that is refused or not answered keeps its contents, and a part that fails to load says so', async () => {
    const noor = await open('noor');
    const page = noor.page;
    const refusal = (text: string) => page.locator('#refusal:focus', { hasText: text }).waitFor();
    await page.goto(await create('P-3', { 'Assigned To': 'noor@demo.test' }));
    const box = page.getByRole('textbox', { name: 'Write a comment' });
    await box.fill('They called back');
    await change('P-3', { 'Assigned To': 'theo@demo.test' });
    await box.press('Control+Enter');
    await refusal('You do not have permission. Your role');
    expect(await box.inputValue()).toBe('They called back');
    for (const status of [404, 503]) {
      await page.route(/comments$/, (route) => route.fulfill({ status, body: '' }), { times: 1 });
      await box.press('Control+Enter');
      await refusal('No connection');
    }
    expect(await box.inputValue()).toBe('They called back');
    await change('P-3', { 'Assigned To': 'noor@demo.test' });
    await box.press('Control+Enter');
    await page.locator('.time-line .comment', { hasText: 'They called back' }).waitFor();
    expect(await page.locator('#refusal').count()).toBe(0);
    await noor.context.close();

    const mina = await open('mina');
    const url = await create('P-4', { Notes: 'As it was' });
    await mina.page.goto(url);
    const notes = mina.page.locator('.field', { hasText: 'As it was' });
    const edit = notes.getByRole('link', { name: 'Edit: Notes' });
    await mina.page.route(/edit=/, async (route) => route.fulfill({ response: await route.fetch({ url: `${service.url}/nowhere` }) }), { times: 1 }); // prettier-ignore
    await edit.click();
    await mina.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await mina.page.goto(url);
    await mina.page.route(/edit=/, (route) => route.fulfill({ status: 401, contentType: 'text/html', body: '<p>Refused</p>' }), { times: 1 }); // prettier-ignore
    await edit.click();
    await mina.page.locator('.connection', { hasText: 'You are signed out' }).waitFor();
    expect([await notes.count(), await mina.page.getByText('Content missing').count()]).toEqual([1, 0]);
    await mina.context.close();
  });

  it('several files are sent at once, whatever is ticked meanwhile', async () => {
    const url = await create('P-5', ofMina);
    const { page, context } = await open('mina');
    await page.goto(url);
    let letGo = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => (letGo = resolve));
    await page.route('**/*', async (route) => {
      if (route.request().headers()['content-type']?.includes('urlencoded')) await isHeld;
      await route.continue();
    });
    const ticked = page.waitForRequest((request) => request.method() === 'POST');
    await page.locator('#checklist').getByRole('checkbox', { name: checks[0] }).click();
    await ticked;
    const sent = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ ...contract, name: `${name}.txt` }));
    const chosen = page.waitForEvent('filechooser');
    await page.locator('.field .upload input[type=file]').click();
    await (await chosen).setFiles(sent);
    await page.waitForResponse((answer) => answer.url().includes('/files/') && answer.status() === 422);
    letGo();
    await page.locator('#checklist [aria-checked=true]', { hasText: checks[0] }).waitFor();
    // A contract has five files at most: of each that is refused it is said why.
    await page.locator('#refusal:focus', { hasText: /\.txt: .*holds more than/ }).waitFor();

    await context.close();
  });
});
