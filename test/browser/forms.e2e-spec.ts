import { type Page } from 'playwright-core';
import { type FormsSetting, pdf, startForms } from '../forms/forms.js';
import { describeInBrowser, launched, violations } from './chromium.js';

describeInBrowser('somebody outside with a phone', () => {
  let setting: FormsSetting;
  const browser = launched();
  beforeAll(async () => {
    setting = await startForms(undefined, { WTS_HOST: '127.0.0.1' });
  });
  afterAll(() => setting.service.stop());

  async function open(javaScriptEnabled: boolean): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 360, height: 740 } });
    const page = await context.newPage();
    await page.goto(setting.service.url + (await setting.path()));
    return page;
  }

  it('sends a form with a file, without JavaScript, after it was refused once', async () => {
    const page = await open(false);
    await page.getByLabel('Vendor Name').fill('Nordwind');
    await page.getByLabel('EMEA').check();
    await setting.service.settle({ after: 5000 });
    await page.getByRole('button', { name: 'Send' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('Website: is required');
    expect(await page.getByLabel('Vendor Name').inputValue()).toBe('Nordwind');
    await page.getByLabel('Website').fill('https://nordwind.example');
    const { filename: name, bytes: buffer } = pdf();
    await page.getByLabel('Contract').setInputFiles({ name, mimeType: 'application/pdf', buffer });
    await page.getByRole('button', { name: 'Send' }).click();
    const reference = await page.locator('strong').textContent();
    expect(reference).toMatch(/^V-[2-9A-Z]{10}$/);
    expect(await setting.tasks()).toEqual([
      expect.objectContaining({
        ...{ ID: reference, 'Vendor Name': 'Nordwind', Regions: ['EMEA'] },
        Contract: [expect.objectContaining({ filename: 'contract.pdf' })],
      }),
    ]);
    expect(await page.context().cookies()).toEqual([]);
    await page.context().close();
  });

  it('finds pages that fit their window, in which axe finds nothing', async () => {
    const page = await open(true);
    const look = async (): Promise<unknown> => [
      await violations(page),
      await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
    ];
    expect(await look()).toEqual([[], true]);
    await setting.service.settle({ after: 5000 });
    await page.getByRole('button', { name: 'Send' }).click();
    expect(await look()).toEqual([[], true]);
    await page.getByLabel('Vendor Name').fill('Nordwind');
    await page.getByLabel('Website').fill('https://nordwind.example');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Your reference').waitFor();
    expect(await look()).toEqual([[], true]);
    await page.context().close();
  });
});
