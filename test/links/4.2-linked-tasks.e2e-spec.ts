import { type Response } from 'supertest';
import { type Client, countVersionsFromOne, startService, type TestService } from '../support/service.js';

/** Every kind of relationship between companies and the workflow of its name, and one of each kind within people. */
const yaml = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: companies
    name: Companies
    stages: [{ name: Open }, { name: Done, end: true }]
    fields:
      - { name: Company ID, type: uniqueId, required: true }
      - { name: Name, type: text }
      - { name: Founded, type: date }
  - id: invoices
    name: Invoices
    stages: [{ name: Open }, { name: Paid, end: true }]
    fields:
      - { name: Invoice ID, type: uniqueId, required: true }
      - { name: Amount, type: currency }
      - { name: Paid?, type: checkbox }
      - { name: Tags, type: multipleSelect, options: [Late, Split] }
      - { name: Scan, type: file }
  - id: people
    name: People
    stages: [{ name: Here }]
    fields: [{ name: No, type: uniqueId, autoincrement: true }, { name: Nick, type: text }]
  - id: notes
    name: Notes
    stages: [{ name: Open }]
    fields: [{ name: Text, type: text }]
relationships:
  - { id: invoices, kind: one_to_many, from: { workflow: companies, name: Invoices }, to: { workflow: invoices, name: Company } }
  - { id: ceo, kind: one_to_one, from: { workflow: companies, name: CEO }, to: { workflow: people, name: CEO of } }
  - { id: seat, kind: many_to_one, from: { workflow: companies, name: Seat }, to: { workflow: people, name: Seats } }
  - { id: staff, kind: many_to_many, from: { workflow: companies, name: Staff }, to: { workflow: people, name: Employers } }
  - { id: next, kind: one_to_one, from: { workflow: people, name: Next }, to: { workflow: people, name: Previous } }
  - { id: boss, kind: one_to_many, from: { workflow: people, name: Reports }, to: { workflow: people, name: Boss } }
  - { id: friends, kind: many_to_many, from: { workflow: people, name: Likes }, to: { workflow: people, name: Liked by } }
