import { type Response } from 'supertest';
import {
  api,
  companies,
  endNamed,
  ends,
  get,
  held,
  invoices,
  make,
  makeSeveral,
  multipleEnds,
  type Named,
  otherEnd,
  people,
  put,
  reference,
  refusal,
  service,
  shownLinked,
  stateOf,
  type Task,
  tasksOf,
  valueOf,
  versionIn,
  versionOf,
} from './linking.js';

/** Without relationships within one workflow. */
const between = ends.filter(({ workflow, other }) => workflow !== other);

describe('4.2 linked tasks', () => {
  describe('linking works from either side of the relationship', () => {
    it.each(ends)('$title: links, unlinks and ends with its task, each one version of both', async (end) => {
      const other = await make(end.other);
      // By a POST that creates.
      const task = await make(end.workflow, { [end.name]: valueOf(end, [other]) });
      const state = async (): Promise<unknown[]> => [
        await held(task, end),
        await held(other, otherEnd(end)),
        await versionOf(task),
        await versionOf(other),
      ];
      expect(await state()).toEqual([[other[1]], [task[1]], 1, 2]);
      if (end.workflow === end.other) {
        expect(await held(task, otherEnd(end))).toEqual([]);
        expect(await held(other, end)).toEqual([]);
      }
      for (const _ of ['unlinked', 'unchanged']) {
        await put(task, { [end.name]: valueOf(end, []) }).expect(200);
        expect(await state()).toEqual([[], [], 2, 3]);
      }
      const payload = { ...reference(task), [end.name]: valueOf(end, [other]) };
      await api.post(tasksOf(end.workflow), payload).expect(200);
      expect(await state()).toEqual([[other[1]], [task[1]], 3, 4]);
      await api.delete(`${tasksOf(task[0])}/${task[1]}`).expect(204);
      expect([await held(other, otherEnd(end)), await versionOf(other)]).toEqual([[], 5]);
      // A new task with the same Unique ID gets no links of the deleted one.
      await api.post(tasksOf(task[0]), reference(task)).expect(201);
      expect(await held(task, end)).toEqual([]);
    });

    it('a task that gets its number by its creation is linked by it', async () => {
      const other = await make('people');
      const answer = await api
        .post(people, {
          Nick: 'new',
          Boss: reference(other),
          Likes: [reference(other)],
          Next: reference(other),
        })
        .expect(201);
      const task: Named = ['people', String((answer.body as Task)['No'])];
      expect((await get(task)).text).toBe(answer.text);
      expect(versionIn(answer)).toBe(1);
      const [linked] = await shownLinked(task);
      const { body } = (await get(other)) as { body: Task };
      expect([body['Reports'], body['Liked by'], body['Previous']]).toEqual([[linked], [linked], linked]);
    });
  });

  describe('the array is the complete set of links', () => {
    it.each(multipleEnds.slice(0, 3))('$title: any id left out of the array is unlinked', async (end) => {
      const [task, one, two, three] = [await make(end.workflow), ...(await makeSeveral(end.other, 3))] as [
        Named,
        Named,
        Named,
        Named,
      ];
      await put(task, { [end.name]: valueOf(end, [one, two]) }).expect(200);
      await put(task, { [end.name]: valueOf(end, [two, three]) }).expect(200);
      expect(await held(task, end)).toEqual([two[1], three[1]]);
      expect(await held(one, otherEnd(end))).toEqual([]);
      expect(await held(two, otherEnd(end))).toEqual([task[1]]);
      expect(await held(three, otherEnd(end))).toEqual([task[1]]);
    });

    it('a key that the payload does not name stays as it is', async () => {
      const [one, two] = (await makeSeveral('people', 2)) as [Named, Named];
      const company = await make('companies', { Staff: [one, two].map(reference), CEO: reference(one) });
      await put(company, { Name: 'new' }).expect(200);
      await put(company, { Seat: reference(two) }).expect(200);
      const { body } = (await get(company)) as { body: Task };
      expect(body['Staff']).toEqual(await shownLinked(one, two));
      expect([body['CEO']]).toEqual(await shownLinked(one));
    });

    it('duplicates in an array count once', async () => {
      const other = await make('people');
      const number = Number(other[1]);
      const task = await make('people', { Likes: [{ No: number }, { No: other[1] }, { No: number }] });
      expect(await held(task, endNamed('people', 'Likes'))).toEqual([other[1]]);
      expect(await versionOf(other)).toBe(2);
    });
  });

  describe('each object references a task by its Unique ID', () => {
    it('as a number or as a string', async () => {
      const [task, one, two] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      await put(task, { Next: { No: Number(one[1]) }, Likes: [{ No: two[1] }] }).expect(200);
      const { body } = (await get(task)) as { body: Task };
      expect([body['Next'], body['Likes']]).toEqual([(await shownLinked(one))[0], await shownLinked(two)]);
    });

    it('other properties of a reference are ignored, whatever they hold', async () => {
      const other = await make('invoices');
      const before = await shownLinked(other);
      const ignored = {
        Amount: 'nonsense',
        Nothing: [[{}]],
        Stage: 7,
        Company: { 'Company ID': 'no' },
        id: 1,
      };
      const company = await make('companies', { Invoices: [{ ...ignored, ...reference(other) }] });
      const { body } = (await get(company)) as { body: Task };
      expect(body['Invoices']).toEqual(before);
    });

    it.each(['😀 100 %', '__proto__', '../up', '"quoted"'])('Unique ID %j', async (id) => {
      await api.post(invoices, { 'Invoice ID': id }).expect(201);
      const company = await make('companies', { Invoices: [{ 'Invoice ID': id }] });
      expect(await held(company, endNamed('companies', 'Invoices'))).toEqual([id]);
      expect(await held(['invoices', id], endNamed('invoices', 'Company'))).toEqual([company[1]]);
    });

    it.each([
      ['true', 'true'],
      ['5.0', '5.0'],
      ['["x"]', '["x"]'],
    ])('what is no Unique ID, %s, names no task, even where one is called so', async (id, literal) => {
      await api.post(invoices, { 'Invoice ID': id }).expect(201);
      const company = await make('companies');
      const payload = `{"Company ID":"${company[1]}","Invoices":[{"Invoice ID":${literal}}]}`;
      const { body } = await api.put(companies, payload).expect(422);
      const { Invoices: messages, ...others } = (body as { errors: Record<string, string[]> }).errors;
      expect([messages?.length, others]).toEqual([1, {}]);
      expect(messages?.[0]).not.toContain('"text":');
      expect(await held(company, endNamed('companies', 'Invoices'))).toEqual([]);
    });
  });

  describe('422 on the relationship key', () => {
    let company: Named;

    beforeAll(async () => {
      company = await make('companies', { Invoices: [reference(await make('invoices'))] });
    });
    afterEach(async () => {
      // Whatever was refused, nothing was written.
      const { body, headers } = (await get(company)) as { body: Task; headers: Response['headers'] };
      expect([(body['Invoices'] as unknown[]).length, body['Name'], body['CEO']]).toEqual([1, null, null]);
      expect(headers['etag']).toMatch(/^"1-/);
    });

    it('what is no reference, or names no task', async () => {
      const noArray = 'is not an array of objects that name tasks';
      for (const value of [null, '', true, {}, [null], [[]]])
        expect([value, await refusal(company, { Invoices: value })]).toEqual([
          value,
          { Invoices: [noArray] },
        ]);
      for (const value of ['', false, [], [{ No: '1' }]])
        expect(await refusal(company, { CEO: value })).toEqual({
          CEO: ['is not an object that names a task'],
        });
      const nameless = ['names a task without its No'];
      for (const value of [{}, { no: '1' }, { No: null }, { No: '' }, { 'Invoice ID': '1' }])
        expect(await refusal(company, { CEO: value, Staff: [value] })).toEqual({
          CEO: nameless,
          Staff: nameless,
        });
      for (const value of ['nobody', 42, '042', true, 'x y', 'active', ' 5'])
        expect(await refusal(company, { CEO: { No: value } })).toEqual({ CEO: [`does not exist: ${value}`] });
    });

    it('more than 10,000 new tasks in one array', async () => {
      const [, first] = await make('invoices');
      await service.dataSource.query(
        `INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
         SELECT workspace_id, workflow_id, 'n' || n, 'n' || n, stage_id, true, field_values
         FROM tasks, generate_series(1, 10001) n WHERE unique_value = $1`,
        [first],
      );
      // Kept plans are those of a small table until PostgreSQL counts its rows, which it does within a minute.
      await service.dataSource.query('ANALYZE tasks');
      const Invoices = Array.from({ length: 10_001 }, (_, n) => ({ 'Invoice ID': `n${n + 1}` }));
      const errors = { Invoices: ['links more than 10,000 new tasks at once'] };
      expect(await refusal(company, { Invoices })).toEqual(errors);
    });

    it('all unknown references, and all other problems of the payload, in one answer', async () => {
      const invoice = (id: unknown): object => ({ 'Invoice ID': id });
      const known = await make('invoices');
      expect(
        await refusal(company, {
          Name: 'new',
          Founded: 'yesterday',
          Stage: 'Nowhere',
          Nonsense: 1,
          Invoices: [invoice('no'), reference(known), invoice(43)],
          CEO: { No: 'nobody' },
          Staff: {},
        }),
      ).toEqual({
        Founded: ['is not a date in YYYY-MM-DD format'],
        Stage: ['is not a stage of this workflow; it has: Open, Done'],
        Nonsense: ['is not a field of this workflow'],
        Invoices: ['does not exist: no', 'does not exist: 43'],
        CEO: ['does not exist: nobody'],
        Staff: ['is not an array of objects that name tasks'],
      });
      expect(await versionOf(known)).toBe(1);
    });

    it('of a POST that would create: nothing is created', async () => {
      const payload = { 'Company ID': 'never', Invoices: [{ 'Invoice ID': 'no' }], CEO: { No: 1 } };
      const { body } = await api.post(companies, payload).expect(422);
      expect(body).toEqual({ errors: { Invoices: ['does not exist: no'], CEO: ['does not exist: 1'] } });
      await api.get(`${companies}/never`).expect(404);
    });

    it('a task of another workspace does not exist, in the same words', async () => {
      const theirs = service.client(await service.key('other'));
      await theirs.post(people, { No: 777_777 }).expect(201);
      const foreign = await put(company, { CEO: { No: '777777' }, Staff: [{ No: '777777' }] }).expect(422);
      const missing = await put(company, { CEO: { No: '777778' }, Staff: [{ No: '777778' }] }).expect(422);
      expect(foreign.text).toBe(missing.text.replaceAll('777778', '777777'));
    });

    it('a task of another workflow does not exist', async () => {
      const [, id] = await make('invoices');
      expect(await refusal(company, { CEO: { No: id } })).toEqual({ CEO: [`does not exist: ${id}`] });
    });

    it('the task itself', async () => {
      const task = await make('people');
      const keys = { Next: reference(task), Boss: reference(task), Likes: [reference(task)], Reports: [reference(task)] }; // prettier-ignore
      const before = await stateOf(task);
      expect(await refusal(task, keys)).toEqual(
        Object.fromEntries(Object.keys(keys).map((name) => [name, ['cannot be the task itself']])),
      );
      expect(await stateOf(task)).toEqual(before);
      const { body } = await api.post(people, { No: 424_242, Likes: [{ No: 424_242 }] }).expect(422);
      expect(body).toEqual({ errors: { Likes: ['does not exist: 424242'] } });
    });
  });

  describe('linking a task that is single-valued and linked elsewhere moves it: the newest reference wins', () => {
    it.each(between.filter(({ isOtherMultiple }) => !isOtherMultiple))(
      '$title: from the side of the new holder',
      async (end) => {
        const [older, newer] = (await makeSeveral(end.workflow, 2)) as [Named, Named];
        const [moved, stays] = (await makeSeveral(end.other, 2)) as [Named, Named];
        await put(older, { [end.name]: valueOf(end, end.isMultiple ? [moved, stays] : [moved]) }).expect(200);
        const before = [await versionOf(older), await versionOf(moved), await versionOf(newer)];
        await put(newer, { [end.name]: valueOf(end, [moved]) }).expect(200);
        expect(await held(older, end)).toEqual(end.isMultiple ? [stays[1]] : []);
        expect(await held(newer, end)).toEqual([moved[1]]);
        expect(await held(moved, otherEnd(end))).toEqual([newer[1]]);
        const after = [await versionOf(older), await versionOf(moved), await versionOf(newer)];
        expect(after).toEqual(before.map((version) => version + 1));
      },
    );

    it('a task that is created takes what others hold', async () => {
      const [one, two] = (await makeSeveral('invoices', 2)) as [Named, Named];
      const ceo = await make('people');
      const older = await make('companies', { Invoices: [one, two].map(reference), CEO: reference(ceo) });
      const newer = await make('companies', { Invoices: [reference(two)], CEO: reference(ceo) });
      const shown = async (task: Named): Promise<unknown> => {
        const { Invoices: array, CEO: single } = (await get(task)).body as Task;
        return [array, single];
      };
      expect(await shown(older)).toEqual([await shownLinked(one), null]);
      expect(await shown(newer)).toEqual([await shownLinked(two), (await shownLinked(ceo))[0]]);
      expect([await versionOf(older), await versionOf(newer)]).toEqual([2, 1]);
    });
  });

  describe('a relationship within a workflow may be named by both its keys in one payload', () => {
    it('one-to-one: a task puts itself between two others', async () => {
      const [first, last, between] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      await put(first, { Next: reference(last) }).expect(200);
      await put(between, { Previous: reference(first), Next: reference(last) }).expect(200);
      const [next, previous] = [endNamed('people', 'Next'), endNamed('people', 'Previous')];
      const shown = [];
      for (const one of [first, between, last]) shown.push([await held(one, previous), await held(one, next)]); // prettier-ignore
      expect(shown).toEqual([
        [[], [between[1]]],
        [[first[1]], [last[1]]],
        [[between[1]], []],
      ]);
      expect([await versionOf(first), await versionOf(between), await versionOf(last)]).toEqual([3, 2, 3]);
    });

    it('the same task on both sides makes two links', async () => {
      const [one, two] = (await makeSeveral('people', 2)) as [Named, Named];
      const both = reference(two);
      await put(one, { Next: both, Previous: both, Likes: [both], 'Liked by': [both], Reports: [both], Boss: both }); // prettier-ignore
      for (const [task, other] of [
        [one, two],
        [two, one],
      ] as const) {
        const { body } = (await get(task)) as { body: Task };
        const [linked] = await shownLinked(other);
        for (const name of ['Next', 'Previous', 'Boss']) expect(body[name]).toEqual(linked);
        for (const name of ['Likes', 'Liked by', 'Reports']) expect(body[name]).toEqual([linked]);
        expect(await versionOf(task)).toBe(2);
      }
    });
  });
});
