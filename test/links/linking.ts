import { type Test } from 'supertest';
import { countVersionsFromOne, startServiceWith } from '../support/service.js';

/** Every kind of relationship between companies and the workflow of its name, and one of each kind within people. */
export const yaml = `
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
relationships:
  - { id: invoices, kind: one_to_many, from: { workflow: companies, name: Invoices }, to: { workflow: invoices, name: Company } }
  - { id: ceo, kind: one_to_one, from: { workflow: companies, name: CEO }, to: { workflow: people, name: CEO of } }
  - { id: seat, kind: many_to_one, from: { workflow: companies, name: Seat }, to: { workflow: people, name: Seats } }
  - { id: staff, kind: many_to_many, from: { workflow: companies, name: Staff }, to: { workflow: people, name: Employers } }
  - { id: next, kind: one_to_one, from: { workflow: people, name: Next }, to: { workflow: people, name: Previous } }
  - { id: boss, kind: one_to_many, from: { workflow: people, name: Reports }, to: { workflow: people, name: Boss } }
  - { id: friends, kind: many_to_many, from: { workflow: people, name: Likes }, to: { workflow: people, name: Liked by } }
`;
export const tasksOf = (workflow: string): string => `/api/v1/workflows/${workflow}/tasks`;
export const companies = tasksOf('companies');
export const invoices = tasksOf('invoices');
export const people = tasksOf('people');
const idNames = { companies: 'Company ID', invoices: 'Invoice ID', people: 'No' } as const;

export type WorkflowId = keyof typeof idNames;
export type Keys = Readonly<Record<string, unknown>>;

/** The service that the tests of a file ask, and a client of its workspace acme; there is also other. */
export const { service, api } = await startServiceWith([
  yaml,
  yaml.replace('{ id: acme, name: Acme }', '{ id: other, name: Other }'),
]);
await countVersionsFromOne(service);

/** A task by its workflow and its Unique ID. */
export class LinkedTask {
  constructor(
    readonly workflow: WorkflowId,
    readonly id: string,
  ) {}

  get path(): string {
    return `${tasksOf(this.workflow)}/${encodeURIComponent(this.id)}`;
  }

  get reference(): object {
    return { [idNames[this.workflow]]: this.id };
  }

  /** The path of its links under a key, or of one of them. */
  links(name: string, other?: string): string {
    const path = `${this.path}/links/${encodeURIComponent(name)}`;
    return other === undefined ? path : `${path}/${encodeURIComponent(other)}`;
  }

  get(): Test {
    return api.get(this.path).expect(200);
  }

  put(keys: object): Test {
    return api.put(tasksOf(this.workflow), { ...this.reference, ...keys });
  }

  async read(): Promise<Keys> {
    return api.read(this.path);
  }

  async refusal(keys: object): Promise<unknown> {
    return ((await this.put(keys).expect(422)).body as { errors: unknown }).errors;
  }

  async tag(): Promise<string> {
    return String((await this.get()).headers['etag']);
  }

  async version(): Promise<number> {
    return Number(/^"(\d+)-/.exec(await this.tag())?.[1]);
  }

  /** The Unique IDs that it shows under a key that holds many; one or null under another. */
  async held(name: string): Promise<unknown> {
    const value = (await this.read())[name] as Keys | readonly Keys[] | null;
    if (value === null) return null;
    return 'map' in value ? (value as readonly Keys[]).map(idIn) : idIn(value);
  }
}

const idIn = (task: Keys): unknown => task['Company ID'] ?? task['Invoice ID'] ?? task['No'];

let made = 0;

/** A new task that nobody else uses, with these keys. */
export async function make(workflow: WorkflowId, keys: object = {}): Promise<LinkedTask> {
  made += 1;
  const task = new LinkedTask(workflow, `${100_000 + made}`);
  await api.post(tasksOf(workflow), { ...keys, ...task.reference }).expect(201);
  return task;
}

interface Several {
  readonly 2: [LinkedTask, LinkedTask];
  readonly 3: [LinkedTask, LinkedTask, LinkedTask];
  readonly 5: [LinkedTask, LinkedTask, LinkedTask, LinkedTask, LinkedTask];
}

export async function several<Count extends keyof Several>(
  workflow: WorkflowId,
  count: Count,
): Promise<Several[Count]> {
  const some: LinkedTask[] = [];
  while (some.length < count) some.push(await make(workflow));
  return some as Several[Count];
}

/** Tasks with their versions and hashes, by which nothing of them can have changed. */
export async function stateOf(...some: readonly LinkedTask[]): Promise<unknown[]> {
  const answers = await Promise.all(some.map((task) => task.get()));
  return answers.map(({ text, headers }) => [text, headers['etag'] as unknown]);
}

const relationshipNames = new Set(
  Array.from(yaml.matchAll(/workflow: \w+, name: ([^}]*) }/g), ([, name]) => name),
);

/** The tasks as they show under a relationship key: as by themselves, without relationship keys. */
export async function shownLinked(...some: readonly LinkedTask[]): Promise<Keys[]> {
  const tasks = await Promise.all(some.map((task) => task.read()));
  return tasks.map((task) =>
    Object.fromEntries(Object.entries(task).filter(([name]) => !relationshipNames.has(name))),
  );
}
