import { everyType, workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import { idsOf, listOf, type Query, refusalOf, service, tasks, textOf, uniqueId } from './lists.js';

const vendors = '/api/v1/workflows/vendors/tasks';
const invoices = '/api/v1/workflows/invoices/tasks';
const billing = `
workspace: { id: billing, name: Acme }
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: Vendor ID, type: uniqueId, required: true }
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
`;

describe('4.1 filters', () => {
  describe('that join others, and by fields of linked tasks', () => {
    let api: Client;

    beforeAll(async () => {
      api = await service.clientOf(billing);
      const risks = [['V-1', 'High', 5], ['V-2', 'Low', 50], ['V-3', null, null]]; // prettier-ignore
      for (const [id, Risk, Worth] of risks)
        await api.post(vendors, { 'Vendor ID': id, Risk, Worth }).expect(201);
      const bills = [['1', 'V-1', 10], ['2', 'V-2', 20], ['3', 'V-1', 30], ['4', null, 40], ['5', 'V-3', 50]]; // prettier-ignore
      for (const [ID, vendor, Amount] of bills) {
        const Vendor = vendor && { 'Vendor ID': vendor };
        await api.post(invoices, { ID, Amount, 'a.b': ID, Vendor }).expect(201);
      }
    });

    async function found(path: string, query: Query): Promise<string[]> {
      const { body } = await api.get(`${path}?${textOf(query)}`).expect(200);
      return (body as Record<string, string>[]).map((task) => task['ID'] ?? task['Vendor ID'] ?? '');
    }

    it.each<[Query, string[]]>([
      [{ _any: 'Amount=10&ID=4' }, ['1', '4']],
      [{ _any: 'Amount[gte]=40&ID=2', 'Amount[lt]': '50' }, ['2', '4']],
      [{ _any: ['ID=1&ID=2', 'Amount=20&Amount=30'] }, ['2']],
      [{ 'Vendor.Risk': ['High', 'Low'] }, ['1', '2', '3']],
      [{ 'Vendor.Risk[gt]': 'Low' }, ['1', '3']],
      [{ 'Vendor.Worth[lt]': '10' }, ['1', '3']],
      [{ 'Vendor.Risk': '' }, ['5']],
      [{ 'Vendor.Risk[ne]': 'High' }, ['2', '4', '5']],
      [{ _any: 'Vendor.Risk=Low&ID=4' }, ['2', '4']],
      [{ 'Vendor.Risk': 'High', _sort: '-Amount' }, ['3', '1']],
      [{ 'Vendor.Risk': 'High', _sort: '-_created', _limit: '1' }, ['3']],
    ])('of invoices: %j', async (query, ids) => {
      expect(await found(invoices, query)).toEqual(ids);
    });

    it.each<[Query, string[]]>([
      [{ _any: 'Risk=High&Risk=' }, ['V-1', 'V-3']],
      [{ 'Invoices.Amount[ne]': '10' }, ['V-2', 'V-3']],
      [{ 'Invoices.Amount[gt]': '25' }, ['V-1', 'V-3']],
      [{ 'Invoices.a.b': '2' }, ['V-2']],
    ])('of vendors, of whose many linked tasks any counts: %j', async (query, ids) => {
      expect(await found(vendors, query)).toEqual(ids);
    });

    it('count, and lead through pages', async () => {
      const first = await api.get(`${invoices}?Vendor.Risk=High&_limit=1&_count=true`).expect(200);
      expect([first.headers['x-total-count'], first.body]).toMatchObject(['2', [{ ID: '1' }]]);
      const [, next = ''] = /<(.*)>/.exec(first.headers['link'] ?? '') ?? [];
      const { pathname, search } = new URL(next);
      expect((await api.get(pathname + search).expect(200)).body).toMatchObject([{ ID: '3' }]);
    });

    it.each<[Query, object]>([
      [{ _any: ['ID=1', 'ID=2', 'ID=3'] }, { _any: ['is given more than 2 times'] }],
      [{ _any: 'id=1' }, { _any: ['id is not a field of this workflow; did you mean ID?'] }],
      [{ _Any: 'ID=1' }, { _Any: ['is not a field of this workflow; did you mean _any?'] }],
      [
        { 'Vendor.Rsik': 'High' },
        { 'Vendor.Rsik': ['is not a field of the tasks linked there; did you mean Vendor.Risk?'] },
      ],
      [{ 'Nobody.Risk': 'High' }, { 'Nobody.Risk': ['is not a field of this workflow'] }],
      [{ 'Vendor.Invoices': '1' }, { 'Vendor.Invoices': ['is not a field of the tasks linked there'] }],
      [
        { 'Vendor.Risk': 'High', 'Vendor.Worth': '5', _any: 'Vendor.Stage=New' },
        { base: ['has more than 2 filters by fields of linked tasks'] },
      ],
    ])('%j is 422', async (query, errors) => {
      expect((await api.get(`${invoices}?${textOf(query)}`).expect(422)).body).toEqual({ errors });
    });

    it('_fields=_version is the ETag of each task, for conditional deletes', async () => {
      const { body } = await api.get(`${invoices}?ID=1&ID=4&_fields=ID,_version`).expect(200);
      const rows = body as { ID: string; _version: string }[];
      for (const { ID, _version } of rows)
        expect((await api.get(`${invoices}/${ID}`)).headers['etag']).toBe(_version);
      await api.put(invoices, { ID: '4', Amount: 41 }).expect(200);
      await api.delete(`${invoices}/4`).set('If-Match', rows[1]?._version ?? '').expect(412); // prettier-ignore
      await api.get(`${invoices}?_sort=_version`).expect(422);
    });
  });

  describe('by `_created` and `_updated`', () => {
    let timed: Client;

    beforeAll(async () => {
      timed = await service.clientOf(workflowOf([uniqueId, 'name: Text, type: text'], 'timed'));
      for (const ID of ['a', 'b', 'c']) await timed.post(tasks, { ID }).expect(201);
      // Three tasks of successive milliseconds.
      await service.dataSource.query(
        `UPDATE tasks SET created_at = '2026-01-01T00:00:00.000Z'::timestamptz + (ascii(unique_value) - 97) * interval '1 ms',
           updated_at = '2026-01-02T00:00:00.000Z'::timestamptz + (ascii(unique_value) - 97) * interval '1 ms'
         FROM workspaces w WHERE w.id = workspace_id AND w.slug = 'timed'`,
      );
    });

    it.each([
      ['[ne]', '001Z', ['a', 'c']],
      ['[gt]', '001Z', ['c']],
      ['[lt]', '001Z', ['a']],
    ])('to the millisecond: %s=….%s', async (operator, fraction, ids) => {
      expect(await idsOf(timed, { [`_created${operator}`]: `2026-01-01T00:00:00.${fraction}` })).toEqual(ids);
      expect(await idsOf(timed, { [`_updated${operator}`]: `2026-01-02T00:00:00.${fraction}` })).toEqual(ids);
    });

    it('in any spelling, several times, and as a range', async () => {
      expect(await idsOf(timed, { _created: '2026-01-01T05:30:00.002+05:30' })).toEqual(['c']);
      const both = ['2026-01-01T00:00:00.002Z', '2026-01-01T00:00:00Z'];
      expect(await idsOf(timed, { _created: both })).toEqual(['a', 'c']);
      expect(await idsOf(timed, { '_created[ne]': both })).toEqual(['b']);
      const range = { '_updated[gt]': '2026-01-02T00:00:00Z', '_updated[lt]': '2026-01-02T00:00:00.002Z' };
      expect(await idsOf(timed, range)).toEqual(['b']);
    });

    it('`_updated` moves with a change, not with a write that changes nothing; what a list shows finds the task', async () => {
      const before = { '_updated[gt]': '2026-01-02T00:00:00.002Z', ID: 'a' };
      await timed.put(tasks, { ID: 'a', Text: null }).expect(200);
      expect(await idsOf(timed, before)).toEqual([]);
      await timed.put(tasks, { ID: 'a', Text: 'x' }).expect(200);
      expect(await idsOf(timed, before)).toEqual(['a']);
      expect(await idsOf(timed, { _created: '2026-01-01T00:00:00Z' })).toEqual(['a']);
      const [shown] = await listOf(timed, { ID: 'a', _fields: '_updated' });
      expect(await idsOf(timed, { _updated: String(shown?.['_updated']) })).toEqual(['a']);
    });

    it('a text that is no instant, or is finer than a millisecond, is 422', async () => {
      const malformed = ['is not a date and time in RFC 3339 format with an offset'];
      const query = {
        _created: '',
        '_created[gt]': '2026-01-01',
        '_updated[ne]': '2026-01-01T00:00:00.0001Z',
      };
      expect(await refusalOf(timed, query)).toEqual({
        _created: malformed,
        '_created[gt]': malformed,
        '_updated[ne]': ['is finer than a millisecond'],
      });
    });
  });

  describe('an unknown name, or a value that the type refuses: 422 on that name', () => {
    let api: Client;

    beforeAll(async () => {
      api = await service.clientOf(everyType);
    });

    it.each(['Nope', 'text', 'Nope[gt]', 'Text[gt', '__proto__', '__proto__[ne]', 'constructor', 'then', 'base', '_nope', '_limit[gt]', 'id', 'workspace_id', "field_values->>'x'", '']) // prettier-ignore
    ('%j is not a field', async (name) => {
      const { text } = await api.get(`${tasks}?${textOf({ [name]: '1' })}`).expect(422);
      const said = text.replace(/; did you mean \w+\?/, '');
      expect(said).toBe(`{"errors":{${JSON.stringify(name)}:["is not a field of this workflow"]}}`);
    });

    it.each([
      ['Text', 'a\nb', 'contains a control character'],
      ['Assigned To[ne]', 'nobody@acme.test', 'is not a user of this workspace'],
      ['Tier', 'gold', 'is not one of: Gold, Silver'],
      ['Regions', 'EMEA,AMER', 'is not one of: EMEA, AMER, APAC'],
      ['Open?', 'yes', 'is not a boolean'],
      ['ID', ' a', 'begins or ends with white space'],
      ['Stage', 'new', 'is not a stage of this workflow; it has: New, In Review, Done'],
    ])('%s=%.30s', async (parameter, value, message) => {
      expect(await refusalOf(api, { [parameter]: value })).toEqual({ [parameter]: [message] });
    });

    it('all faults stand in one answer, and of a repeated parameter one value is enough', async () => {
      const sent = {
        Nope: '1',
        Number: ['1', 'ten'],
        Text: 'fine',
        'Tier[like]': 'G',
        Contract: 'x',
        'Parts[ne]': '',
        'Task URL': 'x',
        'Regions[lt]': 'EMEA',
        _created: 'now',
        _limit: '0',
        _after: 'x',
        _sort: 'Contract',
        _fields: 'Nope',
        _count: 'maybe',
      };
      expect(await refusalOf(api, sent)).toEqual({
        Nope: ['is not a field of this workflow'],
        Number: ['is not a number'],
        'Tier[like]': ['has no operator like, only ne, gt, gte, lt, lte, contains'],
        Contract: ['cannot be filtered'],
        'Parts[ne]': ['cannot be filtered'],
        'Task URL': ['cannot be filtered'],
        'Regions[lt]': ['cannot be compared by lt'],
        _created: ['is not a date and time in RFC 3339 format with an offset'],
        _limit: ['is not a whole number from 1 to 1000'],
        _sort: ['cannot be Contract: relationships, files and Task URL are not sortable'],
        _fields: ['contains a name that is not a field of this workflow: Nope'],
        _count: ['is not true or false'],
      });
    });
  });
});
