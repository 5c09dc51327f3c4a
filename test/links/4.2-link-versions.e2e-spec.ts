import { blocked } from '../support/blocked.js';
import { holdTasks } from '../support/held-tasks.js';
import { api, type LinkedTask, make, service, several, stateOf, tasksOf } from './linking.js';

describe('4.2 linked tasks', () => {
  describe('at the same time', () => {
    /** Sends what waits for a lock on a task, and lets it go when all wait. */
    async function behind(
      task: LinkedTask,
      ...requests: PromiseLike<{ status: number }>[]
    ): Promise<number[]> {
      const release = await holdTasks(service.dataSource, 'acme', task.id);
      const answers = Promise.all(requests);
      await blocked(service.dataSource, requests.length);
      await release();
      return (await answers).map(({ status }) => status);
    }

    it('two tasks that are linked from both sides have one link, and no client gets a deadlock', async () => {
      const [one, two] = await several('people', 2);
      const statuses = await behind(
        one,
        one.put({ Likes: [two.reference], Boss: two.reference }),
        two.put({ 'Liked by': [one.reference], Reports: [one.reference] }),
      );
      expect(statuses).toEqual([200, 200]);
      expect([await one.held('Likes'), await two.held('Reports')]).toEqual([[two.id], [one.id]]);
      expect([await one.version(), await two.version()]).toEqual([2, 2]);
    });

    it('a task for a single side goes to the later of two links', async () => {
      const ceo = await make('people');
      const [one, two] = await several('companies', 2);
      const wanted = { CEO: ceo.reference };
      expect(await behind(ceo, one.put(wanted), two.put(wanted))).toEqual([200, 200]);
      const held = [await one.held('CEO'), await two.held('CEO')];
      expect(held.filter((id) => id !== null)).toEqual([ceo.id]);
    });

    it('a task that is deleted while it is linked has no links', async () => {
      const [one, two] = await several('people', 2);
      const requests = [api.delete(one.path), two.put({ Likes: [one.reference] })];
      const [deleted, linked] = await behind(one, ...requests);
      expect(deleted).toBe(204);
      expect([200, 422]).toContain(linked);
      expect(await two.held('Likes')).toEqual([]);
    });
  });

  describe('versions', () => {
    it('the DELETE of a task with several links to another counts one version there', async () => {
      const other = await make('people');
      const both = other.reference;
      const task = await make('people', { Next: both, Boss: both, Likes: [both] });
      await api.delete(task.path).expect(204);
      expect(await other.read()).toMatchObject({ Previous: null, Reports: [], 'Liked by': [] });
      expect(await other.version()).toBe(3);
    });

    it('of a set, only added or removed tasks count a version', async () => {
      const [one, two, three] = await several('people', 3);
      const company = await make('companies', { Staff: [one.reference, two.reference] });
      await company.put({ Staff: [two.reference, three.reference] }).expect(200);
      const versions = await Promise.all([company, one, two, three].map((task) => task.version()));
      expect(versions).toEqual([2, 3, 2, 2]);
    });

    it('a task that is linked only through another task is not shown, and does not change', async () => {
      const [far, near] = await several('people', 2);
      await near.put({ Boss: far.reference }).expect(200);
      const company = await make('companies', { CEO: near.reference });
      const before = await stateOf(company);
      await far.put({ Nick: 'new' }).expect(200);
      expect(await stateOf(company)).toEqual(before);
    });
  });

  it('round-trip law: the body of a GET, sent back, changes nothing, with links of every kind, from both sides', async () => {
    const [one, two, three] = await several('people', 3);
    const bills = await several('invoices', 2);
    const referencesTo = (...some: LinkedTask[]): object[] => some.map(({ reference }) => reference);
    const company = await make('companies', {
      ...{ CEO: one.reference, Seat: two.reference },
      ...{ Invoices: referencesTo(...bills), Staff: referencesTo(one, two, three) },
    });
    const both = referencesTo(two, three);
    await one.put({ Next: two.reference, Previous: three.reference, Likes: both, Reports: both }).expect(200);
    const all = [company, one, two, three, ...bills];
    const before = await stateOf(...all);
    for (const task of all) {
      const shown = await task.get();
      for (const verb of ['put', 'post'] as const) {
        const answer = await api[verb](tasksOf(task.workflow), shown.text).expect(200);
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
