import { Agent, request } from 'node:http';
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
type Workflow = Ground['to'];

const workspaceOf = ({ kind, to }: Ground): string => `${kind.replaceAll('_', '-')}-${to}`;

const yamlOf = (ground: Ground): string => `
workspace: { id: ${workspaceOf(ground)}, name: Under fire }
workflows:
${['ls', 'rs']
  .map(
    (id) => `
  - id: ${id}
    name: ${id}
    stages: [{ name: Open }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Text, type: text }]`,
  )
  .join('')}
relationships:
  - { id: x, kind: ${ground.kind}, from: { workflow: ls, name: Out }, to: { workflow: ${ground.to}, name: In } }
`;

/** One side of the relationship, as the tasks of a workflow hold it. */
interface Side {
  readonly workflow: Workflow;
  readonly name: 'Out' | 'In';
  readonly other: Workflow;
  readonly isMultiple: boolean;
}

const sidesOf = ({ kind, to }: Ground): readonly [Side, Side] => [
  { workflow: 'ls', name: 'Out', other: to, isMultiple: kind.endsWith('many') },
  { workflow: to, name: 'In', other: 'ls', isMultiple: kind.startsWith('many') },
];

interface Order {
  readonly does: 'set' | 'upsert' | 'link' | 'unlink' | 'recreate' | 'field';
  readonly side: 0 | 1;
  readonly task: number;
  readonly others: readonly number[];
}

const eight = [0, 1, 2, 3, 4, 5, 6, 7];
const tasksOf = (workflow: string): string => `/api/v1/workflows/${workflow}/tasks`;
const idOf = (workflow: Workflow, n: number): string => `${workflow.charAt(0)}${n}`;

const orders = fc.record<Order>({
  does: fc.constantFrom('set', 'set', 'set', 'set', 'upsert', 'link', 'link', 'link', 'unlink', 'unlink', 'field', 'recreate'), // prettier-ignore
  side: fc.constantFrom(0, 1),
  task: fc.constantFrom(...eight),
  others: fc.subarray(eight, { minLength: 0, maxLength: 8 }),
});

interface Answer {
  readonly status: number;
  readonly tag: string | undefined;
  readonly text: string;
}

type Task = Readonly<Record<string, unknown>>;
type Send = (method: string, path: string, body?: object) => Promise<Answer>;

// The orders follow from this number; how they meet does not.
const seed = Date.now() % 2 ** 31;

const service = await startService();
for (const ground of grounds) await service.apply(yamlOf(ground));

describe(`4.2 links under concurrency (seed ${seed})`, () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 40 });

  afterAll(async () => {
    agent.destroy();
    await service.stop();
  });

  /** Sends over connections that stay open, for there are many requests. */
  async function sender(ground: Ground): Promise<Send> {
    const headers = {
      Authorization: `Bearer ${await service.key(workspaceOf(ground))}`,
      'Content-Type': 'application/json',
    };
    return (method, path, body) =>
      new Promise((answered, fail) => {
        const sent = request(service.url + path, { method, agent, headers }, (response) => {
          const { statusCode: status = 0, headers } = response;
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('error', fail).on('end', () => {
            answered({ status, tag: headers.etag, text });
          });
        });
        sent.on('error', fail).end(body && JSON.stringify(body));
      });
  }

  it.each(grounds)(
    '$kind to $to: of many changes from both sides, 40 at once, each shows as a whole and none fails',
    async (ground) => {
      const send = await sender(ground);
      const sides = sidesOf(ground);
      const shown = new Witness();
      for (const workflow of new Set(sides.map((side) => side.workflow)))
        for (const n of eight) await send('POST', tasksOf(workflow), { ID: idOf(workflow, n) });

      const queue = fc.sample(orders, { numRuns: 500, seed });
      const unexpected: unknown[] = [];
      await atOnce(40, async () => {
        const known = new Map<unknown, number>();
        for (let order = queue.pop(); order; order = queue.pop()) {
          for (const fault of await carryOut(send, sides, order, shown, known))
            unexpected.push([order, fault]);
        }
      });
      expect(unexpected).toEqual([]);

      await expectAgreement(send, sides, shown);
      expect(await brokenLinks()).toEqual([]);
    },
  );

  it('nobody waited in a circle', async () => {
    const [found] = await service.dataSource.query<{ deadlocks: string }[]>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(found).toEqual({ deadlocks: '0' });
  });

  /** Single sides that hold several tasks, and links that lead nowhere. */
  async function brokenLinks(): Promise<unknown[]> {
    return service.dataSource.query<unknown[]>(
      `SELECT kind, from_id AS id FROM links WHERE kind IN ('one_to_one', 'many_to_one')
       GROUP BY kind, relationship_id, from_id HAVING count(*) > 1
       UNION ALL
       SELECT kind, to_id FROM links WHERE kind IN ('one_to_one', 'one_to_many')
       GROUP BY kind, relationship_id, to_id HAVING count(*) > 1
       UNION ALL
       SELECT 'dangling', l.from_id FROM links l
       WHERE NOT EXISTS (SELECT FROM tasks WHERE id = l.from_id)
         OR NOT EXISTS (SELECT FROM tasks WHERE id = l.to_id)`,
    );
  }
});

