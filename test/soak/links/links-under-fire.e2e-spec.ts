import fc from 'fast-check';
import { startService } from '../../support/service.js';

/** The kinds between the workflows `ls` and `rs` of a workspace each, and one within `ls`. */
const grounds = [
  { kind: 'one_to_one', to: 'rs' },
  { kind: 'one_to_many', to: 'rs' },
  { kind: 'many_to_one', to: 'rs' },
  { kind: 'many_to_many', to: 'rs' },
  { kind: 'one_to_many', to: 'ls' },
] as const;

type Ground = (typeof grounds)[number];

const workspaceOf = ({ kind, to }: Ground): string => `${kind.replaceAll('_', '-')}-${to}`;

const workflow = (id: string): string =>
  `{ id: ${id}, name: ${id}, stages: [{ name: Open }], fields: [{ name: ID, type: uniqueId, required: true }, { name: Text, type: text }] }`;

const yamlOf = (ground: Ground): string => `
workspace: { id: ${workspaceOf(ground)}, name: Under fire }
workflows: [${workflow('ls')}, ${workflow('rs')}]
relationships:
  - { id: x, kind: ${ground.kind}, from: { workflow: ls, name: Out }, to: { workflow: ${ground.to}, name: In } }
`;

/** One side of the relationship, as the tasks of a workflow hold it. */
interface Side {
  readonly workflow: 'ls' | 'rs';
  readonly name: 'Out' | 'In';
  readonly other: 'ls' | 'rs';
  readonly isMultiple: boolean;
}

const sidesOf = ({ kind, to }: Ground): readonly [Side, Side] => [
  { workflow: 'ls', name: 'Out', other: to, isMultiple: kind.endsWith('many') },
  { workflow: to, name: 'In', other: 'ls', isMultiple: kind.startsWith('many') },
];

const eight = [0, 1, 2, 3, 4, 5, 6, 7];
const tasksOf = (workflow: string): string => `/api/v1/workflows/${workflow}/tasks`;
const idOf = (workflow: string, n: number): string => `${workflow.charAt(0)}${n}`;

interface Order {
  readonly does: 'PUT' | 'POST' | 'link' | 'unlink' | 'recreate' | 'field';
  readonly side: 0 | 1;
  readonly task: number;
  readonly others: readonly number[];
}

const orders = fc.record<Order>({
  does: fc.constantFrom('PUT', 'PUT', 'PUT', 'PUT', 'POST', 'link', 'link', 'link', 'unlink', 'unlink', 'field', 'recreate'), // prettier-ignore
  side: fc.constantFrom(0, 1),
  task: fc.constantFrom(...eight),
  others: fc.subarray(eight),
});

interface Answer {
  readonly status: number;
  readonly tag: string;
  readonly text: string;
}

type Task = Readonly<Record<string, unknown>>;
type Send = (method: string, path: string, body?: object) => Promise<Answer>;

// The orders follow from this number; how they meet does not.
const seed = Date.now() % 2 ** 31;

const service = await startService();
afterAll(() => service.stop());

describe(`4.2 links under concurrency (seed ${seed})`, () => {
  it.each(grounds)(
    '$kind to $to: of many changes from both sides, 40 at once, each shows as a whole and none fails',
    async (ground) => {
      await service.apply(yamlOf(ground));
      const authorization = `Bearer ${await service.key(workspaceOf(ground))}`;
      const send: Send = async (method, path, body) => {
        const headers = { authorization, 'content-type': 'application/json' };
        const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
        const answer = await fetch(service.url + path, sent);
        return { status: answer.status, tag: answer.headers.get('etag') ?? '', text: await answer.text() };
      };
      const sides = sidesOf(ground);
      const shown = new Witness();
      for (const workflow of new Set(sides.map((side) => side.workflow)))
        for (const n of eight) await send('POST', tasksOf(workflow), { ID: idOf(workflow, n) });

      const queue = fc.sample(orders, { numRuns: 500, seed });
      const unexpected: unknown[] = [];
      const client = async (): Promise<void> => {
        const known = new Map<unknown, number>();
        for (let order = queue.pop(); order; order = queue.pop())
          for (const fault of await carryOut(send, sides, order, (answer, name) =>
            shown.see(answer, name, known),
          ))
            unexpected.push([order, fault]);
      };
      await Promise.all(Array.from({ length: 40 }, client));
      expect(unexpected).toEqual([]);

      await expectAgreement(send, sides, shown);
      expect(await service.dataSource.query(broken)).toEqual([]);
    },
  );

  it('nobody waited in a circle', async () => {
    const deadlocks = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()';
    expect(await service.dataSource.query(deadlocks)).toEqual([{ deadlocks: '0' }]);
  });
});

/** Single sides that hold several tasks, and links that lead nowhere. */
const broken = `
  SELECT kind, from_id AS id FROM links WHERE kind IN ('one_to_one', 'many_to_one')
  GROUP BY kind, relationship_id, from_id HAVING count(*) > 1
  UNION ALL
  SELECT kind, to_id FROM links WHERE kind IN ('one_to_one', 'one_to_many')
  GROUP BY kind, relationship_id, to_id HAVING count(*) > 1
  UNION ALL
  SELECT 'dangling', l.from_id FROM links l
  WHERE NOT EXISTS (SELECT FROM tasks WHERE id = l.from_id) OR NOT EXISTS (SELECT FROM tasks WHERE id = l.to_id)`;

