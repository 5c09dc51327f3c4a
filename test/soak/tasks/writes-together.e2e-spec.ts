import fc from 'fast-check';
import { startService } from '../../support/service.js';
import { definition, often, storedTasks } from './writes-model.js';

/** What one client asks, one after the other, of tasks that are its own. */
type Step = {
  readonly ask: 'post' | 'put' | 'get' | 'delete';
  readonly task: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly condition: readonly [header: 'If-Match' | 'If-None-Match', tag: '*' | number] | null;
};

const step = fc.record<Step>({
  ask: fc.constantFrom('post', 'post', 'post', 'put', 'put', 'put', 'get', 'delete'),
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
  // By the last tag, the one before, any and none.
  condition: often<Step['condition']>(null, ['If-Match', -1], ['If-Match', -1], ['If-Match', -2], ['If-Match', '*'], ['If-None-Match', '*'], ['If-None-Match', -1]), // prettier-ignore
});

/** What some clients ask at the same time, and then next. */
const rounds = fc.array(fc.array(step, { minLength: 24, maxLength: 24 }), { minLength: 4, maxLength: 8 });

const service = await startService({ WTS_RATE_LIMIT: '100000' });
afterAll(() => service.stop());

describe('writes at the same time travel together, and each is answered as it would be alone', () => {
  let workspaces = 0;

  it.each(['things', 'loose'])('of %s: whatever 24 clients ask', async (workflow) => {
    const law = fc.asyncProperty(rounds, async (all) => {
      expect(await play(workflow, all, true)).toEqual(await play(workflow, all, false));
    });
    await fc.assert(law, { numRuns: 4, endOnFailure: true });
  });

  /** Plays the rounds, all clients at the same time or one after the other; what came of it, and what is there. */
  async function play(workflow: string, all: readonly Step[][], isTogether: boolean): Promise<unknown> {
    const workspace = `w${(workspaces += 1)}`;
    const one = await service.clientOf(definition(workspace));
    const other = service.client(await service.key(workspace));
    const known = new Map<string, string[]>();
    const tasks = `/api/v1/workflows/${workflow}/tasks`;

    async function ask({ ask, task, values, condition }: Step, at: number) {
      const ID = `c${at}-${task}`;
      const tags = known.get(ID) ?? [];
      known.set(ID, tags);
      const { Once, ...common } = values;
      const body = { ...common, ...(workflow === 'things' && { Once }), ID };
      const api = at % 2 === 0 ? one : other;
      const request = ask === 'post' || ask === 'put' ? api[ask](tasks, body) : api[ask](`${tasks}/${ID}`);
      if (condition) {
        const [header, tag] = condition;
        request.set(header, tag === '*' ? tag : (tags.at(tag) ?? '"none"'));
      }
      const { status, text, headers } = await request;
      const { etag, 'event-id': event } = headers as { etag?: string; 'event-id'?: string };
      if (etag) tags.push(etag);
      const shown = text.replace(/"(Task URL|request_id)":"[^"]*"/g, '');
      return { asked: `${ask} ${ID} ${condition?.join(' ')}`, status, text: shown, event };
    }

    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    for (const round of all)
      if (isTogether) answers.push(...(await Promise.all(round.map(ask))));
      else for (const [at, step] of round.entries()) answers.push(await ask(step, at));
    const told: unknown[] = [];
    for (const { event, ...answer } of answers)
      told.push({ ...answer, event: event !== undefined && (await isOfKey(event)) });
    return {
      told,
      tasks: await storedTasks(service, workspace, 'unique_value'),
      events: await eventsIn(workspace),
    };
  }

  /** Whether there is such an event, which says that it comes from a key. */
  async function isOfKey(event: string): Promise<boolean> {
    const found = await service.dataSource.query<{ origin: string }[]>(
      `SELECT origin FROM events WHERE replace(id::text, '-', '') = $1`,
      [event.slice(4)],
    );
    return found.length === 1 && /"key":".+"/.test(found[0]?.origin ?? '');
  }

  const eventsIn = (workspace: string): Promise<unknown> =>
    service.dataSource.query(
      `SELECT e.unique_value, e.type, e.stage_from IS NULL AS stays, e.assignee_from IS NULL AS unassigned,
         (SELECT array_agg(value::text ORDER BY value::text) FROM jsonb_each(e.values_from)) AS "from",
         (SELECT array_agg(value::text ORDER BY value::text) FROM jsonb_each(e.values_to)) AS "to",
         (SELECT count(DISTINCT o.origin::json ->> 'request') FROM events o
          WHERE o.workspace_id = e.workspace_id AND o.task_id = e.task_id) AS requests
       FROM events e JOIN workspaces w ON w.id = e.workspace_id
       WHERE w.slug = $1 AND e.task_id IS NOT NULL ORDER BY e.unique_value, e.place`,
      [workspace],
    );
});
