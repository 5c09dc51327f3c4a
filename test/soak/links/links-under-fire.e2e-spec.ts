import fc from 'fast-check';
import { startServiceWith } from '../../support/service.js';

const kinds = ['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many'] as const;

const workflow = (id: string): string =>
  `{ id: ${id}, name: ${id}, stages: [{ name: Open }], fields: [{ name: ID, type: uniqueId, required: true }] }`;

const definition = (kind: string): string => `
workspace: { id: ${kind.replaceAll('_', '-')}, name: Under fire }
workflows: [${workflow('ls')}, ${workflow('rs')}]
relationships: [{ id: x, kind: ${kind}, from: { workflow: ls, name: Out }, to: { workflow: rs, name: In } }]
`;

const eight = [0, 1, 2, 3, 4, 5, 6, 7];

/** Sets the links of a task, adds or removes one, or makes the task anew; from either side. */
const order = fc.record({
  does: fc.constantFrom('PUT', 'PUT', 'PUT', 'POST', 'link', 'link', 'unlink', 'recreate'),
  from: fc.constantFrom('ls', 'rs'),
  task: fc.constantFrom(...eight),
  others: fc.subarray(eight),
});

type Order = typeof order extends fc.Arbitrary<infer T> ? T : never;
type Task = Readonly<Record<string, unknown>>;

// The orders follow from this number; how they meet does not.
const seed = Date.now() % 2 ** 31;

const { service } = await startServiceWith([]);

describe(`4.2 links under concurrency (seed ${seed})`, () => {
  it.each(kinds)(
    '%s: 500 changes from both sides, 40 at once, never fail, and both sides agree',
    async (kind) => {
      await service.apply(definition(kind));
      const authorization = `Bearer ${await service.key(kind.replaceAll('_', '-'))}`;
      const send = async (method: string, path: string, body?: object) => {
        const headers = { authorization, 'content-type': 'application/json' };
        const url = `${service.url}/api/v1/workflows/${path}`;
        const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
        return { status: answer.status, text: await answer.text() };
      };
      const isMultiple = { ls: kind.endsWith('many'), rs: kind.startsWith('many') };
      const key = { ls: 'Out', rs: 'In' };

      /** Carries out an order, and returns what nobody may be answered: others may delete any task meanwhile. */
      async function carryOut({ does, from, task, others }: Order): Promise<unknown[]> {
        const [own, far] = from === 'ls' ? (['ls', 'rs'] as const) : (['rs', 'ls'] as const);
        const ID = `${own}${task}`;
        const wanted = others.map((n) => ({ ID: `${far}${n}` })).slice(0, isMultiple[own] ? 8 : 1);
        const payload = { ID, [key[own]]: isMultiple[own] ? wanted : (wanted[0] ?? null) };
        const path = `${own}/tasks`;
        const expected = async (
          answer: ReturnType<typeof send>,
          ...statuses: number[]
        ): Promise<unknown[]> => {
          const { status, text } = await answer;
          const isMissing = status === 422 && /^\{"errors":\{"(In|Out)":\["does not exist: /.test(text);
          return statuses.includes(status) || isMissing ? [] : [{ does, ID, status, text }];
        };
        if (does === 'link' || does === 'unlink') {
          const link = `${path}/${ID}/links/${key[own]}/${far}${others[0] ?? task}`;
          return expected(send(does === 'link' ? 'PUT' : 'DELETE', link), 204, 404);
        }
        if (does === 'recreate')
          return [
            ...(await expected(send('DELETE', `${path}/${ID}`), 204, 404)),
            ...(await expected(send('POST', path, payload), 200, 201)),
          ];
        return expected(send(does, path, payload), 200, does === 'PUT' ? 404 : 201);
      }

      for (const side of ['ls', 'rs'])
        for (const n of eight) await send('POST', `${side}/tasks`, { ID: `${side}${n}` });
      const queue = fc.sample(order, { numRuns: 500, seed });
      const unexpected: unknown[] = [];
      const client = async (): Promise<void> => {
        for (let next = queue.pop(); next; next = queue.pop()) unexpected.push(...(await carryOut(next)));
      };
      await Promise.all(Array.from({ length: 40 }, client));
      expect(unexpected).toEqual([]);

      const [outward, inward] = await Promise.all(
        (['ls', 'rs'] as const).map(async (side) => {
          const tasks = JSON.parse((await send('GET', `${side}/tasks`)).text) as Task[];
          return tasks.flatMap((task) =>
            [task[key[side]] as Task | Task[] | null]
              .flat()
              .flatMap((far) => (far ? [[task['ID'], far['ID']].sort().join()] : [])),
          );
        }),
      );
      expect(outward?.toSorted()).toEqual(inward?.toSorted());
      expect(await service.dataSource.query(broken)).toEqual([]);
    },
  );

  it('no deadlock happened', async () => {
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