`;
const tasksOf = (workflow: string): string => `/api/v1/workflows/${workflow}/tasks`;
const [companies, invoices, people] = ['companies', 'invoices', 'people'].map(tasksOf) as [
  string,
  string,
  string,
];
const idNames = { companies: 'Company ID', invoices: 'Invoice ID', people: 'No' } as const;

type WorkflowId = keyof typeof idNames;
type Task = Readonly<Record<string, unknown>>;

/** A task by its workflow and its Unique ID. */
type Named = readonly [WorkflowId, string];

/** The tasks at the two ends of a relationship may hold each other by these keys. */
interface Pair {
  readonly kind: string;
  readonly from: readonly [WorkflowId, string];
  readonly to: readonly [WorkflowId, string];
  /** Whether each end may hold many. */
  readonly many: readonly [boolean, boolean];
}

const pairs: readonly Pair[] = [
  { kind: 'one-to-many', from: ['companies', 'Invoices'], to: ['invoices', 'Company'], many: [true, false] },
  { kind: 'one-to-one', from: ['companies', 'CEO'], to: ['people', 'CEO of'], many: [false, false] },
  { kind: 'many-to-one', from: ['companies', 'Seat'], to: ['people', 'Seats'], many: [false, true] },
  { kind: 'many-to-many', from: ['companies', 'Staff'], to: ['people', 'Employers'], many: [true, true] },
  { kind: 'one-to-one within a workflow', from: ['people', 'Next'], to: ['people', 'Previous'], many: [false, false] }, // prettier-ignore
  { kind: 'one-to-many within a workflow', from: ['people', 'Reports'], to: ['people', 'Boss'], many: [true, false] }, // prettier-ignore
  { kind: 'many-to-many within a workflow', from: ['people', 'Likes'], to: ['people', 'Liked by'], many: [true, true] }, // prettier-ignore
];

/** One end of a relationship, and what stands at the other. */
interface End {
  readonly title: string;
  readonly workflow: WorkflowId;
  readonly name: string;
  readonly isMultiple: boolean;
  readonly other: WorkflowId;
  readonly otherName: string;
  readonly isOtherMultiple: boolean;
}

const ends: readonly End[] = pairs.flatMap(({ kind, from, to, many }) => [
  endOf(`${kind}, ${from.join('.')}`, from, many[0], to, many[1]),
  endOf(`${kind}, ${to.join('.')}`, to, many[1], from, many[0]),
]);
const multipleEnds = ends.filter(({ isMultiple }) => isMultiple);
const singleEnds = ends.filter(({ isMultiple }) => !isMultiple);

function endOf(
  title: string,
  [workflow, name]: readonly [WorkflowId, string],
  isMultiple: boolean,
  [other, otherName]: readonly [WorkflowId, string],
  isOtherMultiple: boolean,
): End {
  return { title, workflow, name, isMultiple, other, otherName, isOtherMultiple };
}

const reference = ([workflow, id]: Named): object => ({ [idNames[workflow]]: id });

describe('4.2 linked tasks', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService();
    await countVersionsFromOne(service);
    await service.apply(yaml);
    await service.apply(yaml.replace('{ id: acme, name: Acme }', '{ id: other, name: Other }'));
    api = service.client(await service.key('acme'));
  });
  afterAll(() => service.stop());

  let made = 0;

  /** A new task that nobody else uses, with these keys. */
  async function make(workflow: WorkflowId, keys: object = {}): Promise<Named> {
    made += 1;
    const id = `${100_000 + made}`;
    await api.post(tasksOf(workflow), { ...keys, [idNames[workflow]]: id }).expect(201);
    return [workflow, id];
  }

  async function makeSeveral(workflow: WorkflowId, count: number): Promise<Named[]> {
    const some: Named[] = [];
    while (some.length < count) some.push(await make(workflow));
    return some;
  }

  async function get([workflow, id]: Named): Promise<Response> {
    return api.get(`${tasksOf(workflow)}/${encodeURIComponent(id)}`).expect(200);
  }

  /** A task with its version and its hash, by which nothing of it can have changed. */
  async function stateOf(...some: readonly Named[]): Promise<unknown[]> {
    const states: unknown[] = [];
    for (const one of some) {
      const { text, headers } = await get(one);
      states.push([text, headers['etag']]);
    }
    return states;
  }

  async function versionOf(task: Named): Promise<number> {
    return versionIn(await get(task));
  }

  const put = (task: Named, keys: object): ReturnType<Client['put']> =>
    api.put(tasksOf(task[0]), { ...reference(task), ...keys });

  /** The Unique IDs that a task shows under a relationship key, whatever the kind. */
  async function held(task: Named, { name, other, isMultiple }: End): Promise<unknown[]> {
    return idsUnder((await get(task)).body as Task, name, other, isMultiple);
  }

  /** What the key holds to be linked to these tasks, one at most where it is single-valued. */
  const valueOf = ({ isMultiple }: Pick<End, 'isMultiple'>, others: readonly Named[]): unknown => {
    const references = others.map(reference);
    return isMultiple ? references : (references[0] ?? null);
  };

  const otherEnd = ({ other, otherName, isOtherMultiple, workflow, name, isMultiple, title }: End): End =>
    endOf(title, [other, otherName], isOtherMultiple, [workflow, name], isMultiple);

  /** The tasks as they show under a relationship key: as by themselves, without relationship keys. */
  async function shownLinked(...some: readonly Named[]): Promise<Task[]> {
    const shown: Task[] = [];
    for (const one of some) shown.push(withoutLinks((await get(one)).body as Task));
    return shown;
  }

  const refusal = async (task: Named, keys: object): Promise<unknown> =>
    ((await put(task, keys).expect(422)).body as { errors: unknown }).errors;

  describe('2.3 a relationship appears in each task as a key named after the relationship', () => {
    it.each(multipleEnds)('$title: an array of linked task objects, empty when none', async (end) => {
      const task = await make(end.workflow);
      expect((await get(task)).body).toHaveProperty([end.name], []);
      const [one, two] = (await makeSeveral(end.other, 2)) as [Named, Named];
      const answer = await put(task, { [end.name]: valueOf(end, [one, two]) }).expect(200);
      expect(answer.body).toHaveProperty([end.name], await shownLinked(one, two));
      expect((await get(task)).text).toBe(answer.text);
    });

    it.each(singleEnds)('$title: a single linked task object, or null when none', async (end) => {
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
      ['/active', ['C1', 'C2']],
      ['?_limit=1000', ['C1', 'C2']],
      ['?_limit=1', ['C1']],
      ['/active?_limit=1', ['C1']],
      ['?_sort=-Name', ['C2', 'C1']],
      ['?_sort=-Name&_limit=5', ['C2', 'C1']],
      ['?Name=a', ['C1']],
      ['?Company%20ID=C1&_sort=Name', ['C1']],
      ['?Name=nobody', []],
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

  describe('linking works from either side of the relationship', () => {
    it.each(ends)('$title', async (end) => {
      const [task, other] = [await make(end.workflow), await make(end.other)];
      await put(task, { [end.name]: valueOf(end, [other]) }).expect(200);
      expect(await held(task, end)).toEqual([other[1]]);
      expect(await held(other, otherEnd(end))).toEqual([task[1]]);
      if (end.workflow === end.other) {
        expect(await held(task, otherEnd(end))).toEqual([]);
        expect(await held(other, end)).toEqual([]);
      }
    });

    it.each(ends)('$title: by POST that updates, and by POST that creates', async (end) => {
      const other = await make(end.other);
      const value = valueOf(end, [other]);
      const created = await make(end.workflow, { [end.name]: value });
      expect([await held(created, end), await held(other, otherEnd(end))]).toEqual([[other[1]], [created[1]]]); // prettier-ignore
      const older = await make(end.workflow);
      const answer = await api.post(tasksOf(end.workflow), { ...reference(older), [end.name]: value });
      expect([answer.status, await held(older, end)]).toEqual([200, [other[1]]]);
      expect(await held(created, end)).toEqual(end.isOtherMultiple ? [other[1]] : []);
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
    it.each(multipleEnds)('$title: any id left out of the array is unlinked', async (end) => {
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

    it.each(multipleEnds)('$title: an empty array unlinks all', async (end) => {
      const [task, one, two] = [await make(end.workflow), ...(await makeSeveral(end.other, 2))] as [
        Named,
        Named,
        Named,
      ];
      await put(task, { [end.name]: valueOf(end, [one, two]) }).expect(200);
      await put(task, { [end.name]: [] }).expect(200);
      for (const [named, side] of [
        [task, end],
        [one, otherEnd(end)],
        [two, otherEnd(end)],
      ] as const)
        // prettier-ignore
        expect(await held(named, side)).toEqual([]);
    });

    it.each(singleEnds)('$title: null unlinks', async (end) => {
      const [task, other] = [await make(end.workflow), await make(end.other)];
      await put(task, { [end.name]: reference(other) }).expect(200);
      expect((await put(task, { [end.name]: null }).expect(200)).body).toHaveProperty([end.name], null);
      expect(await held(other, otherEnd(end))).toEqual([]);
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
    it.each([
      ['a number', (id: string): unknown => Number(id)],
      ['a string', (id: string): unknown => id],
    ])('as %s', async (_, spell) => {
      const [task, one, two] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      await put(task, { Next: { No: spell(one[1]) }, Likes: [{ No: spell(two[1]) }] }).expect(200);
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

    it.each(['a/b', '😀 100 %', '?x=1&y#z', '__proto__', 'ünïcode', '../up', '"quoted"', 'x'.repeat(255)])(
      'Unique ID %j',
      async (id) => {
        await api.post(invoices, { 'Invoice ID': id }).expect(201);
        const company = await make('companies', { Invoices: [{ 'Invoice ID': id }] });
        expect(await held(company, endNamed('companies', 'Invoices'))).toEqual([id]);
        expect(await held(['invoices', id], endNamed('invoices', 'Company'))).toEqual([company[1]]);
      },
    );

    it('compared code point by code point', async () => {
      await api.post(invoices, { 'Invoice ID': '\u00e9' }).expect(201);
      const company = await make('companies');
      expect(await refusal(company, { Invoices: [{ 'Invoice ID': 'e\u0301' }, { 'Invoice ID': '\u00c9' }] })).toEqual({ Invoices: ['does not exist: e\u0301', 'does not exist: \u00c9'] }); // prettier-ignore
    });

    it.each([
      ['true', 'true'],
      ['{}', '{}'],
      ['5.0', '5.0'],
      ['1e2', '1e2'],
      ['[1]', '[1]'],
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

    it.each([null, 'text', '', 7, true, {}, { 'Invoice ID': '1' }])(
      '%j under a multi-valued key',
      async (value) => {
        expect(await refusal(company, { Invoices: value })).toEqual({
          Invoices: ['is not an array of objects that name tasks'],
        });
      },
    );

    it.each([[null], ['text'], [7], [[]], [true]])('[%j] under a multi-valued key', async (value) => {
      expect(await refusal(company, { Invoices: [value] })).toEqual({
        Invoices: ['is not an array of objects that name tasks'],
      });
    });

    it.each([['text'], [''], [7], [false], [[]], [[{ No: '1' }]]])(
      '%j under a single-valued key',
      async (value) => {
        expect(await refusal(company, { CEO: value })).toEqual({
          CEO: ['is not an object that names a task'],
        });
      },
    );

    it.each([{}, { no: '1' }, { No: null }, { No: '' }, { 'Invoice ID': '1' }])(
      'a reference without that property: %j',
      async (value) => {
        expect(await refusal(company, { CEO: value })).toEqual({ CEO: ['names a task without its No'] });
        expect(await refusal(company, { Staff: [value] })).toEqual({
          Staff: ['names a task without its No'],
        });
      },
    );

    it.each([
      ['nobody', 'nobody'],
      [42, '42'],
      ['042', '042'],
      ['4.2', '4.2'],
      [true, 'true'],
      ['x y', 'x y'],
      ['active', 'active'],
      [' 5', ' 5'],
    ])('a task that does not exist, naming the value: %j', async (value, named) => {
      expect(await refusal(company, { CEO: { No: value } })).toEqual({ CEO: [`does not exist: ${named}`] });
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
        Stage: ['is not a stage of this workflow'],
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

    it('of a PUT of a task that is not there: 422 comes before 404', async () => {
      await api.put(companies, { 'Company ID': 'never', CEO: { No: 'no' } }).expect(422);
      await api.put(companies, { 'Company ID': 'never', CEO: null }).expect(404);
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

    it('a relationship is no key of a workflow that it does not join', async () => {
      const [, id] = await make('invoices');
      const { body } = await api.put(invoices, { 'Invoice ID': id, Invoices: [] }).expect(422);
      expect(body).toEqual({ errors: { Invoices: ['is not a field of this workflow'] } });
    });
  });

  describe('linking a task that is single-valued and linked elsewhere moves it: the newest reference wins', () => {
    it.each(ends.filter(({ isOtherMultiple }) => !isOtherMultiple))(
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

    it.each(singleEnds)('$title: from the side of the task that moves', async (end) => {
      const moved = await make(end.workflow);
      const [older, newer] = (await makeSeveral(end.other, 2)) as [Named, Named];
      await put(moved, { [end.name]: reference(older) }).expect(200);
      const before = [await versionOf(older), await versionOf(moved), await versionOf(newer)];
      await put(moved, { [end.name]: reference(newer) }).expect(200);
      expect(await held(moved, end)).toEqual([newer[1]]);
      expect(await held(older, otherEnd(end))).toEqual([]);
      expect(await held(newer, otherEnd(end))).toEqual([moved[1]]);
      const after = [await versionOf(older), await versionOf(moved), await versionOf(newer)];
      expect(after).toEqual(before.map((version) => version + 1));
    });

    it.each(ends.filter(({ isMultiple, isOtherMultiple }) => !isMultiple && !isOtherMultiple))(
      '$title: of two couples, one of each leaves the other two alone',
      async (end) => {
        const [a, b] = (await makeSeveral(end.workflow, 2)) as [Named, Named];
        const [x, y] = (await makeSeveral(end.other, 2)) as [Named, Named];
        await put(a, { [end.name]: reference(x) }).expect(200);
        await put(b, { [end.name]: reference(y) }).expect(200);
        await put(a, { [end.name]: reference(y) }).expect(200);
        const shown = [await held(a, end), await held(b, end), await held(x, otherEnd(end)), await held(y, otherEnd(end))]; // prettier-ignore
        expect(shown).toEqual([[y[1]], [], [], [a[1]]]);
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

    it('each key is the complete set of its own side', async () => {
      const [one, two, three] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      await put(one, { Likes: [reference(two)], 'Liked by': [reference(three)] }).expect(200);
      await put(one, { Likes: [reference(three)], 'Liked by': [] }).expect(200);
      const shown = [];
      for (const name of ['Likes', 'Liked by']) {
        for (const task of [one, two, three]) shown.push(await held(task, endNamed('people', name)));
      }
      expect(shown).toEqual([[three[1]], [], [], [], [], [one[1]]].map((ids) => ids.flat()));
    });
  });

  describe('a payload with fields and links is one transaction', () => {
    it('a failing field leaves links as they were', async () => {
      const [one, two] = (await makeSeveral('invoices', 2)) as [Named, Named];
      const task = await make('companies', { Invoices: [reference(one)], Name: 'old' });
      const before = await stateOf(task, one, two);
      expect(await refusal(task, { Founded: '2026-02-30', Invoices: [reference(two)] })).toEqual({
        Founded: ['is not a date in YYYY-MM-DD format'],
      });
      expect(await stateOf(task, one, two)).toEqual(before);
    });

    it('a failing link leaves fields and other links as they were', async () => {
      const [one, two] = (await makeSeveral('invoices', 2)) as [Named, Named];
      const task = await make('companies', { Invoices: [reference(one)], Name: 'old' });
      const before = await stateOf(task, one, two);
      await refusal(task, { Name: 'new', Stage: 'Done', Invoices: [reference(two)], CEO: { No: 'no' } });
      expect(await stateOf(task, one, two)).toEqual(before);
    });

    it('both show in the answer, as one version', async () => {
      const [one, two] = (await makeSeveral('invoices', 2)) as [Named, Named];
      const task = await make('companies', { Invoices: [reference(one)], Name: 'old' });
      const answer = await put(task, { Name: 'new', Invoices: [reference(two)] }).expect(200);
      expect(answer.body).toMatchObject({ Name: 'new', Invoices: await shownLinked(two) });
      expect(versionIn(answer)).toBe(2);
    });
  });

  describe('DELETE of a task', () => {
    it.each(ends)('$title: removes its links and counts a version of its partners', async (end) => {
      const task = await make(end.workflow);
      const others = await makeSeveral(end.other, end.isMultiple ? 3 : 1);
      await put(task, { [end.name]: valueOf(end, others) }).expect(200);
      await api.delete(`${tasksOf(task[0])}/${task[1]}`).expect(204);
      for (const other of others)
        expect([await held(other, otherEnd(end)), await versionOf(other)]).toEqual([[], 3]);
      // One of the same name is another task.
      await api.post(tasksOf(task[0]), reference(task)).expect(201);
      expect(await held(task, end)).toEqual([]);
    });

    it('of one that is linked to the same task twice counts one version', async () => {
      const other = await make('people');
      const both = reference(other);
      const [, id] = await make('people', { Next: both, Boss: both, Likes: [both] });
      await api.delete(`${people}/${id}`).expect(204);
      const { body } = (await get(other)) as { body: Task };
      expect([body['Previous'], body['Reports'], body['Liked by']]).toEqual([null, [], []]);
      expect(await versionOf(other)).toBe(3);
    });

    it('with If-Match: 412 when stale, and the links stay', async () => {
      const other = await make('people');
      const task = await make('people', { Boss: reference(other) });
      const { headers } = await get(task);
      await put(other, { Reports: [] }).expect(200);
      await put(other, { Reports: [reference(task)] }).expect(200);
      const before = await stateOf(task, other);
      await api.delete(`${people}/${task[1]}`).set('If-Match', String(headers['etag'])).expect(412);
      expect(await stateOf(task, other)).toEqual(before);
      const { headers: fresh } = await get(task);
      await api.delete(`${people}/${task[1]}`).set('If-Match', String(fresh['etag'])).expect(204);
      expect(await held(other, endNamed('people', 'Reports'))).toEqual([]);
    });
  });

  describe('versions', () => {
    it.each(ends)('$title: linking and unlinking count one version on both tasks', async (end) => {
      const [task, other] = [await make(end.workflow), await make(end.other)];
      const versions = async (): Promise<number[]> => [await versionOf(task), await versionOf(other)];
      await put(task, { [end.name]: valueOf(end, [other]) }).expect(200);
      expect(await versions()).toEqual([2, 2]);
      await put(task, { [end.name]: valueOf(end, [other]) }).expect(200);
      expect(await versions()).toEqual([2, 2]);
      await put(task, { [end.name]: valueOf(end, []) }).expect(200);
      expect(await versions()).toEqual([3, 3]);
      await put(task, { [end.name]: valueOf(end, []) }).expect(200);
      expect(await versions()).toEqual([3, 3]);
    });

    it('of a set, only those that come or go count one', async () => {
      const [one, two, three] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      const company = await make('companies', { Staff: [one, two].map(reference) });
      await put(company, { Staff: [two, three].map(reference) }).expect(200);
      const versions = [];
      for (const task of [company, one, two, three]) versions.push(await versionOf(task));
      expect(versions).toEqual([2, 3, 2, 2]);
    });

    it('several keys to the same task count one', async () => {
      const person = await make('people');
      const one = reference(person);
      const company = await make('companies');
      await put(company, { CEO: one, Seat: one, Staff: [one] }).expect(200);
      expect([await versionOf(company), await versionOf(person)]).toEqual([2, 2]);
    });

    it('a linked task that changes does not change the version, but the hash: If-None-Match is 200 then', async () => {
      const person = await make('people');
      const company = await make('companies', { CEO: reference(person) });
      const { headers } = await get(company);
      const tag = String(headers['etag']);
      const path = `${companies}/${company[1]}`;
      await api.get(path).set('If-None-Match', tag).expect(304);
      await put(person, { Nick: 'new' }).expect(200);
      const { headers: after, body } = await api.get(path).set('If-None-Match', tag).expect(200);
      expect((body as { CEO: Task }).CEO['Nick']).toBe('new');
      expect(after['etag']).not.toBe(tag);
      expect(String(after['etag']).split('-')[0]).toBe(tag.split('-')[0]);
      // So a client that knows the older body may still write.
      await put(company, { Name: 'x' }).set('If-Match', tag).expect(200);
    });

    it('a task that is linked to a linked one does not show, and changes nothing', async () => {
      const [far, near] = (await makeSeveral('people', 2)) as [Named, Named];
      await put(near, { Boss: reference(far) }).expect(200);
      const company = await make('companies', { CEO: reference(near) });
      const before = await stateOf(company);
      await put(far, { Nick: 'new' }).expect(200);
      expect(await stateOf(company)).toEqual(before);
    });

    it('If-Match with links: 412 when stale, and nothing is linked', async () => {
      const [one, two] = (await makeSeveral('people', 2)) as [Named, Named];
      const { headers } = await get(one);
      const tag = String(headers['etag']);
      await put(two, { Boss: reference(one) }).expect(200);
      const before = await stateOf(one, two);
      await put(one, { Likes: [reference(two)] })
        .set('If-Match', tag)
        .expect(412);
      await api.post(people, { ...reference(one), Likes: [reference(two)] }).set('If-Match', tag).expect(412); // prettier-ignore
      await api
        .post(people, { ...reference(one), Likes: [] })
        .set('If-None-Match', '*')
        .expect(412);
      expect(await stateOf(one, two)).toEqual(before);
      const { headers: fresh } = await get(one);
      await put(one, { Likes: [reference(two)] })
        .set('If-Match', String(fresh['etag']))
        .expect(200);
      await api
        .put(people, { No: 'none', Likes: [reference(two)] })
        .set('If-Match', '*')
        .expect(412);
    });
  });

  describe('round-trip law: the body of a GET, sent back, changes nothing', () => {
    it.each(['put', 'post'] as const)('by %s, from both sides, with links of every kind', async (verb) => {
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
        const answer = await api[verb](tasksOf(task[0]), shown.text).expect(200);
        expect([answer.text, answer.headers['etag']]).toEqual([shown.text, shown.headers['etag']]);
      }
      expect(await stateOf(...all)).toEqual(before);
    });

    it('a body that a linked task has outdated changes no linked task', async () => {
      const person = await make('people', { Nick: 'old' });
      const company = await make('companies', { CEO: reference(person) });
      const { text } = await get(company);
      await put(person, { Nick: 'new' }).expect(200);
      const before = await stateOf(company, person);
      await api.put(companies, text).expect(200);
      expect(await stateOf(company, person)).toEqual(before);
    });
  });

  it('Idempotency-Key with links: the same answer, and no second version', async () => {
    const [one, two] = (await makeSeveral('people', 2)) as [Named, Named];
    const post = (body: object): ReturnType<Client['post']> =>
      api.post(people, body).set('Idempotency-Key', 'links');
    const payload = { Nick: 'once', Boss: reference(one), Likes: [one, two].map(reference) };
    const first = await post(payload).expect(201);
    await put(two, { 'Liked by': [] }).expect(200);
    const before = await stateOf(one, two);
    const second = await post(payload).expect(201);
    expect([second.text, second.headers['etag']]).toEqual([first.text, first.headers['etag']]);
    expect(await stateOf(one, two)).toEqual(before);
    await post({ ...payload, Likes: [reference(one)] }).expect(409);
    expect(await stateOf(one, two)).toEqual(before);
    await api.post(people, { Likes: [{ No: 'no' }] }).set('Idempotency-Key', 'refused').expect(422); // prettier-ignore
    await api.post(people, { Likes: [reference(one)] }).set('Idempotency-Key', 'refused').expect(201); // prettier-ignore
  });

  it('names such as `constructor`, `toString` and `10` are ordinary names of relationships', async () => {
    const names = ['constructor', 'prototype', 'toString', '10', 'then', 'toJSON', 'has/slash', '%41', '😀'];
    await service.apply(`