/** What answers have shown of each version of each task: a version never shows in two ways. */
class Witness {
  private readonly links = new Map<string, string>();

  /** What is wrong with what an answer shows, if anything; `known` holds the versions that its client has seen. */
  see({ tag, text }: Answer, name: string, known: Map<unknown, number>): string[] {
    const { 'Task URL': url, [name]: value } = JSON.parse(text) as Task;
    const version = versionIn({ tag });
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

/** Carries out an order and says what is wrong with its answers. */
async function carryOut(
  send: Send,
  sides: readonly [Side, Side],
  { does, side: at, task, others }: Order,
  shown: Witness,
  known: Map<unknown, number>,
): Promise<unknown[]> {
  const side = sides[at];
  const ID = idOf(side.workflow, task);
  const [path, named] = [tasksOf(side.workflow), `${tasksOf(side.workflow)}/${ID}`];
  const wanted = others.map((n) => idOf(side.other, n)).slice(0, side.isMultiple ? 8 : 1);
  const references = wanted.map((id) => ({ ID: id }));
  const link = `${named}/links/${side.name}/${idOf(side.other, others[0] ?? task)}`;
  const payload = { ID, [side.name]: side.isMultiple ? references : (references[0] ?? null) };
  switch (does) {
    case 'set':
    case 'upsert': {
      const answer = await send(does === 'set' ? 'PUT' : 'POST', path, payload);
      if (answer.status === 404 && does === 'set') return [];
      if (answer.status === 422) return isMissing(answer, side, wanted, ID) ? [] : [answer];
      if (answer.status !== 200 && !(answer.status === 201 && does === 'upsert')) return [answer];
      // Under the locks of its write a task holds exactly what it was given.
      const held = idsIn((JSON.parse(answer.text) as Task)[side.name]);
      const isWhole = JSON.stringify(held.toSorted()) === JSON.stringify(wanted.toSorted());
      return [...(isWhole ? [] : [answer]), ...shown.see(answer, side.name, known)];
    }
    case 'link':
    case 'unlink': {
      const answer = await send(does === 'link' ? 'PUT' : 'DELETE', link);
      const isItself = side.workflow === side.other && (others[0] ?? task) === task;
      return [204, 404, ...(isItself ? [422] : [])].includes(answer.status) ? [] : [answer];
    }
    case 'field': {
      const answer = await send('PUT', path, { ID, Text: `${others.length}` });
      if (answer.status === 404) return [];
      return answer.status === 200 ? shown.see(answer, side.name, known) : [answer];
    }
    case 'recreate': {
      const erased = await send('DELETE', named);
      const created = await send('POST', path, payload);
      const faults = [204, 404].includes(erased.status) ? [] : [erased];
      if (created.status === 422) return isMissing(created, side, wanted, ID) ? faults : [...faults, created];
      return [200, 201].includes(created.status) ? faults : [...faults, created];
    }
  }
}

/** Whether a payload was refused for tasks that others may have deleted, or for the task itself. */
function isMissing({ text }: Answer, side: Side, wanted: readonly string[], ID: string): boolean {
  const { errors } = JSON.parse(text) as { errors: Readonly<Record<string, string[]>> };
  const possible = wanted.map((id) => `does not exist: ${id}`);
  if (side.workflow === side.other && wanted.includes(ID)) possible.push('cannot be the task itself');
  const { [side.name]: messages = [], ...others } = errors;
  return messages.every((message) => possible.includes(message)) && Object.keys(others).length === 0;
}

/** That both sides of each link show it, by themselves and in lists, as the last answers did. */
async function expectAgreement(send: Send, sides: readonly [Side, Side], shown: Witness): Promise<void> {
  const links = [];
  for (const { workflow, name } of sides) {
    const { text } = await send('GET', tasksOf(workflow));
    const tasks = JSON.parse(text) as Task[];
    for (const task of tasks) {
      const single = await send('GET', `${tasksOf(workflow)}/${String(task['ID'])}`);
      expect([single.status, JSON.parse(single.text)]).toEqual([200, task]);
      expect(shown.see(single, name, new Map())).toEqual([]);
    }
    links.push(
      tasks
        .flatMap((task) => idsIn(task[name]).map((id) => [task['ID'], id]))
        .map((pair) => (name === 'Out' ? pair : pair.toReversed()).join())
        .toSorted(),
    );
  }
  expect(links[0]).toEqual(links[1]);
}

async function atOnce(count: number, work: (n: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, n) => work(n)));
}

/** The Unique IDs of what stands under a relationship key. */
function idsIn(value: unknown): string[] {
  return [value as Task | readonly Task[] | null].flat().flatMap((task) => (task ? [String(task['ID'])] : [])); // prettier-ignore
}

function versionIn({ tag }: Pick<Answer, 'tag'>): number {
  return Number(/^"(\d+)-/.exec(tag ?? '')?.[1]);
}
