import { type Client } from '../support/service.js';
import {
  api,
  close,
  companies,
  endNamed,
  get,
  held,
  invoices,
  make,
  makeSeveral,
  multipleEnds,
  type Named,
  nextOf,
  open,
  people,
  put,
  reference,
  service,
  shownLinked,
  singleEnds,
  type Task,
  valueOf,
  yaml,
} from './linking.js';

describe('4.2 linked tasks', () => {
  beforeAll(open);
  afterAll(close);

  describe('2.3 a relationship appears in each task as a key named after the relationship', () => {
    it.each(multipleEnds.slice(0, 4))(
      '$title: an array of linked task objects, empty when none',
      async (end) => {
        const task = await make(end.workflow);
        expect((await get(task)).body).toHaveProperty([end.name], []);
        const [one, two] = (await makeSeveral(end.other, 2)) as [Named, Named];
        const answer = await put(task, { [end.name]: valueOf(end, [one, two]) }).expect(200);
        expect(answer.body).toHaveProperty([end.name], await shownLinked(one, two));
        expect((await get(task)).text).toBe(answer.text);
      },
    );

    it.each(singleEnds.slice(0, 4))('$title: a single linked task object, or null when none', async (end) => {
      const task = await make(end.workflow);
      expect((await get(task)).body).toHaveProperty([end.name], null);
      const one = await make(end.other);
      const answer = await put(task, { [end.name]: reference(one) }).expect(200);
      expect(answer.body).toHaveProperty([end.name], (await shownLinked(one))[0]);
      expect((await get(task)).text).toBe(answer.text);
    });

    it('relationships stand behind the fields, in the order of their definition, in every answer', async () => {
      const fields = ['Stage', 'Assigned To', 'Task URL', 'No', 'Nick'];
      const links = ['CEO of', 'Seats', 'Employers', 'Next', 'Previous', 'Reports', 'Boss', 'Likes', 'Liked by']; // prettier-ignore
      const task = await make('people');
      const other = await make('people');
      for (const { text } of [await get(task), await put(task, { Likes: [reference(other)] })])
        expect(Object.keys(JSON.parse(text) as object)).toEqual([...fields, ...links]);
      const { body } = await get(task);
      expect(Object.keys((body as { Likes: object[] }).Likes[0] ?? {})).toEqual(fields);
    });

    it('linked tasks carry Stage, Assigned To, Task URL and all their fields, blank ones too, and never relationship keys', async () => {
      const full = {
        'Invoice ID': 'full',
        Stage: 'Paid',
        'Assigned To': 'mina@acme.test',
        Amount: 10,
        'Paid?': true,
        Tags: ['Split', 'Late'],
        Scan: [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'YQ==' }],
      };
      const { body: first } = (await api.post(invoices, full).expect(201)) as { body: Task };
      const { body: second } = (await api.post(invoices, { 'Invoice ID': 'blank' }).expect(201)) as { body: Task }; // prettier-ignore
      const company = await make('companies', {
        Invoices: [{ 'Invoice ID': 'blank' }, { 'Invoice ID': 'full' }],
      });
      const { text, body } = await get(company);
      const linked = [
        {
          Stage: 'Paid',
          'Assigned To': 'mina@acme.test',
          'Task URL': first['Task URL'],
          'Invoice ID': 'full',
          Amount: '10.00',
          'Paid?': true,
          Tags: ['Late', 'Split'],
          Scan: [{ blobId: expect.stringMatching(/^[\w-]{27}$/) as unknown, contentType: 'text/plain', filename: 'a.txt' }], // prettier-ignore
        },
        {
          Stage: 'Open',
          'Assigned To': null,
          'Task URL': second['Task URL'],
          'Invoice ID': 'blank',
          Amount: null,
          'Paid?': false,
          Tags: [],
          Scan: [],
        },
      ];
      expect((body as Task)['Invoices']).toEqual(linked);
      expect(text).toContain(
        `"Invoices":[{"Stage":"Paid","Assigned To":"mina@acme.test","Task URL":"${String(first['Task URL'])}"`,
      );
      expect(((await get(['invoices', 'full'])).body as Task)['Company']).toEqual({
        Stage: 'Open',
        'Assigned To': null,
        'Task URL': (body as Task)['Task URL'],
        'Company ID': company[1],
        Name: null,
        Founded: null,
      });
    });

    it('they stand in the order of their creation, however they were linked', async () => {
      const task = await make('people');
      const some = await makeSeveral('people', 5);
      const order = some.map(([, id]) => id);
      const end = endNamed('people', 'Likes');
      await put(task, { Likes: some.toReversed().map(reference) }).expect(200);
      expect(await held(task, end)).toEqual(order);
      await put(task, { Likes: [some[3], some[4]].flatMap((one) => (one ? [reference(one)] : [])) });
      await put(task, { Likes: some.map(reference) }).expect(200);
      expect(await held(task, end)).toEqual(order);
    });
  });

  describe('every endpoint shows them', () => {
    let shown: Task;
    let alone: Task;
    let only: Client;

    beforeAll(async () => {
      await service.apply(yaml.replace('{ id: acme, name: Acme }', '{ id: lists, name: Lists }'));
      only = service.client(await service.key('lists'));
      for (const id of ['I1', 'I2']) await only.post(invoices, { 'Invoice ID': id, Amount: 1 }).expect(201);
      await only.post(people, { No: 5 }).expect(201);
      const links = { Invoices: [{ 'Invoice ID': 'I2' }, { 'Invoice ID': 'I1' }], CEO: { No: 5 }, Staff: [{ No: 5 }] }; // prettier-ignore
      shown = (await only.post(companies, { 'Company ID': 'C1', Name: 'a', ...links }).expect(201)).body as Task; // prettier-ignore
      alone = (await only.post(companies, { 'Company ID': 'C2', Name: 'b' }).expect(201)).body as Task;
      const ids = (shown['Invoices'] as Task[]).map((invoice) => invoice['Invoice ID']);
      expect([ids, (shown['CEO'] as Task)['No'], shown['Seat']]).toEqual([['I1', 'I2'], '5', null]);
    });

    it('GET, PUT and POST of a task', async () => {
      expect((await only.get(`${companies}/C1`)).body).toEqual(shown);
      expect((await only.put(companies, { 'Company ID': 'C1' }).expect(200)).body).toEqual(shown);
      expect((await only.post(companies, { 'Company ID': 'C1', Name: 'a' }).expect(200)).body).toEqual(shown);
    });

    it.each([
      ['', ['C1', 'C2']],
      ['/active?_limit=1', ['C1']],
      ['?_sort=-Name&_limit=5', ['C2', 'C1']],
      ['?Company%20ID=C1&_sort=Name', ['C1']],
    ])('list %j', async (query, ids) => {
      const expected = ids.map((id) => (id === 'C1' ? shown : alone));
      expect((await only.get(companies + query).expect(200)).body).toEqual(expected);
    });

    it('every page behind a cursor', async () => {
      const { headers } = await only.get(`${companies}?_limit=1&_sort=-Name`).expect(200);
      expect((await only.get(nextOf(headers)).expect(200)).body).toEqual([shown]);
    });

    it('the other side too', async () => {
      const { Invoices: _i, CEO: _c, Seat: _s, Staff: _t, ...own } = shown;
      const [first, second] = (await only.get(invoices).expect(200)).body as Task[];
      expect([first?.['Company'], second?.['Company']]).toEqual([own, own]);
      expect((await only.get(people).expect(200)).body).toEqual([
        {
          Stage: 'Here',
          'Assigned To': null,
          'Task URL': (shown['CEO'] as Task)['Task URL'],
          No: '5',
          Nick: null,
          'CEO of': own,
          Seats: [],
          Employers: [own],
          Next: null,
          Previous: null,
          Reports: [],
          Boss: null,
          Likes: [],
          'Liked by': [],
        },
      ]);
    });

    it.each([
      ['Name,Invoices', { Name: 'a', Invoices: 'shown' }],
      ['Invoices', { Invoices: 'shown' }],
      ['CEO,Company ID,Seat', { 'Company ID': 'C1', CEO: 'shown', Seat: null }],
      ['Company ID', { 'Company ID': 'C1' }],
    ])('`_fields=%s` shows what it names', async (fields, expected) => {
      const wanted = Object.fromEntries(
        Object.entries(expected).map(([name, value]) => [name, value === 'shown' ? shown[name] : value]),
      );
      for (const more of ['', '&_limit=1', '&_sort=Name']) {
        const { body } = await only.get(`${companies}?Name=a&_fields=${encodeURIComponent(fields)}${more}`);
        expect(body).toEqual([wanted]);
      }
    });

    it('relationship keys cannot be filtered or sorted, 422 on that name', async () => {
      for (const query of ['Invoices=I1', 'Invoices=', 'Invoices[ne]=I1', 'CEO=5', 'CEO[contains]=5']) {
        const { body } = await only.get(`${companies}?${query}`).expect(422);
        const [name = ''] = query.split('=');
        expect(body).toEqual({ errors: { [name]: ['cannot be filtered'] } });
      }
      for (const sort of ['Invoices', '-CEO', 'Name,Staff']) {
        const { body } = await only.get(`${companies}?_sort=${sort}`).expect(422);
        expect(Object.keys((body as { errors: object }).errors)).toEqual(['_sort']);
      }
    });
  });
});
