import { type Client } from '../support/service.js';
import {
  api,
  companies,
  endNamed,
  get,
  held,
  invoices,
  make,
  makeSeveral,
  nextOf,
  otherEnd,
  people,
  put,
  reference,
  service,
  shownLinked,
  stateOf,
  tasksOf,
  type Named,
  type Task,
  versionOf,
  yaml,
} from './linking.js';

describe('4.2 linked tasks', () => {
  describe('2.3 a relationship appears in each task as a key named after the relationship', () => {
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
      await api.post(invoices, { 'Invoice ID': 'blank' }).expect(201);
      const company = await make('companies', {
        Invoices: [{ 'Invoice ID': 'blank' }, { 'Invoice ID': 'full' }],
      });
      const { body } = await get(company);
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
        expect.objectContaining({ 'Invoice ID': 'blank', Amount: null, 'Paid?': false, Tags: [], Scan: [] }),
      ];
      expect((body as Task)['Invoices']).toEqual(linked);
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
      only = await service.clientOf(yaml.replace('{ id: acme, name: Acme }', '{ id: lists, name: Lists }'));
      for (const id of ['I1', 'I2']) await only.post(invoices, { 'Invoice ID': id, Amount: 1 }).expect(201);
      await only.post(people, { No: 5 }).expect(201);
      const links = { Invoices: [{ 'Invoice ID': 'I2' }, { 'Invoice ID': 'I1' }], CEO: { No: 5 }, Staff: [{ No: 5 }] }; // prettier-ignore
      shown = (await only.post(companies, { 'Company ID': 'C1', Name: 'a', ...links }).expect(201)).body as Task; // prettier-ignore
      alone = (await only.post(companies, { 'Company ID': 'C2', Name: 'b' }).expect(201)).body as Task;
      const ids = (shown['Invoices'] as Task[]).map((invoice) => invoice['Invoice ID']);
      expect([ids, (shown['CEO'] as Task)['No'], shown['Seat']]).toEqual([['I1', 'I2'], '5', null]);
    });

    it('GET, PUT and POST of a task, and lists', async () => {
      expect(await only.read(`${companies}/C1`)).toEqual(shown);
      expect((await only.put(companies, { 'Company ID': 'C1' }).expect(200)).body).toEqual(shown);
      expect((await only.post(companies, { 'Company ID': 'C1', Name: 'a' }).expect(200)).body).toEqual(shown);
      expect(await only.read(companies)).toEqual([shown, alone]);
      expect(await only.read(`${companies}/active?_limit=1`)).toEqual([shown]);
      expect(await only.read(`${companies}?_sort=-Name&_limit=5`)).toEqual([alone, shown]);
    });

    it('the other side too', async () => {
      const { Invoices: _i, CEO: _c, Seat: _s, Staff: _t, ...own } = shown;
      const [first, second] = (await only.get(invoices).expect(200)).body as Task[];
      expect([first?.['Company'], second?.['Company']]).toEqual([own, own]);
      const shownPeople = [{ No: '5', 'CEO of': own, Seats: [], Employers: [own], Next: null, Reports: [] }];
      expect(await only.read(people)).toMatchObject(shownPeople);
    });

    it.each(['', '&_limit=1', '&_sort=Name'])('`_fields` shows those that it names: %s', async (more) => {
      const { Name, Invoices, CEO, Seat } = shown;
      const of = (fields: string): Promise<unknown> =>
        only.read(`${companies}?Name=a&_fields=${encodeURIComponent(fields)}${more}`);
      expect(await of('Name,Invoices')).toEqual([{ Name, Invoices }]);
      expect(await of('CEO,Company ID,Seat')).toEqual([{ 'Company ID': 'C1', CEO, Seat }]);
    });
  });

  describe('beyond the interface: one link at a time', () => {
    const linksOf = ([workflow, id]: Named, name: string, other?: string): string =>
      `${tasksOf(workflow)}/${encodeURIComponent(id)}/links/${encodeURIComponent(name)}` +
      (other === undefined ? '' : `/${encodeURIComponent(other)}`);

    it('GET lists the linked tasks, PUT links one, DELETE unlinks it; a second PUT changes nothing', async () => {
      const [task, one, two] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      const [end, path] = [endNamed('people', 'Likes'), linksOf(task, 'Likes')];
      expect(await api.read(path)).toEqual([]);
      for (const other of [two, one, two, one])
        expect((await api.put(linksOf(task, 'Likes', other[1])).expect(204)).text).toBe('');
      expect(await api.read(path)).toEqual(await shownLinked(one, two));
      expect([await held(task, end), await held(one, otherEnd(end))]).toEqual([[one[1], two[1]], [task[1]]]);
      expect([await versionOf(task), await versionOf(one), await versionOf(two)]).toEqual([3, 2, 2]);
      expect((await api.delete(linksOf(task, 'Likes', one[1])).expect(204)).text).toBe('');
      await api.delete(linksOf(task, 'Likes', one[1])).expect(404);
      expect([await held(task, end), await held(one, otherEnd(end))]).toEqual([[two[1]], []]);
      expect([await versionOf(task), await versionOf(one)]).toEqual([4, 3]);
    });

    it('a link, task or relationship that is not there is 404, and nothing changes', async () => {
      const [task, other, third] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      await put(task, { Likes: [reference(other)], Next: reference(other) }).expect(200);
      const before = await stateOf(task, other, third);
      for (const name of ['Likes', 'Next']) await api.delete(linksOf(task, name, third[1])).expect(404);
      for (const name of ['Boss', 'Liked by']) await api.delete(linksOf(task, name, other[1])).expect(404);
      for (const verb of ['get', 'put', 'delete'] as const) {
        const of = (one: Named, name: string, id = other[1]): string =>
          linksOf(one, name, verb === 'get' ? undefined : id);
        const paths = ['Nothing', 'Nick', 'Stage', '__proto__', 'likes'].map((name) => of(task, name));
        if (verb !== 'get') paths.push(of(task, 'Likes', 'nobody'), of(task, 'Employers'));
        for (const path of [of(['people', 'nobody'], 'Likes'), ...paths])
          expect([verb, path, (await api[verb](path)).status]).toEqual([verb, path, 404]);
      }
      expect(await stateOf(task, other, third)).toEqual(before);
    });

    it('PUT to the task itself is 422 on the relationship', async () => {
      const task = await make('people');
      for (const name of ['Next', 'Previous', 'Reports', 'Boss', 'Likes', 'Liked by']) {
        await api
          .put(linksOf(task, name, task[1]))
          .expect(422, { errors: { [name]: ['cannot be the task itself'] } });
      }
      expect(await versionOf(task)).toBe(1);
    });

    it('If-Match on PUT and DELETE compares the version of the task of the path: 412 when stale', async () => {
      const [task, one] = (await makeSeveral('people', 2)) as [Named, Named];
      const path = linksOf(task, 'Likes', one[1]);
      const tagOf = async (): Promise<string> => String((await get(task)).headers['etag']);
      const stale = await tagOf();
      await api.put(path).set('If-Match', stale).expect(204);
      const tag = await tagOf();
      const before = await stateOf(task, one);
      await api.put(path).set('If-Match', stale).expect(412);
      await api.delete(path).set('If-Match', stale).expect(412);
      expect(await stateOf(task, one)).toEqual(before);
      await api.delete(path).set('If-Match', tag).expect(204);
    });

    describe('GET', () => {
      let task: Named;
      let some: readonly Named[];
      let path: string;

      beforeAll(async () => {
        some = await makeSeveral('people', 5);
        task = await make('people', { Likes: some.toReversed().map(reference), Next: reference(some[0] ?? ['people', '']) }); // prettier-ignore
        path = linksOf(task, 'Likes');
      });

      it('pages as lists do: `_limit`, `_after` and Link', async () => {
        const expected = await shownLinked(...some);
        const first = await api.get(`${path}?_limit=2`).expect(200);
        expect(first.body).toEqual(expected.slice(0, 2));
        expect(first.headers['link']).toMatch(/^<http:\/\/[^/]+\/[^>]*\/links\/Likes\?_limit=2&_after=[\w-]+>; rel="next"$/); // prettier-ignore
        const second = await api.get(nextOf(first.headers)).expect(200);
        expect(second.body).toEqual(expected.slice(2, 4));
        const third = await api.get(nextOf(second.headers)).expect(200);
        expect([third.body, third.headers['link']]).toEqual([expected.slice(4), undefined]);
        const exact = await api.get(`${path}?_limit=5`).expect(200);
        expect([exact.body, exact.headers['link']]).toEqual([expected, undefined]);
        const single = await api.get(`${linksOf(task, 'Next')}?_limit=1`).expect(200);
        expect([single.body, single.headers['link']]).toEqual([expected.slice(0, 1), undefined]);
      });

      it('a cursor leads on where the task behind which it stands is linked no more', async () => {
        const { headers } = await api.get(`${path}?_limit=2`).expect(200);
        await api.delete(linksOf(task, 'Likes', some[1]?.[1] ?? '')).expect(204);
        expect(await api.read(nextOf(headers))).toEqual(await shownLinked(...some.slice(2, 4))); // prettier-ignore
      });
    });
  });
});
