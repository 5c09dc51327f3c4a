import { nextOf, walk } from '../support/pages.js';
import { type Client } from '../support/service.js';
import {
  api,
  companies,
  invoices,
  type Keys,
  LinkedTask,
  make,
  people,
  service,
  several,
  shownLinked,
  stateOf,
  yaml,
} from './linking.js';

describe('4.2 linked tasks', () => {
  describe('2.3 a relationship appears in each task as a key named after the relationship', () => {
    it('relationships follow the fields, in the order of their definition, in every answer', async () => {
      const fields = ['Stage', 'Assigned To', 'Task URL', 'No', 'Nick'];
      const links = ['CEO of', 'Seats', 'Employers', 'Next', 'Previous', 'Reports', 'Boss', 'Likes', 'Liked by']; // prettier-ignore
      const [task, other] = await several('people', 2);
      for (const { text } of [await task.get(), await task.put({ Likes: [other.reference] })])
        expect(Object.keys(JSON.parse(text) as object)).toEqual([...fields, ...links]);
      const { Likes } = await task.read();
      expect(Object.keys((Likes as object[])[0] ?? {})).toEqual(fields);
    });

    it('linked tasks carry Stage, Assigned To, Task URL and all their fields, blank ones too, and never relationship keys', async () => {
      const Scan = [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'YQ==' }];
      const sent = { Stage: 'Paid', 'Assigned To': 'mina@acme.test', Amount: 10, 'Paid?': true };
      const full = { 'Invoice ID': 'full', ...sent, Tags: ['Split', 'Late'], Scan };
      const { 'Task URL': url } = await api.send<Keys>(invoices, full);
      await api.post(invoices, { 'Invoice ID': 'blank' }).expect(201);
      const Invoices = [{ 'Invoice ID': 'blank' }, { 'Invoice ID': 'full' }];
      const company = await make('companies', { Invoices });
      const blobId = expect.stringMatching(/^[\w-]{27}$/) as unknown;
      expect((await company.read())['Invoices']).toEqual([
        {
          ...{ ...full, 'Task URL': url, Amount: '10.00', Tags: ['Late', 'Split'] },
          Scan: [{ blobId, contentType: 'text/plain', filename: 'a.txt' }],
        },
        expect.objectContaining({ 'Invoice ID': 'blank', Amount: null, 'Paid?': false, Tags: [], Scan: [] }),
      ]);
    });

    it('linked tasks are in the order of their creation, however they were linked', async () => {
      const task = await make('people');
      const some = await several('people', 5);
      const all = some.map(({ reference }) => reference);
      for (const Likes of [all.toReversed(), all.slice(3), all]) await task.put({ Likes }).expect(200);
      expect(await task.held('Likes')).toEqual(some.map(({ id }) => id));
    });
  });

  describe('every endpoint shows them', () => {
    let shown: Keys;
    let alone: Keys;
    let only: Client;

    beforeAll(async () => {
      only = await service.clientOf(yaml.replace('{ id: acme, name: Acme }', '{ id: lists, name: Lists }'));
      for (const id of ['I1', 'I2']) await only.post(invoices, { 'Invoice ID': id, Amount: 1 }).expect(201);
      await only.post(people, { No: 5 }).expect(201);
      const links = { Invoices: [{ 'Invoice ID': 'I2' }, { 'Invoice ID': 'I1' }], CEO: { No: 5 }, Staff: [{ No: 5 }] }; // prettier-ignore
      shown = await only.send(companies, { 'Company ID': 'C1', Name: 'a', ...links });
      alone = await only.send(companies, { 'Company ID': 'C2', Name: 'b' });
      const Invoices = [{ 'Invoice ID': 'I1' }, { 'Invoice ID': 'I2' }];
      expect(shown).toMatchObject({ Invoices, CEO: { No: '5' }, Seat: null });
    });

    it('GET, PUT and POST of a task, and lists', async () => {
      expect(await only.read(`${companies}/C1`)).toEqual(shown);
      expect((await only.put(companies, { 'Company ID': 'C1' }).expect(200)).body).toEqual(shown);
      expect(await only.send(companies, { 'Company ID': 'C1', Name: 'a' })).toEqual(shown);
      expect(await only.read(companies)).toEqual([shown, alone]);
      expect(await only.read(`${companies}/active?_limit=1`)).toEqual([shown]);
      expect(await only.read(`${companies}?_sort=-Name&_limit=5`)).toEqual([alone, shown]);
    });

    it('and the other side, too', async () => {
      const { Invoices: _i, CEO: _c, Seat: _s, Staff: _t, ...own } = shown;
      const both = await only.read<Keys[]>(invoices);
      expect(both.map(({ Company }) => Company)).toEqual([own, own]);
      const shownPeople = [{ No: '5', 'CEO of': own, Seats: [], Employers: [own], Next: null, Reports: [] }];
      expect(await only.read(people)).toMatchObject(shownPeople);
    });

    it.each(['', '&_limit=1', '&_sort=Name'])('and `_fields` shows the named keys: %s', async (more) => {
      const { Name, Invoices, CEO, Seat } = shown;
      const of = (fields: string): Promise<unknown> =>
        only.read(`${companies}?Name=a&_fields=${encodeURIComponent(fields)}${more}`);
      expect(await of('Name,Invoices')).toEqual([{ Name, Invoices }]);
      expect(await of('CEO,Company ID,Seat')).toEqual([{ 'Company ID': 'C1', CEO, Seat }]);
    });
  });

  describe('beyond the interface: one link at a time', () => {
    it('GET lists the linked tasks, PUT links one, DELETE unlinks it; a second PUT changes nothing', async () => {
      const [task, one, two] = await several('people', 3);
      const versions = (): Promise<number[]> => Promise.all([task, one, two].map((each) => each.version()));
      expect(await api.read(task.links('Likes'))).toEqual([]);
      for (const { id } of [two, one, two, one])
        expect((await api.put(task.links('Likes', id)).expect(204)).text).toBe('');
      expect(await api.read(task.links('Likes'))).toEqual(await shownLinked(one, two));
      expect([await task.held('Likes'), await one.held('Liked by')]).toEqual([[one.id, two.id], [task.id]]);
      expect(await versions()).toEqual([3, 2, 2]);
      expect((await api.delete(task.links('Likes', one.id)).expect(204)).text).toBe('');
      await api.delete(task.links('Likes', one.id)).expect(404);
      expect([await task.held('Likes'), await one.held('Liked by')]).toEqual([[two.id], []]);
      expect(await versions()).toEqual([4, 3, 2]);
    });

    it('a missing link, task or relationship is 404, and nothing changes', async () => {
      const [task, other, third] = await several('people', 3);
      await task.put({ Likes: [other.reference], Next: other.reference }).expect(200);
      const before = await stateOf(task, other, third);
      for (const name of ['Likes', 'Next']) await api.delete(task.links(name, third.id)).expect(404);
      for (const name of ['Boss', 'Liked by']) await api.delete(task.links(name, other.id)).expect(404);
      const nobody = new LinkedTask('people', 'nobody');
      for (const verb of ['get', 'put', 'delete'] as const) {
        const id = verb === 'get' ? undefined : other.id;
        const names = ['Nothing', 'Nick', 'Stage', '__proto__', 'likes'];
        const paths = [nobody.links('Likes', id), ...names.map((name) => task.links(name, id))];
        if (verb !== 'get') paths.push(task.links('Likes', 'nobody'), task.links('Employers', id));
        for (const path of paths)
          expect([verb, path, (await api[verb](path)).status]).toEqual([verb, path, 404]);
      }
      expect(await stateOf(task, other, third)).toEqual(before);
    });

    it('PUT to the task itself is 422 on the relationship', async () => {
      const task = await make('people');
      for (const name of ['Next', 'Previous', 'Reports', 'Boss', 'Likes', 'Liked by'])
        await api
          .put(task.links(name, task.id))
          .expect(422, { errors: { [name]: ['cannot be the task itself'] } });
      expect(await task.version()).toBe(1);
    });

    it('If-Match on PUT and DELETE is the version of the task in the path: 412 when stale', async () => {
      const [task, one] = await several('people', 2);
      const path = task.links('Likes', one.id);
      const stale = await task.tag();
      await api.put(path).set('If-Match', stale).expect(204);
      const before = await stateOf(task, one);
      await api.put(path).set('If-Match', stale).expect(412);
      await api.delete(path).set('If-Match', stale).expect(412);
      expect(await stateOf(task, one)).toEqual(before);
      await api
        .delete(path)
        .set('If-Match', await task.tag())
        .expect(204);
    });

    it('GET has pages like lists, even if the last task of a page is unlinked meanwhile', async () => {
      const some = await several('people', 5);
      const Likes = some.map(({ reference }) => reference);
      const task = await make('people', { Likes, Next: some[0].reference });
      const all = await shownLinked(...some);
      const path = task.links('Likes');
      expect(await walk(api, `${path}?_limit=2`)).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
      expect(await walk(api, `${path}?_limit=5`)).toEqual([all]);
      expect(await walk(api, `${task.links('Next')}?_limit=1`)).toEqual([all.slice(0, 1)]);
      const next = nextOf(await api.get(`${path}?_limit=2`));
      await api.delete(task.links('Likes', some[1].id)).expect(204);
      expect(await api.read(next)).toEqual(await shownLinked(...some.slice(2, 4)));
    });
  });
});
