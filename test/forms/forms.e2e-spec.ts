import { type FormsSetting, formsPath, pdf, startForms } from './forms.js';

describe('a form for people outside', () => {
  let setting: FormsSetting;
  beforeAll(async () => {
    setting = await startForms();
  });
  afterAll(() => setting.service.stop());

  it('creates a task, with its files, and shows a reference', async () => {
    const sent = await setting.send({
      'Vendor Name': 'Nordwind',
      Website: 'https://nordwind.example',
      Regions: ['EMEA', 'APAC'],
      Price: '12.50',
      Contract: pdf(),
    });
    expect(sent.status).toBe(200);
    const reference = sent.html.querySelector('strong')?.text;
    expect(reference).toMatch(/^V-[2-9A-Z]{10}$/);
    expect(await setting.tasks()).toEqual([
      expect.objectContaining({
        ID: reference,
        'Vendor Name': 'Nordwind',
        Risk: 'Low',
        Regions: ['EMEA', 'APAC'],
        Price: '12.50',
        Stage: 'New',
        Contract: [expect.objectContaining({ filename: 'contract.pdf', contentType: 'application/pdf' })],
      }),
    ]);
    const { body } = await setting.api.get(formsPath).expect(200);
    expect(body).toEqual([
      { id: 'intake', url: expect.stringMatching(/\/f\/[\w-]{22}$/), open: true, today: 1, quarantined: 0 },
    ]);
  });
});