/** What answers have shown of each version of each task: a version never shows in two ways. */
class Witness {
  private readonly links = new Map<string, string>();

  /** What is wrong with what an answer shows, if anything; `known` holds the versions that its client has seen. */
  see({ tag, text }: Answer, name: string, known: Map<unknown, number>): string[] {
    const { 'Task URL': url, [name]: value } = JSON.parse(text) as Task;
    const version = Number(/^"(\d+)-/.exec(tag)?.[1]);
    const [one, ids] = [`${String(url)} ${version} ${name}`, JSON.stringify(idsIn(value))];
    const before = this.links.get(one) ?? ids;
    this.links.set(one, ids);
    const last = known.get(url) ?? 0;
    known.set(url, version);
    return [
      ...(before === ids ? [] : [`${one} showed ${before} and ${ids}`]),
      ...(version >= last ? [] : [`${String(url)} went from version ${last} to ${version}`]),
    ];
  }
}

/** Carries out an order and says what is wrong with its answers. Others may delete any task meanwhile. */
async function carryOut(
  send: Send,
  sides: readonly [Side, Side],
  { does, side: at, task, others }: Order,
  see: (answer: Answer, name: string) => string[],
): Promise<unknown[]> {
  const side = sides[at];
  const ID = idOf(side.workflow, task);
  const [path, own] = [tasksOf(side.workflow), `${tasksOf(side.workflow)}/${ID}`];
  const wanted = others.map((n) => idOf(side.other, n)).slice(0, side.isMultiple ? 8 : 1);
  const references = wanted.map((id) => ({ ID: id }));
  const payload = { ID, [side.name]: side.isMultiple ? references : (references[0] ?? null) };
  const among = (answer: Answer, ...statuses: readonly number[]): Answer[] =>
    statuses.includes(answer.status) ? [] : [answer];
  /** Refused for tasks that others may have deleted, or for the task itself. */
  const isMissing = (answer: Answer): boolean =>
    answer.status === 422 && namesOnlyMissing(answer, side, wanted, ID);

  if (does === 'link' || does === 'unlink') {
    const other = others[0] ?? task;
    const isItself = side.workflow === side.other && other === task;
    const link = `${own}/links/${side.name}/${idOf(side.other, other)}`;
    return among(await send(does === 'link' ? 'PUT' : 'DELETE', link), 204, 404, ...(isItself ? [422] : []));
  }
  if (does === 'recreate') {
    const erased = await send('DELETE', own);
    const created = await send('POST', path, payload);
    return [...among(erased, 204, 404), ...(isMissing(created) ? [] : among(created, 200, 201))];
  }
  if (does === 'field') {
    const answer = await send('PUT', path, { ID, Text: `${others.length}` });
    return answer.status === 200 ? see(answer, side.name) : among(answer, 404);
  }
  const answer = await send(does, path, payload);
  if (isMissing(answer)) return [];
  if (answer.status >= 300) return among(answer, ...(does === 'PUT' ? [404] : []));
  // Under the locks of its write a task holds exactly what it was given.
  const held = idsIn((JSON.parse(answer.text) as Task)[side.name]);
  const isWhole = JSON.stringify(held.toSorted()) === JSON.stringify(wanted.toSorted());
  return [...(isWhole ? [] : [answer]), ...see(answer, side.name)];
}

function namesOnlyMissing({ text }: Answer, side: Side, wanted: readonly string[], ID: string): boolean {
  const { errors } = JSON.parse(text) as { errors: Readonly<Record<string, string[]>> };
  const possible = wanted.map((id) => `does not exist: ${id}`);
  if (side.workflow === side.other && wanted.includes(ID)) possible.push('cannot be the task itself');
  const { [side.name]: messages = [], ...others } = errors;
  return messages.every((message) => possible.includes(message)) && Object.keys(others).length === 0;
}

/** That both sides of each link show it, by themselves and in lists, as the last answers did. */
async function expectAgreement(send: Send, sides: readonly [Side, Side], shown: Witness): Promise<void> {
  const [outward, inward] = await Promise.all(
    sides.map(async ({ workflow, name }) => {
      const tasks = JSON.parse((await send('GET', tasksOf(workflow))).text) as Task[];
      for (const task of tasks) {
        const single = await send('GET', `${tasksOf(workflow)}/${String(task['ID'])}`);
        expect([single.status, JSON.parse(single.text)]).toEqual([200, task]);
        expect(shown.see(single, name, new Map())).toEqual([]);
      }
      const pairs = tasks.flatMap((task) => idsIn(task[name]).map((id) => [String(task['ID']), id]));
      return pairs.map((pair) => (name === 'Out' ? pair : pair.toReversed()).join()).toSorted();
    }),
  );
  expect(outward).toEqual(inward);
}

/** The Unique IDs of what stands under a relationship key. */
const idsIn = (value: unknown): string[] =>
  [value as Task | readonly Task[] | null].flat().flatMap((task) => (task ? [String(task['ID'])] : []));
