import { type Answer, type Browser, follow, servedTo, texts } from '../support/console.js';

const acme = `
workspace: { id: acme, name: Acme, timezone: Europe/Vienna }
users:
  - { email: mina@acme.test, first_name: Mina }
  - { email: ines@acme.test, first_name: Ines, last_name: Weiss }
  - { email: otto@acme.test }
workflows:
  - id: vendors
    name: Vendors
    search: true
    stages: [{ name: New }, { name: In Review }, { name: Approved, end: true }]
    fields:
      - { name: Vendor ID, type: uniqueId, required: true }
      - { name: Name, type: text }
      - { name: Contract Value, type: currency }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Signed, type: date }
      - { name: Owner, type: person }
      - { name: Strategic, type: checkbox }
      - { name: Remark, type: longText }
    clocks: [{ id: close, due: { field: Signed, at: '17:00' } }]
    roles: [{ id: lead, name: Lead, admin: true }, { id: agent, name: Agent, sees: assigned }]
    members: [{ email: mina@acme.test, role: lead }, { email: ines@acme.test, role: agent }]
  - id: invoices
    name: Invoices
    stages: [{ name: Open }]
    fields: [{ name: Invoice, type: uniqueId, required: true }]
    roles: [{ id: lead, name: Lead, admin: true }]
    members: [{ email: mina@acme.test, role: lead }]
relationships:
  - { id: inv, kind: one_to_many, from: { workflow: vendors, name: Invoices }, to: { workflow: invoices, name: Vendor } }
views:
  - { id: risky, name: Risky and open, workflow: vendors, as: list, query: 'Risk=High&_active=true', columns: [Stage, Contract Value] }
  - { id: old, name: From before, workflow: vendors, as: list, query: 'Risk=High&Region=EMEA', columns: [Region, Risk] }
  - { id: owed, name: Owed by risky vendors, workflow: invoices, query: 'Vendor.Risk=High' }
`;

const { service, api, mina, ines } = servedTo(['mina', 'ines'], acme);

beforeAll(async () => {
  for (let number = 1; number <= 6; number += 1)
    await create({
      'Vendor ID': `V-${number}`,
      Name: `Harbour ${number}`,
      'Contract Value': number * 1000,
      Risk: number % 2 ? 'High' : 'Low',
      Owner: 'ines@acme.test',
      ...(number === 5 && { Stage: 'Approved' }),
      ...(number === 1 && { 'Assigned To': 'ines@acme.test' }),
    });
});

const create = async (values: object): Promise<void> => {
  expect((await api.post('/api/v1/workflows/vendors/tasks', values)).status).toBe(201);
};
const chips = (page: Answer): string[] => texts(page, '.filters .badge');
const cards = (page: Answer): string[] => texts(page, '.task-card .row-id');
const rows = (page: Answer): string[] => texts(page, 'tbody td:first-child');
const board = (query: string): string => `/workflows/vendors?${query}`;
describe('a query', () => {
  it.each([
    ['Risk=High&Risk=Low', 'Risk is High or Low'],
    ['Risk=', 'Risk is empty'],
    ['Risk[ne]=High', 'Risk is not High'],
    ['Contract Value[gte]=10000', 'Contract Value ≥ 10,000.00'],
    ['Signed[gt]=2026-03-31', 'Signed > Mar 31, 2026'],
    ['Name[contains]=bou', 'Name contains bou'],
    ['Assigned To=ines@acme.test', 'Assigned To is Ines Weiss'],
    ['Assigned To[ne]=', 'Assigned To is not nobody'],
    ['Strategic=true', 'Strategic is Yes'],
    ['_due[gte]=2026-03-30T22:00:00Z', 'Due ≥ Mar 31, 2026'],
    ['_overdue=true', 'Overdue'],
    ['_overdue=close', 'Overdue by the clock close'],
    ['_active=false', 'Finished only'],
    ['_search=harb', 'With the words “harb”'],
    ['_any=Risk%3DHigh%26Strategic%3Dtrue', 'Risk is High or Strategic is Yes'],
  ])('is described in words: %s', async (query, words) => {
    const page = await mina.get(board(query));
    expect([page.status, chips(page)]).toEqual([200, [words]]);
    const link = '.filters .badge a';
    expect(page.attributeOf(link, 'aria-label')).toBe(`Remove filter: ${words}`);
    expect(page.hrefOf(link)).toBe('/workflows/vendors');
  });

  it('is described for linked tasks, too', async () => {
    expect(chips(await mina.get('/workflows/invoices?Vendor.Risk=High'))).toEqual(['Vendor’s Risk is High']);
  });
});

