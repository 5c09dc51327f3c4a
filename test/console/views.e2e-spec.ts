import { type Answer, type Browser, servedTo } from '../support/console.js';

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
const trimmed = (text: string): string => text.replace(/\s+/g, ' ').trim();
const textsOf = ({ html }: Answer, selector: string): string[] =>
  html.querySelectorAll(selector).map(({ text }) => trimmed(text));
const chips = (page: Answer): string[] => textsOf(page, '.filters .badge');
const cards = (page: Answer): string[] => textsOf(page, '.task-card .row-id');
const rows = (page: Answer): string[] => textsOf(page, 'tbody td:first-child');
const board = (query: string): string => `/workflows/vendors?${query}`;
const hrefOf = (found: { getAttribute(name: string): string | undefined } | null | undefined): string =>
  found?.getAttribute('href')?.replaceAll('&amp;', '&') ?? '';
/** Follows the answers that lead elsewhere. */
async function follow(browser: Browser, answer: Answer): Promise<Answer> {
  const { location } = answer.headers;
  return location === undefined ? answer : follow(browser, await browser.get(location));
}

describe('what a query asks for', () => {
  it.each([
    ['Risk=High&Risk=Low', 'Risk is High or Low'],
    ['Risk=', 'Risk is empty'],
    ['Risk[ne]=High', 'Risk is not High'],
    ['Contract Value[gte]=10000', 'Contract Value from 10,000.00'],
    ['Signed[gt]=2026-03-31', 'Signed after Mar 31, 2026'],
    ['Name[contains]=bou', 'Name contains bou'],
    ['Assigned To=ines@acme.test', 'Assigned to Ines Weiss'],
    ['Assigned To[ne]=', 'Assigned To is not nobody'],
    ['Strategic=true', 'Strategic is Yes'],
    ['_due[gte]=2026-03-30T22:00:00Z', 'Due from Mar 31, 2026'],
    ['_overdue=true', 'Overdue'],
    ['_overdue=close', 'Overdue by the clock close'],
    ['_active=false', 'Finished only'],
    ['_search=harb', 'With the words “harb”'],
    ['_any=Risk%3DHigh%26Strategic%3Dtrue', 'Risk is High or Strategic is Yes'],
    ['_sort=-Contract Value,Name', 'Sorted by Contract Value, descending, then Name'],
  ])('is said in words: %s', async (query, words) => {
    const page = await mina.get(board(query));
    expect([page.status, chips(page)]).toEqual([200, [words]]);
    const link = page.html.querySelector('.filters .badge a');
    expect([link?.getAttribute('aria-label'), hrefOf(link)]).toEqual([`Remove filter: ${words}`, '/workflows/vendors']); // prettier-ignore
  });

  it('is said of linked tasks', async () => {
    expect(chips(await mina.get('/workflows/invoices?Vendor.Risk=High'))).toEqual(['Vendor’s Risk is High']);
  });
});

describe('filters', () => {
  it('of one click are Me, Nobody and Open only, and a second click takes them away', async () => {
    const quick = (page: Answer) =>
      page.html.querySelectorAll('.quick a').map((link) => [trimmed(link.text), hrefOf(link), link.getAttribute('aria-current')] as const); // prettier-ignore
    const page = await ines.get(board('_sort=Name'));
    expect(quick(page)).toEqual([
      ['Me', '/workflows/vendors?_sort=Name&Assigned+To=ines%40acme.test', undefined],
      ['Nobody', '/workflows/vendors?_sort=Name&Assigned+To=', undefined],
      ['Open only', '/workflows/vendors?_sort=Name&_active=true', undefined],
    ]);
    const mine = await ines.get(quick(page)[0]?.[1] ?? '');
    expect(quick(mine)[0]).toEqual(['Me', '/workflows/vendors?_sort=Name', 'true']);
    expect(chips(mine)).toEqual(['Sorted by Name']);
    const open = await mina.get(board('_active=true&Assigned To='));
    expect([textsOf(open, '.board-column .stage'), cards(open)]).toEqual([['New', 'In Review'], ['V-2', 'V-3', 'V-4', 'V-6']]); // prettier-ignore
    expect(rows(await mina.get('/workflows/vendors/list?_active=false'))).toEqual(['Harbour 5']);
  });

  it('of numbers and days are entered from and to, in the days of the workspace', async () => {
    const form = new URLSearchParams([
      ['others', 'Risk=High'],
      ['at', 'list'],
      ['Contract Value[gte]', '2000'],
      ['Contract Value[lte]', ''],
      ['Signed[gte]', '2026-01-01'],
      ['_due[gt]', '2026-03-30'],
      ['_due[lte]', '2026-03-31'],
    ]);
    const { headers } = await mina.get(`/workflows/vendors/filter?${form.toString()}`);
    const query = new URL(headers['location'] ?? '', service.url).searchParams;
    expect([...query]).toEqual([
      ['Risk', 'High'],
      ['Contract Value[gte]', '2000'],
      ['Signed[gte]', '2026-01-01'],
      ['_due[gt]', '2026-03-29T22:00:00.000Z'],
      ['_due[lte]', '2026-03-31T22:00:00.000Z'],
    ]);
    const page = await mina.get(headers['location'] ?? '');
    const valueOf = (name: string): string | undefined =>
      page.html.querySelectorAll('.filter-menu input, .filter-menu option[selected]').find((each) => [each.getAttribute('name'), each.parentNode?.getAttribute('name')].includes(name))?.getAttribute('value'); // prettier-ignore
    const shown = ['Contract Value[gte]', 'Signed[gte]', '_due[gt]', '_due[lte]', 'Risk'].map(valueOf);
    expect(shown).toEqual(['2000', '2026-01-01', '2026-03-30', '2026-03-31', 'High']);
  });

  it('that a form cannot show stay as they are', async () => {
    const page = await mina.get(board('Risk=High&Risk=Low&_due[gte]=2026-03-31T10:15:00Z&Owner='));
    const others = page.attributeOf('.filter-menu input[name=others]', 'value');
    expect([...new URLSearchParams(others.replaceAll('&amp;', '&')).keys()]).toEqual(['Risk', 'Risk', '_due[gte]', 'Owner']); // prettier-ignore
  });
});

