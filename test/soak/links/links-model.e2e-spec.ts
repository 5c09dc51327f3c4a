import fc from 'fast-check';
import { type Response, type Test } from 'supertest';
import { type Client, countVersionsFromOne, startService, type TestService } from '../../support/service.js';

/** A relationship of each kind between `as` and `bs`, and one of each kind within `as`. */
const relationships = [
  ['one_to_one', 'as', 'Twin', 'bs', 'Twin of'],
  ['one_to_many', 'as', 'Children', 'bs', 'Parent'],
  ['many_to_one', 'as', 'Owner', 'bs', 'Owned'],
  ['many_to_many', 'as', 'Peers', 'bs', 'Peers of'],
  ['one_to_one', 'as', 'Next', 'as', 'Previous'],
  ['one_to_many', 'as', 'Reports', 'as', 'Boss'],
  ['many_to_one', 'as', 'Leader', 'as', 'Followers'],
  ['many_to_many', 'as', 'Likes', 'as', 'Liked by'],
] as const;

type Workflow = 'as' | 'bs';

const workflowYaml = (id: Workflow): string => `
  - id: ${id}
    name: ${id}
    stages: [{ name: Open }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Text, type: text }]`;
const yaml = `
workspace: { id: acme, name: Acme }
workflows:${workflowYaml('as')}${workflowYaml('bs')}
relationships:
${relationships
  .map(
    ([kind, from, name, to, other], n) =>
      `  - { id: r${n}, kind: ${kind}, from: { workflow: ${from}, name: ${name} }, to: { workflow: ${to}, name: ${other} } }`,
  )
  .join('\n')}
`;

/** One side of a relationship, as the tasks of a workflow hold it. */
interface Side {
  readonly relationship: number;
  readonly name: string;
  readonly workflow: Workflow;
  readonly other: Workflow;
  readonly isFrom: boolean;
  readonly isMultiple: boolean;
  /** Whether a task can be held by one other only. */
  readonly isExclusive: boolean;
}

const sides: readonly Side[] = relationships.flatMap(([kind, from, name, to, other], relationship) => {
  const [fromMany, toMany] = [kind.startsWith('many'), kind.endsWith('many')];
  return [
    { relationship, name, workflow: from, other: to, isFrom: true, isMultiple: toMany, isExclusive: !fromMany }, // prettier-ignore
    { relationship, name: other, workflow: to, other: from, isFrom: false, isMultiple: fromMany, isExclusive: !toMany }, // prettier-ignore
  ];
});

interface ModelTask {
  readonly id: string;
  readonly workflow: Workflow;
  readonly url: string;
  text: string | null;
  version: number;
}

interface ModelLink {
  readonly relationship: number;
  readonly from: string;
  readonly to: string;
}

/** All that there is; the tasks in the order of their creation. */
interface Model {
  readonly tasks: Map<string, ModelTask>;
  links: ModelLink[];
}

const several = ['0', '1', '2', '3', '4'];
const idsOf = (workflow: Workflow): string[] => several.map((n) => workflow.charAt(0) + n);
const tasks = (workflow: Workflow): string => `/api/v1/workflows/${workflow}/tasks`;

/** What a request gives under relationship keys: Unique IDs, by the key's name. */
type Keys = Readonly<Record<string, readonly string[]>>;

type Step =
  | { do: 'post' | 'put'; workflow: Workflow; id: string; text?: string | undefined; keys: Keys }
  | { do: 'delete'; workflow: Workflow; id: string }
  | { do: 'link' | 'unlink'; workflow: Workflow; id: string; name: string; other: string };

