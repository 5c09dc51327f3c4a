import { type Response } from 'supertest';
import { type Client, countVersionsFromOne, startServiceWith } from '../support/service.js';

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
export const tasksOf = (workflow: string): string => `/api/v1/workflows/${workflow}/tasks`;
export const [companies, invoices, people] = ['companies', 'invoices', 'people'].map(tasksOf) as [
  string,
  string,
  string,
];
const idNames = { companies: 'Company ID', invoices: 'Invoice ID', people: 'No' } as const;

type WorkflowId = keyof typeof idNames;
export type Task = Readonly<Record<string, unknown>>;

/** A task by its workflow and its Unique ID. */
export type Named = readonly [WorkflowId, string];

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

export const ends: readonly End[] = pairs.flatMap(({ kind, from, to, many }) => [
  endOf(`${kind}, ${from.join('.')}`, from, many[0], to, many[1]),
  endOf(`${kind}, ${to.join('.')}`, to, many[1], from, many[0]),
]);
export const multipleEnds = ends.filter(({ isMultiple }) => isMultiple);

function endOf(
  title: string,
  [workflow, name]: readonly [WorkflowId, string],
  isMultiple: boolean,
  [other, otherName]: readonly [WorkflowId, string],
  isOtherMultiple: boolean,
): End {
  return { title, workflow, name, isMultiple, other, otherName, isOtherMultiple };
}

export const reference = ([workflow, id]: Named): object => ({ [idNames[workflow]]: id });

/** The service that the tests of a file ask, and a client of its workspace acme; there is also other. */
export const { service, api } = await startServiceWith([
  yaml,
  yaml.replace('{ id: acme, name: Acme }', '{ id: other, name: Other }'),
]);
await countVersionsFromOne(service);

let made = 0;

/** A new task that nobody else uses, with these keys. */
export async function make(workflow: WorkflowId, keys: object = {}): Promise<Named> {
  made += 1;
  const id = `${100_000 + made}`;
  await api.post(tasksOf(workflow), { ...keys, [idNames[workflow]]: id }).expect(201);
  return [workflow, id];
}

export async function makeSeveral(workflow: WorkflowId, count: number): Promise<Named[]> {
  const some: Named[] = [];
  while (some.length < count) some.push(await make(workflow));
  return some;
}

export async function get([workflow, id]: Named): Promise<Response> {
  return api.get(`${tasksOf(workflow)}/${encodeURIComponent(id)}`).expect(200);
}

/** A task with its version and its hash, by which nothing of it can have changed. */
export async function stateOf(...some: readonly Named[]): Promise<unknown[]> {
  const states: unknown[] = [];
  for (const one of some) {
    const { text, headers } = await get(one);
    states.push([text, headers['etag']]);
  }
  return states;
}

export async function versionOf(task: Named): Promise<number> {
  return versionIn(await get(task));
}

export const put = (task: Named, keys: object): ReturnType<Client['put']> =>
  api.put(tasksOf(task[0]), { ...reference(task), ...keys });

/** The Unique IDs that a task shows under a relationship key, whatever the kind. */
export async function held(task: Named, { name, other, isMultiple }: End): Promise<unknown[]> {
  return idsUnder((await get(task)).body as Task, name, other, isMultiple);
}

/** What the key holds to be linked to these tasks, one at most where it is single-valued. */
export const valueOf = ({ isMultiple }: Pick<End, 'isMultiple'>, others: readonly Named[]): unknown => {
  const references = others.map(reference);
  return isMultiple ? references : (references[0] ?? null);
};

export const otherEnd = ({
  other,
  otherName,
  isOtherMultiple,
  workflow,
  name,
  isMultiple,
  title,
}: End): End => endOf(title, [other, otherName], isOtherMultiple, [workflow, name], isMultiple);

/** The tasks as they show under a relationship key: as by themselves, without relationship keys. */
export async function shownLinked(...some: readonly Named[]): Promise<Task[]> {
  const shown: Task[] = [];
  for (const one of some) shown.push(withoutLinks((await get(one)).body as Task));
  return shown;
}

export const refusal = async (task: Named, keys: object): Promise<unknown> =>
  ((await put(task, keys).expect(422)).body as { errors: unknown }).errors;

export function endNamed(workflow: WorkflowId, name: string): End {
  const end = ends.find((one) => one.workflow === workflow && one.name === name);
  if (!end) throw new Error(`no relationship ${name}`);
  return end;
}

const relationshipNames = new Set(ends.map(({ name }) => name));

function withoutLinks(task: Task): Task {
  return Object.fromEntries(Object.entries(task).filter(([name]) => !relationshipNames.has(name)));
}

function idsUnder(task: Task, name: string, other: WorkflowId, isMultiple: boolean): unknown[] {
  const value = task[name] as Task | readonly Task[] | null;
  expect(Array.isArray(value)).toBe(isMultiple);
  return [value].flat().flatMap((one) => (one === null ? [] : [one[idNames[other]]]));
}

export function versionIn({ headers }: Response): number {
  return Number(/^"(\d+)-/.exec(String(headers['etag']))?.[1]);
}

/** The path of the next page, or nothing. */
export function nextOf(headers: Response['headers']): string {
  const { link = '' } = headers as { link?: string };
  return /^<https?:\/\/[^/]*([^>]*)>; rel="next"$/.exec(link)?.[1] ?? '';
}