describe('filters', () => {
  it('of one click are Me, Nobody and Open only, and a cross removes them', async () => {
    const page = await ines.get(board('_sort=Name'));
    expect(texts(page, '.quick a')).toEqual(['Me', 'Nobody', 'Open only']);
    const ways = page.attributesOf('.quick a', 'href');
    const added = ['Assigned+To=ines%40acme.test', 'Assigned+To=', '_active=true'];
    expect(ways).toEqual(added.map((filter) => `/workflows/vendors?_sort=Name&${filter}`));
    const mine = await ines.get(ways[0] ?? '');
    expect(texts(mine, '.quick [aria-current=true]')).toEqual(['Me']);
    expect(chips(mine)).toEqual(['Assigned To is Ines Weiss']);
    expect(mine.hrefOf('.filters .badge a')).toBe('/workflows/vendors?_sort=Name');
    const open = await mina.get(board('_active=true&Assigned To='));
    expect([texts(open, '.board-column .stage'), cards(open)]).toEqual([['New', 'In Review'], ['V-2', 'V-3', 'V-4', 'V-6']]); // prettier-ignore
    expect(rows(await mina.get('/workflows/vendors/list?_active=false'))).toEqual(['Harbour 5']);
  });

  it('of numbers and days have a from and a to, in the days of the workspace', async () => {
    const entered = {
      'Contract Value[gte]': '2000',
      'Signed[gte]': '2026-01-01',
      '_due[gt]': '2026-03-30',
      '_due[lte]': '2026-03-31',
    };
    const form = { others: 'Risk=High', at: 'list', 'Contract Value[lte]': '', ...entered };
    const led = await mina.get(`/workflows/vendors/filter?${new URLSearchParams(form).toString()}`);
    const query = new URL(led.headers['location'] ?? '', service.url).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      Risk: 'High',
      ...entered,
      '_due[gt]': '2026-03-29T22:00:00.000Z',
      '_due[lte]': '2026-03-31T22:00:00.000Z',
    });
    const due = ['Due ≥ Mar 30, 2026', 'Due ≤ Mar 31, 2026'];
    expect(chips(await follow(mina, led))).toEqual(['Risk is High', 'Contract Value ≥ 2,000.00', 'Signed ≥ Jan 1, 2026', ...due]); // prettier-ignore
    const again = await mina.get('/workflows/vendors/filter?others=Risk%3DHigh&Risk=Low');
    expect(again.headers['location']).toBe('/workflows/vendors?Risk=Low');
  });
});

describe('cards', () => {
  it('show the fields that the address names, beside the fields that they always show', async () => {
    const page = await mina.get(board('_fields=Contract Value&_fields=Risk&_fields=Invoices&Risk=High'));
    expect(texts(page, '.task-card')[0]).toContain('Harbour 1 Contract Value 1,000.00 Risk High V-1');
    expect(chips(page)).toEqual(['Risk is High']);
    expect((await mina.get(board('_fields=Colour'))).status).toBe(422);
  });
});

describe('a list', () => {
  it('marks overdue tasks by a word, whichever columns are shown, and only once', async () => {
    await create({ 'Vendor ID': 'V-7', Name: 'Late', Signed: '2026-01-05' });
    await service.settle();
    const first = async (fields: string): Promise<string[]> =>
      texts(await mina.get(`/workflows/vendors/list?_sort=-Name${fields}`), 'th, tbody tr:first-child td');
    expect(await first('&_fields=Risk')).toEqual(['Name ↓', 'Risk', 'Late Overdue', '']);
    expect((await first('&_fields=_due')).slice(2)).toEqual([
      'Late',
      expect.stringMatching(/^Overdue Jan 5/),
    ]);
    await api.delete('/api/v1/workflows/vendors/tasks/V-7');
  });
});

describe('a shared view', () => {
  const open = async (browser: Browser, view: string): Promise<Answer> =>
    browser.get((await browser.get('/')).hrefOf(`.place[href*="_view=${view}"]`));

  it('is in the side bar of users who know its workflow, and shows nobody hidden tasks', async () => {
    const shown = await open(mina, 'risky');
    expect([rows(shown), texts(shown, 'th')]).toEqual([['Harbour 1', 'Harbour 3'], ['Name', 'Stage', 'Contract Value']]); // prettier-ignore
    expect(rows(await open(ines, 'risky'))).toEqual(['Harbour 1']);
    const places = (page: Answer): (string | undefined)[] => page.attributesOf('.place', 'href').flatMap((href) => /_view=(\w+)/.exec(href)?.[1] ?? []); // prettier-ignore
    expect([places(shown), places(await ines.get('/'))]).toEqual([['risky', 'old', 'owed'], ['risky', 'old']]); // prettier-ignore
    expect((await ines.get('/workflows/invoices?_view=owed')).status).toBe(404);
  });

  it('whose query no longer fits says so, and shows what it can', async () => {
    const shown = await open(mina, 'old');
    expect([shown.status, rows(shown), texts(shown, 'th')]).toEqual([200, ['Harbour 1', 'Harbour 3', 'Harbour 5'], ['Name', 'Risk']]); // prettier-ignore
    expect(texts(shown, '.notice')[0]).toContain('Region is not a field of this workflow');
    const typed = await mina.get('/workflows/vendors/list?Risk=High&Region=EMEA');
    expect([typed.status, rows(typed)]).toEqual([422, []]);
  });
});
