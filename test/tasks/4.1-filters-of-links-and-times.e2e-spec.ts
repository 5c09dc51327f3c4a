import { everyType, workflowOf } from '../support/definitions.js';
import { walk } from '../support/pages.js';
import { idsOf, listOf, type Query, refusalOf, service, tasks, textOf, uniqueId } from './lists.js';

const vendors = '/api/v1/workflows/vendors/tasks';
const invoices = '/api/v1/workflows/invoices/tasks';
const api = await service.clientOf(everyType);
const billing = await service.clientOf(`
workspace: { id: billing, name: Acme }
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, Medium, High] }
      - { name: Worth, type: number }
  - id: invoices
    name: Invoices
    stages: [{ name: Open }, { name: Paid, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Amount, type: number }
      - { name: a.b, type: text }
relationships:
  - { id: bills, kind: one_to_many, from: { workflow: vendors, name: Invoices }, to: { workflow: invoices, name: Vendor } }
`);
for (const vendor of [
  { ID: 'V-1', Risk: 'High', Worth: 5 },
  { ID: 'V-2', Risk: 'Low', Worth: 50 },
  { ID: 'V-3' },
])
  await billing.post(vendors, vendor).expect(201);
for (const [at, vendor] of ['V-1', 'V-2', 'V-1', null, 'V-3'].entries()) {
  const ID = `${at + 1}`;
  const Vendor = vendor && { ID: vendor };
  await billing.post(invoices, { ID, Amount: 10 * (at + 1), 'a.b': ID, Vendor }).expect(201);
}

describe('4.1 filters that combine others, and filters by fields of linked tasks', () => {
  it.each<[string, Query, string[]]>([
    [invoices, { _any: 'Amount=10&ID=4' }, ['1', '4']],
    [invoices, { _any: 'Amount[gte]=40&ID=2', 'Amount[lt]': '50' }, ['2', '4']],
    [invoices, { _any: ['ID=1&ID=2', 'Amount=20&Amount=30'] }, ['2']],
    [invoices, { 'Vendor.Risk': ['High', 'Low'] }, ['1', '2', '3']],
    [invoices, { 'Vendor.Risk[gt]': 'Low' }, ['1', '3']],
    [invoices, { 'Vendor.Worth[lt]': '10' }, ['1', '3']],
    [invoices, { 'Vendor.Risk': '' }, ['5']],
    [invoices, { 'Vendor.Risk[ne]': 'High' }, ['2', '4', '5']],
    [invoices, { _any: 'Vendor.Risk=Low&ID=4' }, ['2', '4']],
    [invoices, { 'Vendor.Risk': 'High', _sort: '-Amount' }, ['3', '1']],
    [invoices, { 'Vendor.Risk': 'High', _sort: '-_created', _limit: '1' }, ['3']],
    // Of many linked tasks any counts.
    [vendors, { _any: 'Risk=High&Risk=' }, ['V-1', 'V-3']],
    [vendors, { 'Invoices.Amount[ne]': '10' }, ['V-2', 'V-3']],
    [vendors, { 'Invoices.Amount[gt]': '25' }, ['V-1', 'V-3']],
    [vendors, { 'Invoices.a.b': '2' }, ['V-2']],
  ])('%s %j', async (path, query, ids) => {
    const found = await billing.read<{ ID: string }[]>(`${path}?${textOf(query)}`);
    expect(found.map(({ ID }) => ID)).toEqual(ids);
  });

  it('count, and lead through pages', async () => {
    const path = `${invoices}?Vendor.Risk=High&_limit=1&_count=true`;
    await billing.get(path).expect('X-Total-Count', '2');
    expect(await walk(billing, path)).toMatchObject([[{ ID: '1' }], [{ ID: '3' }]]);
  });

  const isNoField = 'is not a field of this workflow';
  const isNoLinkedField = 'is not a field of the linked tasks';
  const tooMany = 'has more than 2 filters by fields of linked tasks';
  it.each<[Query, string, string]>([
    [{ _any: ['ID=1', 'ID=2', 'ID=3'] }, '_any', 'is given more than 2 times'],
    [{ _any: 'id=1' }, '_any', `id ${isNoField}; did you mean ID?`],
    [{ _Any: 'ID=1' }, '_Any', `${isNoField}; did you mean _any?`],
    [{ 'Vendor.Rsik': 'High' }, 'Vendor.Rsik', `${isNoLinkedField}; did you mean Vendor.Risk?`],
    [{ 'Nobody.Risk': 'High' }, 'Nobody.Risk', isNoField],
    [{ 'Vendor.Invoices': '1' }, 'Vendor.Invoices', isNoLinkedField],
    [{ 'Vendor.Risk': '', 'Vendor.Worth': '5', _any: 'Vendor.Stage=New' }, 'base', tooMany],
  ])('%j is 422', async (query, name, message) => {
    await billing.get(`${invoices}?${textOf(query)}`).expect(422, { errors: { [name]: [message] } });
  });

  it('_fields=_version is the ETag of each task, for conditional deletes', async () => {
    const rows = await billing.read<{ ID: string; _version: string }[]>(
      `${invoices}?ID=1&ID=4&_fields=ID,_version`,
    );
    for (const { ID, _version } of rows)
      expect((await billing.get(`${invoices}/${ID}`)).headers['etag']).toBe(_version);
    await billing.put(invoices, { ID: '4', Amount: 41 }).expect(200);
    await billing.delete(`${invoices}/4`).set('If-Match', rows[1]?._version ?? '').expect(412); // prettier-ignore
    await billing.get(`${invoices}?_sort=_version`).expect(422);
  });
});

