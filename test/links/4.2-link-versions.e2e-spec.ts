import {
  api,
  endNamed,
  get,
  held,
  make,
  makeSeveral,
  type Named,
  people,
  put,
  reference,
  service,
  stateOf,
  type Task,
  tasksOf,
  versionOf,
} from './linking.js';
import { blocked } from '../support/blocked.js';
import { holdTasks } from '../support/held-tasks.js';

describe('4.2 linked tasks', () => {
  describe('at once', () => {
    /** Sends what waits for a lock on the first of these tasks, and lets it go when all wait. */
    async function behind(task: Named, ...requests: PromiseLike<{ status: number }>[]): Promise<number[]> {
      const release = await holdTasks(service.dataSource, 'acme', task[1]);
      const answers = Promise.all(requests);
      await blocked(service.dataSource, requests.length);
      await release();
      return (await answers).map(({ status }) => status);
    }

    it('linked from both sides, two tasks hold each other once, and no deadlock reaches a client', async () => {
      const [one, two] = (await makeSeveral('people', 2)) as [Named, Named];
      const statuses = await behind(
        one,
        put(one, { Likes: [reference(two)], Boss: reference(two) }),
        put(two, { 'Liked by': [reference(one)], Reports: [reference(one)] }),
      );
      expect(statuses).toEqual([200, 200]);
      expect(await held(one, endNamed('people', 'Likes'))).toEqual([two[1]]);
      expect(await held(two, endNamed('people', 'Reports'))).toEqual([one[1]]);
      expect([await versionOf(one), await versionOf(two)]).toEqual([2, 2]);
    });

    it('wanted by two, a task that may be held by one is held by the later', async () => {
      const [ceo] = (await makeSeveral('people', 1)) as [Named];
      const [one, two] = (await makeSeveral('companies', 2)) as [Named, Named];
      const wanted = { CEO: reference(ceo) };
      expect(await behind(ceo, put(one, wanted), put(two, wanted))).toEqual([200, 200]);
      const holders = [one, two].map(async (company) => held(company, endNamed('companies', 'CEO')));
      expect((await Promise.all(holders)).flat()).toEqual([ceo[1]]);
    });

    it('a task that is deleted while it is linked is linked to nothing', async () => {
      const [one, two] = (await makeSeveral('people', 2)) as [Named, Named];
      const [deleted, linked] = await behind(
        one,
        api.delete(`${people}/${one[1]}`),
        put(two, { Likes: [reference(one)] }),
      );
      expect(deleted).toBe(204);
      expect([200, 422]).toContain(linked);
      expect(await held(two, endNamed('people', 'Likes'))).toEqual([]);
    });
  });

  describe('versions', () => {
    it('a DELETE of a task that is linked to another several times counts one there', async () => {
      const other = await make('people');
      const both = reference(other);
      const [, id] = await make('people', { Next: both, Boss: both, Likes: [both] });
      await api.delete(`${people}/${id}`).expect(204);
      const { body } = (await get(other)) as { body: Task };
      expect([body['Previous'], body['Reports'], body['Liked by']]).toEqual([null, [], []]);
      expect(await versionOf(other)).toBe(3);
    });

    it('of a set, only those that come or go count one', async () => {
      const [one, two, three] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      const company = await make('companies', { Staff: [one, two].map(reference) });
      await put(company, { Staff: [two, three].map(reference) }).expect(200);
      const versions = [];
      for (const task of [company, one, two, three]) versions.push(await versionOf(task));
      expect(versions).toEqual([2, 3, 2, 2]);
    });

    it('a task that is linked to a linked one does not show, and changes nothing', async () => {
      const [far, near] = (await makeSeveral('people', 2)) as [Named, Named];
      await put(near, { Boss: reference(far) }).expect(200);
      const company = await make('companies', { CEO: reference(near) });
      const before = await stateOf(company);
      await put(far, { Nick: 'new' }).expect(200);
      expect(await stateOf(company)).toEqual(before);
    });
  });

  it('round-trip law: the body of a GET, sent back, changes nothing, with links of every kind, from both sides', async () => {
    const some = (await makeSeveral('people', 3)) as [Named, Named, Named];
    const bills = await makeSeveral('invoices', 2);
    const [one, two, three] = some;
    const company = await make('companies', {
      Invoices: bills.map(reference),
      CEO: reference(one),
      Seat: reference(two),
      Staff: some.map(reference),
    });
    const within = { Next: reference(two), Previous: reference(three), Likes: [two, three].map(reference), 'Liked by': [reference(two)], Reports: [two, three].map(reference) }; // prettier-ignore
    await put(one, within).expect(200);
    const all = [company, ...some, ...bills];
    const before = await stateOf(...all);
    for (const task of all) {
      const shown = await get(task);
      for (const verb of ['put', 'post'] as const) {
        const answer = await api[verb](tasksOf(task[0]), shown.text).expect(200);
        expect([answer.text, answer.headers['etag']]).toEqual([shown.text, shown.headers['etag']]);
      }
    }
    expect(await stateOf(...all)).toEqual(before);
  });

  it('names such as `constructor` and `10` are ordinary names of relationships', async () => {
    const names = ['constructor', 'toString', '10', 'then', 'has/slash', '%41', '😀'];
    const named = await service.clientOf(`
workspace: { id: names, name: Names }
workflows:
  - { id: things, name: Things, stages: [{ name: Open }], fields: [{ name: "2", type: uniqueId, required: true }] }
  - { id: parts, name: Parts, stages: [{ name: Open }], fields: [{ name: valueOf, type: uniqueId, required: true }] }
relationships:
${names.map((name, n) => `  - { id: r${n}, kind: many_to_many, from: { workflow: things, name: "${name}" }, to: { workflow: parts, name: "of ${name}" } }`).join('\n')}
`);
    const [things, parts] = [tasksOf('things'), tasksOf('parts')];
    await named.post(parts, '{"valueOf":"p"}').expect(201);
    const values = names.map((name) => `"${name}":[{"valueOf":"p"}]`).join();
    const { text } = await named.post(things, `{"2":"t",${values}}`).expect(201);
    expect(text.match(/"valueOf":"p"/g)).toHaveLength(names.length);
    expect((await named.put(things, text).expect(200)).text).toBe(text);
    for (const name of names) {
      const path = `${things}/t/links/${encodeURIComponent(name)}`;
      await named.delete(`${path}/p`).expect(204);
      expect((await named.get(path).expect(200)).text).toBe('[]');
    }
  });
});
