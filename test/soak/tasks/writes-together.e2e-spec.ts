import fc from 'fast-check';
import { startServiceWith } from '../../support/service.js';

/** Two workflows whose tasks are written in different ways: with all that a task may have, and with little. */
const definition = (workspace: string): string => `
workspace: { id: ${workspace}, name: Law }
users: [{ email: mina@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true, change: [Must, Stage] }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Must, type: text, required: true }
      - { name: Once, type: text, editable: false }
      - { name: Given, type: number, default: 7 }
    checklist: [{ title: Look, stage: New }, { title: Sign, stage: Done }]
  - id: loose
    name: Loose
    stages: [{ name: New }, { name: Done }]
    fields:
      - { name: ID, type: uniqueId }
      - { name: Must, type: text, required: true }
      - { name: Given, type: number }
`;

/** A request for one of two tasks of its client. */
interface Step {
  readonly method: 'post' | 'put' | 'get' | 'delete';
  readonly task: number;
  readonly values: Readonly<Record<string, unknown>>;
  /** By a tag that the client got: the last one is -1. */
  readonly condition: readonly [header: 'If-Match' | 'If-None-Match', tag: '*' | number] | null;
}

/** Mostly the usual value, so that tasks exist and change. */
const often = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 8 }, fc.constantFrom(...others));

const step = fc.record<Step>({
  method: fc.constantFrom('post', 'post', 'post', 'put', 'put', 'put', 'get', 'delete'),
  task: fc.constantFrom(0, 1),
  values: fc.record(
    {
      Must: fc.constantFrom('one', 'two', 'a "quoted" \\ one', 'three', null),
      Once: often('first', 'second', null),
      Given: often<unknown>(1, '2.50', 'many', null),
      Stage: often('New', 'Done', 'Nowhere'),
      'Assigned To': often('mina@acme.test', 'nobody@acme.test', null),
    },
    { requiredKeys: ['Must'] },
  ),
  condition: often<Step['condition']>(
    null,
    ['If-Match', -1],
    ['If-Match', -2],
    ['If-Match', '*'],
    ['If-None-Match', '*'],
  ),
});

/** The requests of 24 clients at the same time, several times in a row. */
const rounds = fc.array(fc.array(step, { minLength: 24, maxLength: 24 }), { minLength: 4, maxLength: 8 });

const { service } = await startServiceWith([], { WTS_RATE_LIMIT: '100000' });

describe('writes at the same time share statements, and each gets the answer that it would get alone', () => {
  let workspaces = 0;

  it.each(['things', 'loose'])('in %s, whatever 24 clients request', async (workflow) => {
    const law = fc.asyncProperty(rounds, async (all) => {
      expect(await play(workflow, all, true)).toEqual(await play(workflow, all, false));
    });
    await fc.assert(law, { numRuns: 4, endOnFailure: true });
  });

  /** Plays the rounds in a new workspace, all clients together or one by one; returns its answers, tasks and events. */
  async function play(workflow: string, all: readonly Step[][], isTogether: boolean): Promise<unknown> {
    const workspace = `w${(workspaces += 1)}`;
    const api = await service.clientOf(definition(workspace));
    const tags = new Map<string, string[]>();
    const tasks = `/api/v1/workflows/${workflow}/tasks`;

    async function send({ method, task, values, condition }: Step, client: number): Promise<unknown> {
      const ID = `c${client}-${task}`;
      const known = tags.get(ID) ?? [];
      tags.set(ID, known);
      const { Once, ...common } = values;
      const body = { ...common, ...(workflow === 'things' && { Once }), ID };
      const isWrite = method === 'post' || method === 'put';
      const request = isWrite ? api[method](tasks, body) : api[method](`${tasks}/${ID}`);
      if (condition) {
        const [header, tag] = condition;
        request.set(header, tag === '*' ? tag : (known.at(tag) ?? '"none"'));
      }
      const { status, text, headers } = await request;
      const { etag } = headers as { etag?: string };
      if (etag) known.push(etag);
      const shown = text.replace(/"(Task URL|request_id)":"[^"]*"/g, '');
      return [`${method} ${ID} ${condition?.join(' ')}`, status, shown];
    }

    const answers: unknown[] = [];
    for (const round of all)
      if (isTogether) answers.push(...(await Promise.all(round.map(send))));
      else for (const [client, step] of round.entries()) answers.push(await send(step, client));
    const stored = await Promise.all(
      [tasksIn, eventsIn].map((text) => service.dataSource.query<unknown[]>(text, [workspace])),
    );
    return [answers, ...stored];
  }
});

const tasksIn = `
  SELECT t.unique_value, t.version, s.name AS stage, t.is_active, u.email,
    (SELECT jsonb_object_agg(f.name, t.field_values -> f.id) FROM fields f
     WHERE f.workspace_id = w.id AND t.field_values ? f.id) AS values,
    (SELECT jsonb_agg(i.title ORDER BY i.place) FROM checklist_items i
     WHERE i.workspace_id = w.id AND i.task_id = t.id) AS items
  FROM tasks t JOIN workspaces w ON w.id = t.workspace_id
  JOIN stages s ON s.workspace_id = w.id AND s.id = t.stage_id
  LEFT JOIN users u ON u.workspace_id = w.id AND u.id = t.assignee_id
  WHERE w.slug = $1 ORDER BY t.unique_value`;

const eventsIn = `
  SELECT e.unique_value, e.type, e.stage_from IS NULL AS stays, e.assignee_from IS NULL AS unassigned,
    (SELECT array_agg(value::text ORDER BY value::text) FROM jsonb_each(e.values_from)) AS "from",
    (SELECT array_agg(value::text ORDER BY value::text) FROM jsonb_each(e.values_to)) AS "to"
  FROM events e JOIN workspaces w ON w.id = e.workspace_id
  WHERE w.slug = $1 AND e.task_id IS NOT NULL ORDER BY e.unique_value, e.place`;