describe('cards', () => {
  it('show the fields that the address names, and hide none of what they always show', async () => {
    const page = await mina.get(board('_fields=Contract Value&_fields=Risk&_fields=Invoices&Risk=High'));
    expect(textsOf(page, '.task-card').slice(0, 1)).toEqual([expect.stringMatching(/Harbour 1 ?Contract Value1,000.00RiskHigh ?V-1/)]); // prettier-ignore
    expect(chips(page)).toEqual(['Risk is High']);
    const wrong = await mina.get(board('_fields=Colour'));
    expect(wrong.status).toBe(422);
  });
});

describe('a list', () => {
  it('marks by a word what is overdue, whichever columns it shows, and not twice', async () => {
    await create({ 'Vendor ID': 'V-7', Name: 'Late', Signed: '2026-01-05' });
    await service.settle();
    const marked = (page: Answer): string[][] =>
      page.html.querySelectorAll('tbody tr').filter(({ text }) => text.includes('Overdue')).map((row) => row.querySelectorAll('td').map(({ text }) => trimmed(text))); // prettier-ignore
    const path = '/workflows/vendors/list?_sort=-Name&_fields=Risk';
    expect(marked(await mina.get(path))).toEqual([['Late Overdue', '']]);
    expect(textsOf(await mina.get(path), 'th')).toEqual(['Name ↓', 'Risk']);
    expect(marked(await mina.get(`${path}&_fields=_due`))).toEqual([['Late', '', expect.stringMatching(/^Overdue Jan 5/)]]); // prettier-ignore
    await api.delete('/api/v1/workflows/vendors/tasks/V-7');
  });
});

describe('the palette', () => {
  it('leads to views by their names, and says of which workflow they are', async () => {
    const options = async (browser: Browser, words: string): Promise<unknown[]> =>
      (await browser.get(`/palette?q=${encodeURIComponent(words)}`)).html.querySelectorAll('#palette a').map((option) => [trimmed(option.text), option.getAttribute('href')]); // prettier-ignore
    expect(await options(mina, 'risk')).toEqual([
      ['Risky and open View in Vendors', '/views/risky'],
      ['Owed by risky vendors View in Invoices', '/views/owed'],
    ]);
    expect(await options(ines, 'risk')).toEqual([['Risky and open View in Vendors', '/views/risky']]);
  });
});

describe('a shared view', () => {
  it('stands in the side bar of who knows of its workflow, and shows nobody more than they may see', async () => {
    const shown = await follow(mina, await mina.get('/views/risky'));
    expect([rows(shown), textsOf(shown, 'th')]).toEqual([['Harbour 1', 'Harbour 3'], ['Name', 'Stage', 'Contract Value']]); // prettier-ignore
    expect(rows(await follow(ines, await ines.get('/views/risky')))).toEqual(['Harbour 1']);
    const statuses = await Promise.all(['/views/owed', '/views/none'].map((path) => ines.get(path)));
    expect(statuses.map(({ status }) => status)).toEqual([404, 404]);
    const places = ({ html }: Answer): (string | undefined)[] =>
      html.querySelectorAll('.place[href^="/views/"]').map((place) => place.getAttribute('href'));
    expect([places(shown), places(await ines.get('/'))]).toEqual([['/views/risky', '/views/old', '/views/owed'], ['/views/risky', '/views/old']]); // prettier-ignore
  });

  it('whose query no longer fits says so, and shows what it can', async () => {
    const shown = await follow(mina, await mina.get('/views/old'));
    expect([shown.status, rows(shown), textsOf(shown, 'th')]).toEqual([200, ['Harbour 1', 'Harbour 3', 'Harbour 5'], ['Name', 'Risk']]); // prettier-ignore
    expect(textsOf(shown, '.notice')[0]).toContain('Region is not a field of this workflow');
    const typed = await mina.get('/workflows/vendors/list?Risk=High&Region=EMEA');
    expect([typed.status, rows(typed)]).toEqual([422, []]);
  });
});