describe('4.2 links obey the law, whatever is asked', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService();
    await countVersionsFromOne(service);
    await service.apply(yaml);
    api = service.client(await service.key('acme'));
  });
  afterAll(() => service.stop());

  it('after any sequence of requests the service shows what a model in memory holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step(), { minLength: 20, maxLength: 30, size: 'max' }), async (steps) => {
        const model = await start();
        for (const one of steps) await carryOut(one, model);
        await compareAll(model);
      }),
      { numRuns: 20, interruptAfterTimeLimit: 800_000, markInterruptAsFailure: true },
    );
  });

  /** Nothing but four tasks in each workflow. */
  async function start(): Promise<Model> {
    await service.dataSource.query('DELETE FROM tasks');
    const model: Model = { tasks: new Map(), links: [] };
    for (const workflow of ['as', 'bs'] as const) {
      for (const id of idsOf(workflow).slice(0, 4))
        await carryOut({ do: 'post', workflow, id, keys: {} }, model);
    }
    return model;
  }

  async function carryOut(step: Step, model: Model): Promise<void> {
    switch (step.do) {
      case 'post':
      case 'put':
        return write(step, model);
      case 'delete':
        return remove(step, model);
      case 'link':
      case 'unlink':
        return alterOne(step, model);
    }
  }

  async function write(step: Extract<Step, { do: 'post' | 'put' }>, model: Model): Promise<void> {
    const { workflow, id, text, keys } = step;
    const body = { ID: id, ...(text !== undefined && { Text: text }), ...referencesOf(workflow, keys) };
    const answer = await api[step.do](tasks(workflow), body);
    const task = model.tasks.get(id);
    const errors = errorsOf(model, step);
    if (Object.keys(errors).length > 0) {
      expect([answer.status, answer.body]).toEqual([422, { errors }]);
    } else if (!task && step.do === 'put') {
      expect(answer.status).toBe(404);
    } else {
      expect(answer.status).toBe(task ? 200 : 201);
      const written = task ?? create(model, workflow, id, answer);
      const touched = Object.entries(keys).flatMap(([name, wanted]) =>
        relink(model, id, sideOf(workflow, name), wanted),
      );
      const isAltered = touched.length > 0 || (text !== undefined && text !== written.text);
      if (text !== undefined) written.text = text;
      count(model, [...touched, ...(isAltered && task ? [id] : [])]);
      if (!task) written.version = 1;
      expectShown(answer, model, written);
    }
  }

  async function remove({ workflow, id }: { workflow: Workflow; id: string }, model: Model): Promise<void> {
    const isThere = model.tasks.has(id);
    await api.delete(`${tasks(workflow)}/${id}`).expect(isThere ? 204 : 404);
    const ended = model.links.filter(({ from, to }) => from === id || to === id);
    model.links = model.links.filter((link) => !ended.includes(link));
    model.tasks.delete(id);
    count(model, ended.flatMap(({ from, to }) => [from, to])); // prettier-ignore
  }

  async function alterOne(step: Extract<Step, { do: 'link' | 'unlink' }>, model: Model): Promise<void> {
    const { workflow, id, name, other } = step;
    const path = `${tasks(workflow)}/${id}/links/${encodeURIComponent(name)}/${other}`;
    const answer = await (step.do === 'link' ? api.put(path) : api.delete(path));
    const side = sideOf(workflow, name);
    const held = heldBy(model, id, side);
    const isThere = step.do === 'link' || held.includes(other);
    if (!model.tasks.has(id) || !model.tasks.has(other) || !isThere) {
      expect(answer.status).toBe(404);
      return;
    }
    if (id === other && step.do === 'link') {
      const errors = { [name]: ['cannot be the task itself'] };
      expect([answer.status, answer.body]).toEqual([422, { errors }]);
      return;
    }
    expect([answer.status, answer.text]).toEqual([204, '']);
    const more = side.isMultiple ? [...held, other] : [other];
    const wanted = step.do === 'link' ? more : held.filter((one) => one !== other);
    const touched = relink(model, id, side, wanted);
    count(model, [...touched, ...(touched.length > 0 ? [id] : [])]);
  }

  /** Every task by its own address and in its list, with its version. */
  async function compareAll(model: Model): Promise<void> {
    for (const workflow of ['as', 'bs'] as const) {
      const all = [...model.tasks.values()].filter((task) => task.workflow === workflow);
      const list = await api.get(tasks(workflow)).expect(200);
      expect(list.body).toEqual(all.map((task) => shownOf(model, task)));
      for (const task of all)
        expectShown(await api.get(`${tasks(workflow)}/${task.id}`).expect(200), model, task);
    }
  }
});

// The requests.

function step(): fc.Arbitrary<Step> {
  return fc.constantFrom<Workflow>('as', 'as', 'bs').chain((workflow) => {
    const id = fc.constantFrom(...idsOf(workflow));
    const from = { workflow: fc.constant(workflow), id };
    const mine = sides.filter((side) => side.workflow === workflow);
    const one = fc.constantFrom(...mine);
    const write = fc.record({
      do: fc.constantFrom('post', 'put'),
      ...from,
      text: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
      keys: fc
        .uniqueArray(one, { minLength: 1, maxLength: 3, selector: ({ name }) => name })
        .chain((some) =>
          fc.record(Object.fromEntries(some.map((side) => [side.name, referencesUnder(side)]))),
        ),
    });
    const alter = one.chain(({ name, other }) =>
      fc.record({
        do: fc.constantFrom('link', 'link', 'unlink'),
        ...from,
        name: fc.constant(name),
        other: fc.constantFrom(...idsOf(other)),
      }),
    );
    return fc.oneof(
      { weight: 10, arbitrary: write },
      { weight: 5, arbitrary: alter },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('delete'), ...from }) },
    );
  });
}

