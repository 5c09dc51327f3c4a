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
  tasksOf,
  type WorkflowId,
} from './linking.js';

/** One end of a relationship: a workflow, its key, and whether that holds many. */
type End = readonly [workflow: WorkflowId, name: string, isMultiple: boolean];

const pairs: readonly (readonly [End, End])[] = [
  [['companies', 'Invoices', true], ['invoices', 'Company', false]],
  [['companies', 'CEO', false], ['people', 'CEO of', false]],
  [['companies', 'Seat', false], ['people', 'Seats', true]],
  [['companies', 'Staff', true], ['people', 'Employers', true]],
  [['people', 'Next', false], ['people', 'Previous', false]],
  [['people', 'Reports', true], ['people', 'Boss', false]],
  [['people', 'Likes', true], ['people', 'Liked by', true]],
]; // prettier-ignore
const ends = pairs.flatMap(([one, other]): [End, End][] => [[one, other], [other, one]]); // prettier-ignore

/** What a key holds: many, or one or null. */
const under = ([, , isMultiple]: End, some: readonly unknown[]): unknown =>
  isMultiple ? some : (some[0] ?? null);

describe('4.2 linked tasks', () => {
  describe('linking works from either side of the relationship', () => {
    it.each(ends)(
      '%j and %j: links, unlinks and ends with its task, as one version of both',
      async (end, far) => {
        const [[workflow, name], [otherWorkflow, otherName]] = [end, far];
        const other = await make(otherWorkflow);
        // By a POST that creates.
        const task = await make(workflow, { [name]: under(end, [other.reference]) });
        const state = async (): Promise<unknown[]> =>
          Promise.all([task.held(name), other.held(otherName), task.version(), other.version()]);
        const linked = [under(end, [other.id]), under(far, [task.id])];
        const unlinked = [under(end, []), under(far, [])];
        expect(await state()).toEqual([...linked, 1, 2]);
        if (workflow === otherWorkflow)
          expect([await other.held(name), await task.held(otherName)]).toEqual(unlinked);
        for (const _ of ['unlinked', 'unchanged']) {
          await task.put({ [name]: under(end, []) }).expect(200);
          expect(await state()).toEqual([...unlinked, 2, 3]);
        }
        const payload = { ...task.reference, [name]: under(end, [other.reference]) };
        await api.post(tasksOf(workflow), payload).expect(200);
        expect(await state()).toEqual([...linked, 3, 4]);
        await api.delete(task.path).expect(204);
        expect([await other.held(otherName), await other.version()]).toEqual([under(far, []), 5]);
        // A new task with the same Unique ID gets no links of the deleted one.
        await api.post(tasksOf(workflow), task.reference).expect(201);
        expect(await task.held(name)).toEqual(under(end, []));
      },
    );

    it('a task that gets its number when it is created is linked by that number', async () => {
      const other = await make('people');
      const one = other.reference;
      const { text, body } = await api.post(people, { Boss: one, Likes: [one], Next: one }).expect(201);
      const task = new LinkedTask('people', String((body as Keys)['No']));
      expect([(await task.get()).text, await task.version()]).toEqual([text, 1]);
      const [linked] = await shownLinked(task);
      const keys = { Reports: [linked], 'Liked by': [linked], Previous: linked };
      expect(await other.read()).toMatchObject(keys);
    });
  });

  describe('the array is the complete set of links', () => {
    it.each(ends.filter(([[, , isMultiple]]) => isMultiple).slice(0, 3))(
      '%j and %j: any id left out of the array is unlinked',
      async ([workflow, name], [otherWorkflow, otherName, isMultiple]) => {
        const task = await make(workflow);
        const [one, two, three] = await several(otherWorkflow, 3);
        for (const some of [
          [one, two],
          [two, three],
        ])
          await task.put({ [name]: some.map(({ reference }) => reference) }).expect(200);
        expect(await task.held(name)).toEqual([two.id, three.id]);
        const held = await Promise.all([one, two, three].map((other) => other.held(otherName)));
        expect(held).toEqual(isMultiple ? [[], [task.id], [task.id]] : [null, task.id, task.id]);
      },
    );

    it('a key that the payload does not name is unchanged', async () => {
      const [one, two] = await several('people', 2);
      const company = await make('companies', { Staff: [one.reference, two.reference], CEO: one.reference });
      await company.put({ Name: 'new' }).expect(200);
      await company.put({ Seat: two.reference }).expect(200);
      expect(await company.held('Staff')).toEqual([one.id, two.id]);
      expect(await company.held('CEO')).toBe(one.id);
    });

    it('duplicates in an array count once', async () => {
      const other = await make('people');
      const No = Number(other.id);
      const task = await make('people', { Likes: [{ No }, other.reference, { No }] });
      expect(await task.held('Likes')).toEqual([other.id]);
      expect(await other.version()).toBe(2);
    });
  });

  describe('each object references a task by its Unique ID', () => {
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
      const company = await make('companies', { Invoices: [{ ...ignored, ...other.reference }] });
      expect((await company.read())['Invoices']).toEqual(before);
    });

    it.each(['😀 100 %', '__proto__', '../up', '"quoted"'])('Unique ID %j', async (id) => {
      const invoice = new LinkedTask('invoices', id);
      await api.post(invoices, invoice.reference).expect(201);
      const company = await make('companies', { Invoices: [invoice.reference] });
      expect(await company.held('Invoices')).toEqual([id]);
      expect(await invoice.held('Company')).toBe(company.id);
    });

    it.each(['true', '5.0', '["x"]'])(
      'an invalid Unique ID, %s, names no task, even if a task has such a name',
      async (literal) => {
        await api.post(invoices, { 'Invoice ID': literal }).expect(201);
        const company = await make('companies');
        const payload = `{"Company ID":"${company.id}","Invoices":[{"Invoice ID":${literal}}]}`;
        const { body } = await api.put(companies, payload).expect(422);
        const refused = expect.not.stringContaining('"text":') as string;
        expect(body).toEqual({ errors: { Invoices: [refused] } });
        expect(await company.held('Invoices')).toEqual([]);
      },
    );
  });

  describe('422 on the relationship key', () => {
    let company: LinkedTask;

    beforeAll(async () => {
      company = await make('companies', { Invoices: [(await make('invoices')).reference] });
    });
    afterEach(async () => {
      // Whatever was refused, nothing was written.
      const unchanged = { Invoices: [expect.anything()], Name: null, CEO: null };
      expect(await company.read()).toMatchObject(unchanged);
      expect(await company.version()).toBe(1);
    });

    it('an invalid reference, or one that names no task', async () => {
      const cases: [string, unknown[], string][] = [
        [
          'Invoices',
          [null, '', true, {}, [null], [[]]],
          'is not an array of objects that name tasks: [{"Invoice ID": …}]',
        ],
        ['CEO', ['', false, [], [{ No: '1' }]], 'is not an object that names a task: {"No": …}'],
        [
          'CEO',
          [{}, { no: '1' }, { No: null }, { No: '' }, { 'Invoice ID': '1' }],
          'must name each task by its No',
        ],
        ['Staff', [[{}], [{ No: null }]], 'must name each task by its No'],
      ];
      for (const [name, values, message] of cases)
        for (const value of values)
          expect([value, await company.refusal({ [name]: value })]).toEqual([value, { [name]: [message] }]);
      for (const No of ['nobody', 42, '042', true, 'x y', 'active', ' 5'])
        expect(await company.refusal({ CEO: { No } })).toEqual({ CEO: [`does not exist: ${No}`] });
    });

    it('more than 10,000 new tasks in one array', async () => {
      const { id } = await make('invoices');
      await service.dataSource.query(
        `INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
         SELECT workspace_id, workflow_id, 'n' || n, 'n' || n, stage_id, true, field_values
         FROM tasks, generate_series(1, 10001) n WHERE unique_value = $1`,
        [id],
      );
      // Kept plans are those of a small table until PostgreSQL counts its rows, which it does within a minute.
      await service.dataSource.query('ANALYZE tasks');
      const Invoices = Array.from({ length: 10_001 }, (_, n) => ({ 'Invoice ID': `n${n + 1}` }));
      const errors = { Invoices: ['links more than 10,000 new tasks at once'] };
      expect(await company.refusal({ Invoices })).toEqual(errors);
    });

    it('all unknown references and all other problems of the payload, in one answer', async () => {
      const known = await make('invoices');
      const wrong = {
        ...{ Name: 'new', Founded: 'yesterday', Nonsense: 1, CEO: { No: 'nobody' }, Staff: {} },
        Invoices: [{ 'Invoice ID': 'no' }, known.reference, { 'Invoice ID': 43 }],
      };
      expect(await company.refusal(wrong)).toEqual({
        Founded: ['is not a date in YYYY-MM-DD format'],
        Nonsense: ['is not a field of this workflow'],
        Invoices: ['does not exist: no', 'does not exist: 43'],
        CEO: ['does not exist: nobody'],
        Staff: ['is not an array of objects that name tasks: [{"No": …}]'],
      });
      expect(await known.version()).toBe(1);
    });

    it('of a POST that would create a task: nothing is created', async () => {
      const payload = { 'Company ID': 'never', Invoices: [{ 'Invoice ID': 'no' }], CEO: { No: 1 } };
      const errors = { Invoices: ['does not exist: no'], CEO: ['does not exist: 1'] };
      expect(await api.refusal(companies, payload)).toEqual(errors);
      await api.get(`${companies}/never`).expect(404);
    });

    it('a task of another workspace or workflow is unknown, in the same words', async () => {
      const theirs = service.client(await service.key('other'));
      await theirs.post(people, { No: 777_777 }).expect(201);
      const { id } = await make('invoices');
      for (const No of ['777777', id, 'nobody'])
        expect(await company.refusal({ CEO: { No } })).toEqual({ CEO: [`does not exist: ${No}`] });
    });

    it('the task itself', async () => {
      const task = await make('people');
      const [own, before] = [task.reference, await stateOf(task)];
      const itself = ['cannot be the task itself'];
      const errors = { Next: itself, Boss: itself, Likes: itself, Reports: itself };
      const keys = { Next: own, Boss: own, Likes: [own], Reports: [own] };
      expect(await task.refusal(keys)).toEqual(errors);
      expect(await stateOf(task)).toEqual(before);
      const created = await api.refusal(people, { No: 424_242, Likes: [{ No: 424_242 }] });
      expect(created).toEqual({ Likes: ['does not exist: 424242'] });
    });
  });

  describe('linking a task that is single-valued and linked elsewhere moves it: the newest reference wins', () => {
    it.each(ends.filter(([[workflow], [other, , isMultiple]]) => workflow !== other && !isMultiple))(
      '%j and %j: from the side of the new holder',
      async (end, [otherWorkflow, otherName]) => {
        const [workflow, name, isMultiple] = end;
        const [older, newer] = await several(workflow, 2);
        const [moved, stays] = await several(otherWorkflow, 2);
        await older.put({ [name]: under(end, [moved.reference, stays.reference]) }).expect(200);
        const versions = (): Promise<number[]> =>
          Promise.all([older, moved, newer].map((task) => task.version()));
        const before = await versions();
        await newer.put({ [name]: under(end, [moved.reference]) }).expect(200);
        expect(await older.held(name)).toEqual(isMultiple ? [stays.id] : null);
        expect(await newer.held(name)).toEqual(under(end, [moved.id]));
        expect(await moved.held(otherName)).toBe(newer.id);
        expect(await versions()).toEqual(before.map((version) => version + 1));
      },
    );

    it('a new task takes the links of other holders', async () => {
      const [one, two] = await several('invoices', 2);
      const CEO = (await make('people')).reference;
      const older = await make('companies', { Invoices: [one.reference, two.reference], CEO });
      const newer = await make('companies', { Invoices: [two.reference], CEO });
      expect(await older.read()).toMatchObject({ Invoices: [one.reference], CEO: null });
      expect(await newer.read()).toMatchObject({ Invoices: [two.reference], CEO });
      expect([await older.version(), await newer.version()]).toEqual([2, 1]);
    });
  });

  describe('a relationship within a workflow may be named by both its keys in one payload', () => {
    it('one-to-one: a task puts itself between two others', async () => {
      const [first, last, between] = await several('people', 3);
      await first.put({ Next: last.reference }).expect(200);
      await between.put({ Previous: first.reference, Next: last.reference }).expect(200);
      for (const [task, previous, next, version] of [
        [first, null, between.id, 3],
        [between, first.id, last.id, 2],
        [last, between.id, null, 3],
      ] as const)
        expect([await task.held('Previous'), await task.held('Next'), await task.version()]).toEqual([
          previous,
          next,
          version,
        ]);
    });

    it('the same task on both sides makes two links', async () => {
      const [one, two] = await several('people', 2);
      const both = two.reference;
      await one.put({
        Next: both,
        Previous: both,
        Likes: [both],
        'Liked by': [both],
        Reports: [both],
        Boss: both,
      });
      for (const [task, { id }] of [
        [one, two],
        [two, one],
      ] as const) {
        for (const name of ['Next', 'Previous', 'Boss']) expect(await task.held(name)).toBe(id);
        for (const name of ['Likes', 'Liked by', 'Reports']) expect(await task.held(name)).toEqual([id]);
        expect(await task.version()).toBe(2);
      }
    });
  });
});