describe('4.1 filters by `_created` and `_updated`', () => {
  it('are exact to the millisecond, in any spelling; only a change moves `_updated`', async () => {
    const timed = await service.clientOf(workflowOf([uniqueId, 'name: Text, type: text'], 'timed'));
    for (const ID of ['a', 'b', 'c']) await timed.post(tasks, { ID }).expect(201);
    // Three tasks of successive milliseconds.
    await service.dataSource.query(
      `UPDATE tasks SET created_at = '2026-01-01T00:00:00.000Z'::timestamptz + (ascii(unique_value) - 97) * interval '1 ms',
         updated_at = '2026-01-02T00:00:00.000Z'::timestamptz + (ascii(unique_value) - 97) * interval '1 ms'
       FROM workspaces w WHERE w.id = workspace_id AND w.slug = 'timed'`,
    );
    const both = ['2026-01-01T00:00:00.002Z', '2026-01-01T00:00:00Z'];
    const updated = (ms: string): string => `2026-01-02T00:00:00.${ms}Z`;
    const cases: [Query, string[]][] = [
      [{ '_created[ne]': '2026-01-01T00:00:00.001Z' }, ['a', 'c']],
      [{ '_created[gt]': '2026-01-01T00:00:00.001Z' }, ['c']],
      [{ '_updated[ne]': updated('001') }, ['a', 'c']],
      [{ '_updated[lt]': updated('001') }, ['a']],
      [{ '_updated[gt]': updated('000'), '_updated[lt]': updated('002') }, ['b']],
      [{ _created: '2026-01-01T05:30:00.002+05:30' }, ['c']],
      [{ _created: both }, ['a', 'c']],
      [{ '_created[ne]': both }, ['b']],
    ];
    for (const [query, ids] of cases) expect([query, await idsOf(timed, query)]).toEqual([query, ids]);

    const changed = { '_updated[gt]': updated('002'), ID: 'a' };
    await timed.put(tasks, { ID: 'a', Text: null }).expect(200);
    expect(await idsOf(timed, changed)).toEqual([]);
    await timed.put(tasks, { ID: 'a', Text: 'x' }).expect(200);
    expect(await idsOf(timed, changed)).toEqual(['a']);
    // What a list shows finds the task.
    const [shown] = await listOf(timed, { ID: 'a', _fields: '_updated' });
    expect(await idsOf(timed, { _updated: String(shown?.['_updated']) })).toEqual(['a']);
  });
});

describe('4.1 an unknown name, or a value that the type refuses: 422 on that name', () => {
  it.each(['Nope', 'text', 'Nope[gt]', 'Text[gt', '__proto__', '__proto__[ne]', 'constructor', 'then', 'base', '_nope', '_limit[gt]', 'id', 'workspace_id', "field_values->>'x'", '']) // prettier-ignore
  ('%j is not a field', async (name) => {
    const { text } = await api.get(`${tasks}?${textOf({ [name]: '1' })}`).expect(422);
    const said = text.replace(/; did you mean \w+\?/, '');
    expect(said).toBe(`{"errors":{${JSON.stringify(name)}:["is not a field of this workflow"]}}`);
  });

  it('all faults are in one answer, and one value of a repeated parameter is enough', async () => {
    const isNoInstant = 'is not a date and time in RFC 3339 format with an offset';
    const refused: [string, string | string[], string][] = [
      ['Nope', '1', 'is not a field of this workflow'],
      ['Number', ['1', 'ten'], 'is not a number such as 1234.56'],
      ['Text', 'a\nb', 'contains a control character'],
      ['_created[gte]', '2027-01-05T10:00:00 01:00', `${isNoInstant}; write + as %2B`],
      ['Tier[like]', 'G', 'has no operator like, only ne, gt, gte, lt, lte, contains'],
      ['Regions', 'EMEA,AMER', 'is not one of: EMEA, AMER, APAC'],
      ['Open?', 'yes', 'is neither true nor false'],
      ['ID', ' a', 'begins or ends with white space'],
      ['Stage', '', 'is not a stage of this workflow; it has: New, In Review, Done'],
      ['Stage', 'new', 'is not a stage of this workflow: new; it has: New, In Review, Done'],
      ['Assigned To[ne]', 'nobody@acme.test', 'is not a user of this workspace'],
      ['Contract', 'x', 'cannot be filtered'],
      ['Parts[ne]', '', 'cannot be filtered'],
      ['Task URL', 'x', 'cannot be filtered'],
      ['_created', '', isNoInstant],
      ['_created[gt]', '2026-01-01', isNoInstant],
      [
        '_updated[ne]',
        '2026-01-01T00:00:00.0001Z',
        'is finer than a millisecond: 3 digits may follow the second',
      ],
      ['_limit', '0', 'is not a whole number from 1 to 1000'],
    ];
    const query = Object.fromEntries(refused.map(([name, value]) => [name, value]));
    const errors = Object.fromEntries(refused.map(([name, , message]) => [name, [message]]));
    expect(await refusalOf(api, { ...query, 'Long Text': 'fine', _after: 'x' })).toEqual(errors);
  });
});
