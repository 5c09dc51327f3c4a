import { type FormsSetting, pdf, startForms } from '../forms/forms.js';
import { describeInBrowser, launched, violations } from './chromium.js';

describeInBrowser('somebody outside with a phone', () => {
  let setting: FormsSetting;
  const browser = launched();
  beforeAll(async () => {
    setting = await startForms(undefined, { WTS_HOST: '127.0.0.1' });
  });
  afterAll(() => setting.service.stop());

  it('sends a form with a file, after it was refused once, by pages that fit and in which axe finds nothing', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    await page.goto(setting.service.url + (await setting.path()));
    const look = async (): Promise<void> => {
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    };
    await look();
    await page.getByLabel('Vendor Name').fill('Nordwind');
    await page.getByLabel('EMEA').check();
    await setting.service.settle({ after: 5000 });
    await page.getByRole('button', { name: 'Send' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('Website: is required');
    expect(await page.getByLabel('Vendor Name').inputValue()).toBe('Nordwind');
    await look();
    await page.getByLabel('Website').fill('https://nordwind.example');
    const { filename: name, bytes: buffer } = pdf();
    await page.getByLabel('Contract').setInputFiles({ name, mimeType: 'application/pdf', buffer });
    await page.getByRole('button', { name: 'Send' }).click();
    const reference = await page.locator('strong').textContent();
    await look();
    expect(await setting.tasks()).toMatchObject([
      {
        ID: reference,
        'Vendor Name': 'Nordwind',
        Regions: ['EMEA'],
        Contract: [{ filename: 'contract.pdf' }],
      },
    ]);
    expect(await page.context().cookies()).toEqual([]);
    await page.close();
  });
});