workspace: { id: names, name: Names }
workflows:
  - { id: things, name: Things, stages: [{ name: Open }], fields: [{ name: "2", type: uniqueId, required: true }, { name: Text, type: text }] }
  - { id: parts, name: Parts, stages: [{ name: Open }], fields: [{ name: valueOf, type: uniqueId, required: true }] }
relationships:
${names.map((name, n) => `  - { id: r${n}, kind: ${n % 2 === 0 ? 'one_to_one' : 'many_to_many'}, from: { workflow: things, name: "${name}" }, to: { workflow: parts, name: "of ${name}" } }`).join('\n')}
`);
    const named = service.client(await service.key('names'));
    const [things, parts] = [tasksOf('things'), tasksOf('parts')];
    await named.post(parts, '{"valueOf":"p"}').expect(201);
    const single = '{"valueOf":"p"}';
    const values = names.map((name, n) => `"${name}":${n % 2 === 0 ? single : `[${single}]`}`).join();
    const { text } = await named.post(things, `{"2":"t",${values}}`).expect(201);
    const part = /\{"Stage":"Open","Assigned To":null,"Task URL":"[^"]*","valueOf":"p"\}/g;
    const shown = names.map((name, n) => `"${name}":${n % 2 === 0 ? 'P' : '[P]'}`).join();
    expect(text.replace(part, 'P').replace(/"Task URL":"[^"]*"/, '"Task URL":""')).toBe(
      `{"Stage":"Open","Assigned To":null,"Task URL":"","2":"t","Text":null,${shown}}`,
    );
    expect((await named.get(`${things}/t`).expect(200)).text).toBe(text);
    expect((await named.get(things).expect(200)).text).toBe(`[${text}]`);
    expect((await named.put(things, text).expect(200)).text).toBe(text);
    for (const name of names) {
      const path = `${things}/t/links/${encodeURIComponent(name)}`;
      const [task] = text.match(part) ?? [];
      expect((await named.get(path).expect(200)).text).toBe(`[${task}]`);
      await named.delete(`${path}/p`).expect(204);
      expect((await named.get(path).expect(200)).text).toBe('[]');
      await named.put(`${path}/p`).expect(204);
    }
    expect((await named.get(`${things}/t`).expect(200)).text).toBe(text);
    for (const name of ['__proto__', 'hasOwnProperty', 'valueOf', '11']) {
      const { body } = await named.put(things, `{"2":"t","${name}":null}`).expect(422);
      expect(body).toEqual({ errors: { [name]: ['is not a field of this workflow'] } });
      await named.get(`${things}/t/links/${name}`).expect(404);
    }
  });

  describe('many links', () => {
    let many: Client;
    /** Of 12,000 invoices. */
    let all: readonly string[];

    beforeAll(async () => {
      await service.apply(yaml.replace('{ id: acme, name: Acme }', '{ id: many, name: Many }'));
      many = service.client(await service.key('many'));
      await many.post(invoices, { 'Invoice ID': 'first', Amount: 7 }).expect(201);
      await service.dataSource.query(
        `INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
         SELECT t.workspace_id, t.workflow_id, 'p' || n, 'n' || n, t.stage_id, true, t.field_values
         FROM tasks t, generate_series(1, 12000) n
         WHERE unique_value = 'first' AND workspace_id = (SELECT id FROM workspaces WHERE slug = 'many')`,
      );
      await service.dataSource.query('ANALYZE tasks');
      all = Array.from({ length: 12_000 }, (_, n) => `n${n + 1}`);
    });

    const references = (ids: readonly string[]): object[] => ids.map((id) => ({ 'Invoice ID': id }));
    const idsIn = (body: unknown): unknown[] =>
      (body as { Invoices: Task[] }).Invoices.map((invoice) => invoice['Invoice ID']);

    it('10,001 new references in one array are refused, and nothing is written', async () => {
      const payload = { 'Company ID': 'C', Invoices: references(all.slice(0, 10_001)) };
      const { body } = await many.post(companies, payload).expect(422);
      expect(body).toEqual({ errors: { Invoices: ['links more than 10,000 new tasks at once'] } });
      await many.get(`${companies}/C`).expect(404);
    });

    it('70,000 references to nothing are refused with a short answer', async () => {
      const nothing = Array.from({ length: 70_000 }, (_, n) => `none-${n}`);
      const { body, text } = await many.post(companies, { 'Company ID': 'C', Invoices: references(nothing) });
      const { Invoices: messages } = (body as { errors: { Invoices: string[] } }).errors;
      expect(messages[0]).toBe('does not exist: none-0');
      expect(text.length).toBeLessThan(10_000);
      await many.get(`${companies}/C`).expect(404);
    });

    describe('12,000 of a task', () => {
      let written: Response;

      beforeAll(async () => {
        const payload = { 'Company ID': 'C', Name: 'many' };
        const first = await many.post(companies, { ...payload, Invoices: references(all.slice(0, 10_000)) });
        expect([first.status, idsIn(first.body)]).toEqual([201, all.slice(0, 10_000)]);
        await service.dataSource.query('ANALYZE links');
        written = await many.put(companies, { ...payload, Invoices: references(all) }).expect(200);
        await many.post(companies, { 'Company ID': 'after' }).expect(201);
      });

      it('the answer of the write is complete and right', () => {
        const { Invoices: linked, ...rest } = written.body as { Invoices: Task[] };
        expect(linked.map((invoice) => invoice['Invoice ID'])).toEqual(all);
        expect(linked[11_999]).toEqual({ ...linked[0], 'Task URL': expect.stringMatching(/\/p12000$/) as unknown, 'Invoice ID': 'n12000' }); // prettier-ignore
        expect(linked[0]).toMatchObject({ Stage: 'Open', 'Invoice ID': 'n1', Amount: '7.00', Scan: [] });
        expect(rest).toMatchObject({ 'Company ID': 'C', Name: 'many', CEO: null, Seat: null, Staff: [] });
        expect(versionIn(written)).toBe(2);
      });

      it('so is that of GET, with the same ETag', async () => {
        const answer = await many.get(`${companies}/C`).expect(200);
        expect(answer.text === written.text).toBe(true);
        expect(answer.headers['etag']).toBe(written.headers['etag']);
        await many.get(`${companies}/C`).set('If-None-Match', String(answer.headers['etag'])).expect(304);
      });

      it('a HEAD has the ETag and no body', async () => {
        const { headers, status, text } = await head(`${companies}/C`);
        expect([status, headers.get('ETag'), text]).toEqual([200, written.headers['etag'], '']);
        expect(await head(companies)).toMatchObject({ status: 200, text: '' });
        expect(await head(`${companies}/C/links/Invoices`)).toMatchObject({ status: 200, text: '' });
      });

      async function head(path: string): Promise<{ headers: Headers; status: number; text: string }> {
        const answer = await fetch(service.url + path, {
          method: 'HEAD',
          headers: { Authorization: `Bearer ${await service.key('many')}` },
        });
        return { headers: answer.headers, status: answer.status, text: await answer.text() };
      }

      it.each([
        '',
        '/active',
        '?_limit=1000',
        '?_sort=-Name',
        '?_sort=-Name&_limit=2',
        '?Name=many&_limit=1',
      ])('so is that of list %j', async (query) => {
        const { text } = await many.get(companies + query).expect(200);
        expect(text.startsWith(`[${written.text}`)).toBe(true);
        const listed = JSON.parse(text) as Task[];
        expect(listed.map((company) => company['Company ID'])).toEqual(
          query.includes('many') ? ['C'] : ['C', 'after'],
        );
      });

      it('`_fields` without the relationship leaves it out, and with it shows it', async () => {
        const fields = async (names: string): Promise<unknown> =>
          (await many.get(`${companies}?_fields=${names}`).expect(200)).body;
        expect(await fields('Name')).toEqual([{ Name: 'many' }, { Name: null }]);
        const { Invoices: linked } = written.body as { Invoices: Task[] };
        expect(await fields('Invoices')).toEqual([{ Invoices: linked }, { Invoices: [] }]);
      });

      it('the other side shows it in every task of a list', async () => {
        const { body } = await many.get(`${invoices}?_fields=Company`).expect(200);
        const { Invoices: _i, CEO: _c, Seat: _s, Staff: _t, ...own } = written.body as Task;
        const [first, ...linked] = body as Task[];
        expect([first, linked.length]).toEqual([{ Company: null }, 12_000]);
        expect(linked.filter(({ Company }) => JSON.stringify(Company) !== JSON.stringify(own))).toEqual([]);
      });

      it('a round trip changes nothing, for only new references are counted', async () => {
        for (const verb of ['put', 'post'] as const) {
          const answer = await many[verb](companies, written.text).expect(200);
          expect(answer.text === written.text).toBe(true);
          expect(answer.headers['etag']).toBe(written.headers['etag']);
        }
      });

      it('the ETag changes when the last linked task changes', async () => {
        await many.put(invoices, { 'Invoice ID': 'n12000', Amount: 8 }).expect(200);
        const tag = String(written.headers['etag']);
        const { headers, body } = await many.get(`${companies}/C`).set('If-None-Match', tag).expect(200);
        expect(headers['etag']).not.toBe(tag);
        expect(String(headers['etag']).split('-')[0]).toBe('"2');
        expect((body as { Invoices: Task[] }).Invoices[11_999]).toMatchObject({ Amount: '8.00' });
        await many.put(invoices, { 'Invoice ID': 'n12000', Amount: 7 }).expect(200);
      });

      it('one link at a time: all, or by pages', async () => {
        const path = `${companies}/C/links/Invoices`;
        const { Invoices: linked } = written.body as { Invoices: Task[] };
        expect((await many.get(path).expect(200)).body).toEqual(linked);
        const found: unknown[] = [];
        for (let next = `${path}?_limit=1000`; next;) {
          const { headers, body } = await many.get(next).expect(200);
          expect((body as Task[]).length).toBe(1000);
          found.push(...(body as Task[]));
          next = nextOf(headers);
        }
        expect(found).toEqual(linked);
      });

      it('one reference left out unlinks one, and an empty array all', async () => {
        const answer = await many.put(companies, { 'Company ID': 'C', Invoices: references(all.slice(1)) });
        expect([answer.status, idsIn(answer.body)]).toEqual([200, all.slice(1)]);
        const { body } = await many.get(`${invoices}/n1`).expect(200);
        expect(body).toMatchObject({ 'Invoice ID': 'n1', Company: null });
        const none = await many.put(companies, { 'Company ID': 'C', Invoices: [] }).expect(200);
        expect(idsIn(none.body)).toEqual([]);
        const { headers } = await many.get(`${invoices}/n2`).expect(200);
        expect(headers['etag']).toMatch(/^"3-/);
      });

      it('a task with so many links can be deleted', async () => {
        await many.put(companies, { 'Company ID': 'C', Invoices: references(all.slice(0, 6000)) }).expect(200); // prettier-ignore
        await many.delete(`${companies}/C`).expect(204);
        const { body } = await many.get(`${invoices}?_fields=Company`).expect(200);
        expect((body as Task[]).filter(({ Company }) => Company !== null)).toEqual([]);
      });
    });
  });

  describe('beyond the interface: one link at a time', () => {
    const linksOf = ([workflow, id]: Named, name: string, other?: string): string =>
      `${tasksOf(workflow)}/${encodeURIComponent(id)}/links/${encodeURIComponent(name)}` +
      (other === undefined ? '' : `/${encodeURIComponent(other)}`);

    it.each(ends)('$title: GET lists the linked tasks, PUT links, DELETE unlinks', async (end) => {
      const [task, other] = [await make(end.workflow), await make(end.other)];
      const path = linksOf(task, end.name);
      expect((await api.get(path).expect(200)).body).toEqual([]);
      const linked = await api.put(`${path}/${other[1]}`).expect(204);
      expect(linked.text).toBe('');
      expect((await api.get(path).expect(200)).body).toEqual(await shownLinked(other));
      expect([await held(task, end), await held(other, otherEnd(end))]).toEqual([[other[1]], [task[1]]]);
      expect((await api.delete(`${path}/${other[1]}`).expect(204)).text).toBe('');
      expect([await held(task, end), await held(other, otherEnd(end))]).toEqual([[], []]);
      expect([await versionOf(task), await versionOf(other)]).toEqual([3, 3]);
    });

    it('PUT adds to what is linked, and is idempotent: a second one counts no version', async () => {
      const [task, one, two] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      for (const other of [two, one, two, one]) await api.put(linksOf(task, 'Likes', other[1])).expect(204);
      expect((await api.get(linksOf(task, 'Likes'))).body).toEqual(await shownLinked(one, two));
      expect([await versionOf(task), await versionOf(one), await versionOf(two)]).toEqual([3, 2, 2]);
    });

    it.each(ends.filter(({ isMultiple, isOtherMultiple }) => !isMultiple || !isOtherMultiple))(
      '$title: PUT moves where a side is single-valued, and counts a version of all that it alters',
      async (end) => {
        const [a, b] = (await makeSeveral(end.workflow, 2)) as [Named, Named];
        const [x, y] = (await makeSeveral(end.other, 2)) as [Named, Named];
        await put(a, { [end.name]: valueOf(end, [x]) }).expect(200);
        await put(b, { [end.name]: valueOf(end, [y]) }).expect(200);
        await api.put(linksOf(a, end.name, y[1])).expect(204);
        const shown = [await held(a, end), await held(b, end), await held(x, otherEnd(end)), await held(y, otherEnd(end))]; // prettier-ignore
        expect(shown).toEqual([
          end.isMultiple ? [x[1], y[1]] : [y[1]],
          end.isOtherMultiple ? [y[1]] : [],
          end.isMultiple ? [a[1]] : [],
          end.isOtherMultiple ? [a[1], b[1]] : [a[1]],
        ]);
        const versions = [];
        for (const one of [a, b, x, y]) versions.push(await versionOf(one));
        expect(versions).toEqual([3, end.isOtherMultiple ? 2 : 3, end.isMultiple ? 2 : 3, 3]);
      },
    );

    it('DELETE is 404 when that link is not there', async () => {
      const [task, other, third] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      await put(task, { Likes: [reference(other)], Next: reference(other) }).expect(200);
      const before = await stateOf(task, other, third);
      await api.delete(linksOf(task, 'Likes', third[1])).expect(404);
      await api.delete(linksOf(task, 'Next', third[1])).expect(404);
      await api.delete(linksOf(task, 'Boss', other[1])).expect(404);
      await api.delete(linksOf(task, 'Liked by', other[1])).expect(404);
      await api.delete(linksOf(task, 'Likes', task[1])).expect(404);
      await api.delete(linksOf(task, 'Likes', 'nobody')).expect(404);
      expect(await stateOf(task, other, third)).toEqual(before);
      await api.delete(linksOf(task, 'Likes', other[1])).expect(204);
      await api.delete(linksOf(task, 'Likes', other[1])).expect(404);
    });

    it.each(['get', 'put', 'delete'] as const)(
      '%s is 404 when a task or the relationship is not there',
      async (verb) => {
        const [task, other] = (await makeSeveral('people', 2)) as [Named, Named];
        const more = verb === 'get' ? undefined : other[1];
        const nobody: Named = ['people', 'nobody'];
        const answers = [
          await api[verb](linksOf(nobody, 'Likes', more)),
          await api[verb](linksOf(task, 'Nothing', more)),
          await api[verb](linksOf(task, 'Nick', more)),
          await api[verb](linksOf(task, 'Stage', more)),
          await api[verb](linksOf(task, '__proto__', more)),
          await api[verb](linksOf(task, 'likes', more)),
          await api[verb](linksOf(['people', '\u0000'], 'Likes', more)),
          ...(verb === 'get' ? [] : [await api[verb](linksOf(task, 'Likes', 'nobody'))]),
          ...(verb === 'get' ? [] : [await api[verb](linksOf(task, 'Employers', other[1]))]),
          ...(verb === 'get' ? [] : [await api[verb](linksOf(task, 'Likes', '\u0000'))]),
        ];
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
        expect(await versionOf(task)).toBe(1);
      },
    );

    it.each(['get', 'put', 'delete'] as const)(
      '%s: a workflow without a Unique ID is 422 on base',
      async (verb) => {
        const path = `${tasksOf('notes')}/1/links/Anything${verb === 'get' ? '' : '/2'}`;
        expect((await api[verb](path).expect(422)).body).toEqual({
          errors: { base: ['This workflow has no Unique ID field'] },
        });
      },
    );

    it('another workspace’s tasks are not there, in the same words', async () => {
      const theirs = service.client(await service.key('other'));
      await theirs.post(people, { No: 555_555 }).expect(201);
      const task = await make('people');
      const bodies = [];
      for (const id of ['555555', '555556']) {
        const { body } = await api.put(linksOf(task, 'Likes', id)).expect(404);
        bodies.push({ ...(body as object), request_id: '' });
        await api.get(linksOf(['people', id], 'Likes')).expect(404);
        await api.put(linksOf(['people', id], 'Likes', task[1])).expect(404);
      }
      expect(bodies[0]).toEqual(bodies[1]);
      const { body } = await theirs.get(`${people}/555555`).expect(200);
      expect(body).toHaveProperty('Liked by', []);
    });

    it('PUT to the task itself is 422 on the relationship', async () => {
      const task = await make('people');
      for (const name of ['Next', 'Previous', 'Reports', 'Boss', 'Likes', 'Liked by']) {
        const { body } = await api.put(linksOf(task, name, task[1])).expect(422);
        expect(body).toEqual({ errors: { [name]: ['cannot be the task itself'] } });
      }
      expect(await versionOf(task)).toBe(1);
    });

    it.each(['a/b/c', '?#%25', '💡', 'a b', '__proto__.x'])('a Unique ID may be %j', async (id) => {
      const company: Named = ['companies', id];
      await api.post(companies, { 'Company ID': id }).expect(201);
      await api.post(invoices, { 'Invoice ID': `${id}!` }).expect(201);
      await api.put(linksOf(company, 'Invoices', `${id}!`)).expect(204);
      expect((await api.get(linksOf(company, 'Invoices'))).body).toEqual(
        await shownLinked(['invoices', `${id}!`]),
      );
      await api.delete(linksOf(['invoices', `${id}!`], 'Company', id)).expect(204);
      expect((await api.get(linksOf(company, 'Invoices'))).body).toEqual([]);
    });

    it('a request body is ignored', async () => {
      const [task, one, two] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      await api.put(linksOf(task, 'Likes', one[1]), { No: two[1], Likes: [] }).expect(204);
      await api.put(linksOf(task, 'Likes', two[1]), 'not JSON').expect(204);
      await api
        .delete(linksOf(task, 'Likes', one[1]))
        .send({ No: two[1] })
        .expect(204);
      expect((await api.get(linksOf(task, 'Likes'))).body).toEqual(await shownLinked(two));
    });

    it('If-Match on PUT and DELETE compares the version of the task of the path: 412 when stale', async () => {
      const [task, one, two] = (await makeSeveral('people', 3)) as [Named, Named, Named];
      const tagOf = async (named: Named): Promise<string> => String((await get(named)).headers['etag']);
      const stale = await tagOf(task);
      await api
        .put(linksOf(task, 'Likes', one[1]))
        .set('If-Match', stale)
        .expect(204);
      const before = await stateOf(task, one, two);
      await api
        .put(linksOf(task, 'Likes', two[1]))
        .set('If-Match', stale)
        .expect(412);
      await api
        .put(linksOf(task, 'Likes', one[1]))
        .set('If-Match', stale)
        .expect(412);
      await api
        .delete(linksOf(task, 'Likes', one[1]))
        .set('If-Match', stale)
        .expect(412);
      expect(await stateOf(task, one, two)).toEqual(before);
      await api.put(linksOf(task, 'Likes', two[1])).set('If-Match', await tagOf(task)).expect(204); // prettier-ignore
      await api.delete(linksOf(task, 'Likes', one[1])).set('If-Match', await tagOf(task)).expect(204); // prettier-ignore
      await api
        .delete(linksOf(task, 'Likes', two[1]))
        .set('If-Match', '*')
        .expect(204);
    });

    it('a key of scope read may GET, and is refused PUT and DELETE (403)', async () => {
      const reader = service.client(await service.key('acme', 'read'));
      const [task, other] = (await makeSeveral('people', 2)) as [Named, Named];
      await put(task, { Likes: [reference(other)] }).expect(200);
      expect((await reader.get(linksOf(task, 'Likes')).expect(200)).body).toEqual(await shownLinked(other));
      await reader.put(linksOf(task, 'Likes', other[1])).expect(403);
      await reader.delete(linksOf(task, 'Likes', other[1])).expect(403);
      await reader.put(linksOf(task, 'Nothing', other[1])).expect(403);
      expect(await versionOf(task)).toBe(2);
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

      it.each(['0', '1001', '-1', '', 'ten', '1.0'])('`_limit=%s` is 422', async (limit) => {
        expect((await api.get(`${path}?_limit=${limit}`).expect(422)).body).toEqual({
          errors: { _limit: ['is not a whole number from 1 to 1000'] },
        });
      });

      it('`_after` without `_limit`, or from another list, is 422', async () => {
        const { headers } = await api.get(`${path}?_limit=1`).expect(200);
        const after = new URLSearchParams(nextOf(headers).split('?')[1]).get('_after') ?? '';
        const other = linksOf(task, 'Liked by');
        for (const address of [
          `${path}?_after=${after}`,
          `${path}?_limit=1&_after=x`,
          `${path}?_limit=1&_after=`,
          `${other}?_limit=1&_after=${after}`,
          `${linksOf(some[0] ?? task, 'Likes')}?_limit=1&_after=${after}`,
          `${people}?_limit=1&_after=${after}`,
        ]) {
          const { body } = await api.get(address).expect(422);
          expect(Object.keys((body as { errors: object }).errors)).toEqual(['_after']);
        }
      });

      it.each(['_sort=No', '_fields=No', '_count=true', 'No=1', 'x=', '__proto__=1', 'constructor=1'])(
        'any other parameter, %s, is 422',
        async (query) => {
          const { body } = await api.get(`${path}?${query}`).expect(422);
          expect(Object.keys((body as { errors: object }).errors)).toEqual([query.replace(/=.*/, '')]);
        },
      );

      it('a cursor leads on where the task behind which it stands is linked no more', async () => {
        const { headers } = await api.get(`${path}?_limit=2`).expect(200);
        await api.delete(linksOf(task, 'Likes', some[1]?.[1] ?? '')).expect(204);
        expect((await api.get(nextOf(headers)).expect(200)).body).toEqual(await shownLinked(...some.slice(2, 4))); // prettier-ignore
      });
    });
  });

  function endNamed(workflow: WorkflowId, name: string): End {
    const end = ends.find((one) => one.workflow === workflow && one.name === name);
    if (!end) throw new Error(`no relationship ${name}`);
    return end;
  }
});

const relationshipNames = new Set(ends.map(({ name }) => name));

function withoutLinks(task: Task): Task {
  return Object.fromEntries(Object.entries(task).filter(([name]) => !relationshipNames.has(name)));
}

function idsUnder(task: Task, name: string, other: WorkflowId, isMultiple: boolean): unknown[] {
  const value = task[name] as Task | readonly Task[] | null;
  expect(Array.isArray(value)).toBe(isMultiple);
  return [value].flat().flatMap((one) => (one === null ? [] : [one[idNames[other]]]));
}

function versionIn({ headers }: Response): number {
  return Number(/^"(\d+)-/.exec(String(headers['etag']))?.[1]);
}

/** The path of the next page, or nothing. */
function nextOf(headers: Response['headers']): string {
  const { link = '' } = headers as { link?: string };
  return /^<https?:\/\/[^/]*([^>]*)>; rel="next"$/.exec(link)?.[1] ?? '';
}