/** Mostly tasks that are there, for one that is not has the whole payload refused. */
function referencesUnder({ other, isMultiple }: Side): fc.Arbitrary<string[]> {
  const ids = idsOf(other);
  return isMultiple
    ? fc.oneof({ weight: 5, arbitrary: fc.subarray(ids.slice(0, 4)) }, fc.subarray(ids))
    : fc.array(fc.constantFrom(...ids.slice(0, 4), ...ids.slice(0, 4), ...ids), { maxLength: 1 });
}

function referencesOf(workflow: Workflow, keys: Keys): object {
  return Object.fromEntries(
    Object.entries(keys).map(([name, ids]) => {
      const references = ids.map((ID) => ({ ID }));
      return [name, sideOf(workflow, name).isMultiple ? references : (references[0] ?? null)];
    }),
  );
}

// The model: the law once more, as plainly as it can be said.

function sideOf(workflow: Workflow, name: string): Side {
  const side = sides.find((one) => one.workflow === workflow && one.name === name);
  if (!side) throw new Error(`no relationship of ${workflow}: ${name}`);
  return side;
}

const near = (side: Side, link: ModelLink): string => (side.isFrom ? link.from : link.to);
const far = (side: Side, link: ModelLink): string => (side.isFrom ? link.to : link.from);

/** The tasks that a task holds under a key, in the order of their creation. */
function heldBy(model: Model, id: string, side: Side): string[] {
  const held = new Set(
    model.links
      .filter((link) => link.relationship === side.relationship && near(side, link) === id)
      .map((link) => far(side, link)),
  );
  return [...model.tasks.keys()].filter((one) => held.has(one));
}

/** Makes these all that the task holds under the key; returns every task but itself whose links it alters. */
function relink(model: Model, id: string, side: Side, wanted: readonly string[]): string[] {
  const ofSide = model.links.filter(({ relationship }) => relationship === side.relationship);
  const isNamed = (link: ModelLink): boolean => wanted.includes(far(side, link));
  const isOwn = (link: ModelLink): boolean => near(side, link) === id;
  const ended = ofSide.filter((link) => (isOwn(link) ? !isNamed(link) : side.isExclusive && isNamed(link)));
  const held = heldBy(model, id, side);
  const begun = wanted.filter((other) => !held.includes(other));
  const { relationship } = side;
  model.links = [
    ...model.links.filter((link) => !ended.includes(link)),
    ...begun.map((other): ModelLink =>
      side.isFrom ? { relationship, from: id, to: other } : { relationship, from: other, to: id },
    ),
  ];
  return [...begun, ...ended.flatMap(({ from, to }) => [from, to])].filter((one) => one !== id);
}

/** Counts a version of each of these tasks, once. */
function count(model: Model, ids: readonly string[]): void {
  for (const id of new Set(ids)) {
    const task = model.tasks.get(id);
    if (task) task.version += 1;
  }
}

function errorsOf(
  model: Model,
  { workflow, id, keys }: { workflow: Workflow; id: string; keys: Keys },
): object {
  return Object.fromEntries(
    Object.entries(keys).flatMap(([name, wanted]) => {
      const messages = wanted
        .filter((other) => !model.tasks.has(other))
        .map((other) => `does not exist: ${other}`);
      const isItself = sideOf(workflow, name).other === workflow && wanted.includes(id);
      if (isItself && model.tasks.has(id)) messages.push('cannot be the task itself');
      return messages.length > 0 ? [[name, messages]] : [];
    }),
  );
}

function create(model: Model, workflow: Workflow, id: string, answer: Response): ModelTask {
  const { 'Task URL': url } = answer.body as { 'Task URL': string };
  const task: ModelTask = { id, workflow, url, text: null, version: 1 };
  model.tasks.set(id, task);
  return task;
}

/** A task as it shows under a relationship key. */
function ownOf(model: Model, id: string): object {
  const task = model.tasks.get(id);
  return { Stage: 'Open', 'Assigned To': null, 'Task URL': task?.url, ID: id, Text: task?.text };
}

function shownOf(model: Model, { id, workflow }: ModelTask): object {
  const mine = sides.filter((side) => side.workflow === workflow);
  const links = mine.map((side) => {
    const held = heldBy(model, id, side).map((one) => ownOf(model, one));
    return [side.name, side.isMultiple ? held : (held[0] ?? null)] as const;
  });
  return { ...ownOf(model, id), ...Object.fromEntries(links) };
}

function expectShown(answer: Awaited<Test>, model: Model, task: ModelTask): void {
  const tag: unknown = answer.headers['etag'];
  expect([JSON.parse(answer.text), tag]).toEqual([
    shownOf(model, task),
    expect.stringMatching(new RegExp(`^"${task.version}-`)),
  ]);
  expect(answer.text).toBe(JSON.stringify(shownOf(model, task)));
}
