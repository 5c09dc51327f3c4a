import { workflowOf } from '../support/definitions.js';
import { type Client, startService, type TestService } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const each = Array.from({ length: 50 }, (_, index) => index);
const fields = each.map((n) => `name: F${n}, type: text`);

describe('correct under concurrency', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService();
    await service.apply(workflowOf(['name: ID, type: uniqueId, required: true', ...fields]));
    api = service.client(await service.key('acme'));
  });
  afterAll(() => service.stop());

  it('50 simultaneous upserts of one new unique id make one task, and all get 2xx', async () => {
    for (const round of each.slice(0, 10)) {
      const id = `new-${round}`;
      const answers = await Promise.all(each.map((n) => api.post(tasks, { ID: id, [`F${n}`]: 'x' })));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array.from({ length: 49 }, () => 200), 201]);
      const { body } = await api.get(`${tasks}/${id}`).expect(200);
      expect(body).toMatchObject(Object.fromEntries(each.map((n) => [`F${n}`, 'x'])));
      expect((await api.get(`${tasks}?ID=${id}`)).body).toHaveLength(1);
    }
  });

  it('50 simultaneous partial updates of different fields lose nothing, and each is one version', async () => {
    await api.post(tasks, { ID: 'shared' }).expect(201);
    for (const round of each.slice(0, 10)) {
      const answers = await Promise.all(
        each.map((n) => api.put(tasks, { ID: 'shared', [`F${n}`]: `r${round}` })),
      );
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      const { body } = await api.get(`${tasks}/shared`).expect(200);
      expect(body).toMatchObject(Object.fromEntries(each.map((n) => [`F${n}`, `r${round}`])));
    }
    const [row] = await service.dataSource.query<{ version: number }[]>(
      `SELECT version FROM tasks WHERE unique_value = 'shared'`,
    );
    expect(row?.version).toBe(1 + 10 * 50);
  });

  it('POST and DELETE of one id may race: each answer fits some order', async () => {
    for (const round of each) {
      const id = `race-${round}`;
      const answers = await Promise.all([
        api.post(tasks, { ID: id, F1: 'a' }),
        api.delete(`${tasks}/${id}`),
        api.post(tasks, { ID: id, F2: 'b' }),
        api.delete(`${tasks}/${id}`),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => ![200, 201, 204, 404].includes(status))).toEqual([]);
      const created = statuses.filter((status) => status === 201).length;
      const deleted = statuses.filter((status) => status === 204).length;
      const { status } = await api.get(`${tasks}/${id}`);
      expect(status).toBe(created > deleted ? 200 : 404);
    }
  });

  it('50 simultaneous creations under autoincrement take 50 numbers in a row', async () => {
    await service.apply(workflowOf(['name: ID, type: uniqueId, autoincrement: true'], 'numbered'));
    const numbered = service.client(await service.key('numbered'));
    const answers = await Promise.all(each.map(() => numbered.post(tasks, {})));
    const ids = answers.map(({ body }) => Number((body as { ID: string }).ID));
    expect(ids.sort((one, other) => one - other)).toEqual(each.map((n) => n + 1));
    const mixed = await Promise.all(
      each.map((n) => numbered.post(tasks, n % 10 === 0 ? { ID: 1000 * (n + 1) } : {})),
    );
    expect(mixed.filter(({ status }) => status !== 201)).toEqual([]);
    expect(new Set(mixed.map(({ body }) => (body as { ID: string }).ID)).size).toBe(50);
  });

  it('a write is never judged by an older definition than the one in force', async () => {
    const withTier = (options: string): string =>
      workflowOf(['name: ID, type: uniqueId, required: true', `name: Tier, type: singleSelect, options: [${options}]`], 'moving'); // prettier-ignore
    await service.apply(withTier('A, B'));
    const moving = service.client(await service.key('moving'));
    for (const round of each.slice(0, 10)) {
      const option = round % 2 === 0 ? 'A' : 'B';
      const [answers] = await Promise.all([
        Promise.all(each.map((n) => moving.post(tasks, { ID: `${round}-${n}`, Tier: option }))),
        service.apply(withTier(round % 2 === 0 ? 'B' : 'A')),
      ]);
      expect(answers.filter(({ status }) => status !== 201 && status !== 422)).toEqual([]);
      const after = await moving.post(tasks, { ID: `${round}-after`, Tier: option });
      expect(after.status).toBe(422);
      await service.apply(withTier(round % 2 === 0 ? 'B, A' : 'A, B'));
    }
  });
});
