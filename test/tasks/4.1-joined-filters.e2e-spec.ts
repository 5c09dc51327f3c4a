import { type Client, startService, type TestService } from '../support/service.js';

const vendors = '/api/v1/workflows/vendors/tasks';
const invoices = '/api/v1/workflows/invoices/tasks';
const yaml = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
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

describe('4.1 filters that join others', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService();
    await service.apply(yaml);
    api = service.client(await service.key('acme'));
    for (const [id, risk, worth] of [
      ['V-1', 'High', 5],
      ['V-2', 'Low', 50],
      ['V-3', null, null],
    ] as const)
      // prettier-ignore
      await api.post(vendors, { 'Vendor ID': id, Risk: risk, Worth: worth }).expect(201);
    for (const [id, vendor, amount] of [['1', 'V-1', 10], ['2', 'V-2', 20], ['3', 'V-1', 30], ['4', null, 40], ['5', 'V-3', 50]] as const) // prettier-ignore
      await api.post(invoices, { ID: id, Amount: amount, 'a.b': id, Vendor: vendor && { 'Vendor ID': vendor } }).expect(201); // prettier-ignore
  });
  afterAll(() => service.stop());

  type Query = Readonly<Record<string, string | readonly string[]>>;

  const textOf = (query: Query): string =>
    new URLSearchParams(
      Object.entries(query).flatMap(([name, all]) =>
        [all].flat().map((value): [string, string] => [name, value]),
      ),
    ).toString();

  async function idsOf(path: string, query: Query): Promise<string[]> {
    const { body } = await api.get(`${path}?${textOf(query)}`).expect(200);
    return (body as Record<string, string>[]).map((task) => task['ID'] ?? task['Vendor ID'] ?? '');
  }

  describe('_any', () => {
    it('is true of a task of which any of its filters is, and combines with the others', async () => {
      expect(await idsOf(invoices, { _any: 'Amount=10&ID=4' })).toEqual(['1', '4']);
      expect(await idsOf(invoices, { _any: 'Amount[gte]=40&ID=2', 'Amount[lt]': '50' })).toEqual(['2', '4']);
      expect(await idsOf(vendors, { _any: 'Risk=High&Risk=' })).toEqual(['V-1', 'V-3']);
    });

    it('may be given twice: both hold', async () => {
      expect(await idsOf(invoices, { _any: ['ID=1&ID=2', 'Amount=20&Amount=30'] })).toEqual(['2']);
    });

    it.each([
      [{ _any: ['ID=1', 'ID=2', 'ID=3'] }, { _any: ['is given more than 2 times'] }],
      [{ _any: '' }, { _any: ['needs a filter'] }],
      [{ _any: 'id=1' }, { _any: ['id is not a field of this workflow; did you mean ID?'] }],
      [{ _any: 'Amount=x' }, { _any: ['Amount is not a number'] }],
      [{ _Any: 'ID=1' }, { _Any: ['is not a field of this workflow; did you mean _any?'] }],
    ])('%j is 422', async (query, errors) => {
      const { body } = await api.get(`${invoices}?${textOf(query as Query)}`).expect(422);
      expect(body).toEqual({ errors });
    });
  });

  describe('a field of a linked task', () => {
    it('of a single-valued side', async () => {
      expect(await idsOf(invoices, { 'Vendor.Risk': 'High' })).toEqual(['1', '3']);
      expect(await idsOf(invoices, { 'Vendor.Risk': ['High', 'Low'] })).toEqual(['1', '2', '3']);
      expect(await idsOf(invoices, { 'Vendor.Risk[gt]': 'Low' })).toEqual(['1', '3']);
      expect(await idsOf(invoices, { 'Vendor.Worth[lt]': '10' })).toEqual(['1', '3']);
      expect(await idsOf(invoices, { 'Vendor.Vendor ID': 'V-2' })).toEqual(['2']);
      expect(await idsOf(invoices, { 'Vendor.Stage': 'Done' })).toEqual([]);
      expect(await idsOf(invoices, { 'Vendor.Risk': '' })).toEqual(['5']);
    });

    it('[ne] is true where no linked task has the value', async () => {
      expect(await idsOf(invoices, { 'Vendor.Risk[ne]': 'High' })).toEqual(['2', '4', '5']);
      expect(await idsOf(vendors, { 'Invoices.Amount[ne]': '10' })).toEqual(['V-2', 'V-3']);
    });

    it('of many it is any of them', async () => {
      expect(await idsOf(vendors, { 'Invoices.Amount[gt]': '25' })).toEqual(['V-1', 'V-3']);
      expect(await idsOf(vendors, { 'Invoices.a.b': '2' })).toEqual(['V-2']);
    });

    it('combines with others, in _any too, with sorts, counts and pages', async () => {
      expect(await idsOf(invoices, { 'Vendor.Risk': 'High', Amount: '30' })).toEqual(['3']);
      expect(await idsOf(invoices, { _any: 'Vendor.Risk=Low&ID=4' })).toEqual(['2', '4']);
      expect(await idsOf(invoices, { 'Vendor.Risk': 'High', _sort: '-Amount' })).toEqual(['3', '1']);
      const first = await api.get(`${invoices}?Vendor.Risk=High&_limit=1&_count=true`).expect(200);
      expect([first.headers['x-total-count'], first.body]).toMatchObject(['2', [{ ID: '1' }]]);
      const [, next = ''] = /<(.*)>/.exec(first.headers['link'] ?? '') ?? [];
      const { pathname, search } = new URL(next);
      expect((await api.get(pathname + search).expect(200)).body).toMatchObject([{ ID: '3' }]);
    });

    it.each([
      [
        'Vendor.Rsik=High',
        { 'Vendor.Rsik': ['is not a field of the tasks linked there; did you mean Vendor.Risk?'] },
      ],
      ['Vendor.Risk=Huge', { 'Vendor.Risk': ['is not one of: Low, Medium, High'] }],
      ['Nobody.Risk=High', { 'Nobody.Risk': ['is not a field of this workflow'] }],
      ['Vendor.Invoices=1', { 'Vendor.Invoices': ['is not a field of the tasks linked there'] }],
      [
        'Vendor.Risk=High&Vendor.Worth=5&_any=Vendor.Stage%3DNew',
        { base: ['has more than 2 filters by fields of linked tasks'] },
      ],
    ])('%s is 422', async (query, errors) => {
      expect((await api.get(`${invoices}?${query}`).expect(422)).body).toEqual({ errors });
    });

    it('finds the few among many by an index, page by page in the order of creation', async () => {
      await service.dataSource.query(`
        INSERT INTO tasks (workspace_id, workflow_id, unique_value, public_id, stage_id, is_active, field_values)
        SELECT t.workspace_id, t.workflow_id, 'many-' || n, 'many-' || n, t.stage_id, true, '{}'
        FROM tasks t, generate_series(1, 12000) n WHERE t.unique_value = '4'`);
      await api.post(invoices, { ID: 'late', Vendor: { 'Vendor ID': 'V-1' } }).expect(201);
      expect(await idsOf(invoices, { 'Vendor.Risk': 'High', _limit: '10' })).toEqual(['1', '3', 'late']);
      expect(await idsOf(invoices, { 'Vendor.Risk': 'High', _sort: '-_created', _limit: '2' })).toEqual(['late', '3']); // prettier-ignore
      await api.delete(`${invoices}?Vendor.Risk=High&ID=late&_expect=1`).expect(200);
    });
  });

  it('_fields=_version is the ETag of each task, for conditional deletes', async () => {
    const { body } = await api.get(`${invoices}?ID=1&ID=4&_fields=ID,_version`).expect(200);
    const rows = body as { ID: string; _version: string }[];
    for (const { ID, _version } of rows)
      expect((await api.get(`${invoices}/${ID}`)).headers['etag']).toBe(_version);
    const tag = rows[1]?._version ?? '';
    await api.put(invoices, { ID: '4', Amount: 41 }).expect(200);
    await api.delete(`${invoices}/4`).set('If-Match', tag).expect(412);
    const { body: now } = await api.get(`${invoices}?ID=4&_fields=_version`).expect(200);
    const [{ _version }] = now as [{ _version: string }];
    await api.delete(`${invoices}/4`).set('If-Match', _version).expect(204);
    await api.get(`${invoices}?_sort=_version`).expect(422);
  });
});
