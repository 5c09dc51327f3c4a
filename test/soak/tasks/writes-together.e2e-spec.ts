import fc from 'fast-check';
import { type Client, startService } from '../../support/service.js';

const definition = (workspace: string): string => `
workspace: { id: ${workspace}, name: Together }
users: [{ email: mina@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Title, type: text, required: true }
      - { name: Once, type: text, editable: false }
      - { name: Given, type: number, default: 7 }
    checklist: [{ title: Look, stage: New }]
  - id: parts
    name: Parts
    stages: [{ name: New }, { name: Done }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Title, type: text }, { name: Amount, type: number }]
  - id: wholes
    name: Wholes
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }]
relationships:
  - { id: of, kind: many_to_many, from: { workflow: parts, name: Parts of }, to: { workflow: wholes, name: Has } }
`;

/** What one client asks, one after the other, of tasks that are its own. */
type Step = {
  readonly ask: 'POST' | 'PUT' | 'GET' | 'DELETE';
  readonly task: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly demand: 'nothing' | 'the last tag' | 'an old tag' | 'any' | 'none' | 'not the last tag';
};

const often = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { arbitrary: fc.constant(usual), weight: 8 },
    { arbitrary: fc.constantFrom(...others), weight: 1 },
  );

const step = fc.record<Step>({
  ask: fc.constantFrom('POST', 'POST', 'POST', 'PUT', 'PUT', 'PUT', 'GET', 'DELETE'),
  task: fc.constantFrom(0, 1),
  values: fc.record(
    {
      Title: fc.constantFrom('one', 'two', 'a "quoted" \\ one', 'three', null),
      Once: often('first', 'second', null),
      Given: often<unknown>(1, '2.50', 'many', null),
      Stage: often('New', 'Done', 'Nowhere'),
      'Assigned To': often('mina@acme.test', 'nobody@acme.test', null),
    },
    { requiredKeys: ['Title'] },
  ),
  demand: often<Step['demand']>(
    'nothing',
    'the last tag',
    'the last tag',
    'an old tag',
    'any',
    'none',
    'not the last tag',
  ),
});

/** What some clients ask at the same time, and then next. */
const rounds = fc.array(fc.array(step, { minLength: 24, maxLength: 24 }), { minLength: 4, maxLength: 8 });

const service = await startService({ WTS_RATE_LIMIT: '100000' });
afterAll(() => service.stop());

describe('writes at the same time travel together, and each is answered as it would be alone', () => {
  let workspaces = 0;
  const path = (workflow: string): string => `/api/v1/workflows/${workflow}/tasks`;

  /** Plays the rounds, all clients at the same time or one after the other; what came of it, and what is there. */
  async function play(workflow: string, all: readonly Step[][], isTogether: boolean): Promise<unknown> {
    const workspace = `w${(workspaces += 1)}`;
    await service.apply(definition(workspace));
    const keys = [await service.key(workspace), await service.key(workspace)];
    const known = new Map<string, string[]>();
    const answers: Answered[] = [];
    for (const round of all) {
      const ask = (step: Step, at: number): Promise<Answered> =>
        askFor(service.client(keys[at % 2] ?? ''), workflow, `c${at}-${step.task}`, step, known);
      if (isTogether) answers.push(...(await Promise.all(round.map(ask))));
      else for (const [at, step] of round.entries()) answers.push(await ask(step, at));
    }
    const told: unknown[] = [];
    for (const { event, ...answer } of answers)
      told.push({ ...answer, event: event !== undefined && (await hasEvent(event)) });
    return { told, stored: await storedIn(workspace) };
  }

  interface Answered {
    readonly asked: string;
    readonly status: number;
    readonly text: string;
    readonly event: string | undefined;
  }

  async function askFor(
    api: Client,
    workflow: string,
    ID: string,
    { ask, values: { Given, ...values }, demand }: Step,
    known: Map<string, string[]>,
  ): Promise<Answered> {
    const body = {
      ...values,
      ...(workflow === 'things' ? { Given } : { Amount: Given, Once: undefined }),
      ID,
    };
    const tags = known.get(ID) ?? [];
    known.set(ID, tags);
    const request =
      ask === 'POST'
        ? api.post(path(workflow), body)
        : ask === 'PUT'
          ? api.put(path(workflow), body)
          : ask === 'GET'
            ? api.get(`${path(workflow)}/${ID}`)
            : api.delete(`${path(workflow)}/${ID}`);
    if (demand === 'the last tag') request.set('If-Match', tags.at(-1) ?? '"none"');
    if (demand === 'an old tag') request.set('If-Match', tags.at(-2) ?? '"none"');
    if (demand === 'any') request.set('If-Match', '*');
    if (demand === 'none') request.set('If-None-Match', '*');
    if (demand === 'not the last tag') request.set('If-None-Match', tags.at(-1) ?? '"none"');
    const { status, text, headers } = await request;
    const { etag, 'event-id': event } = headers as { etag?: string; 'event-id'?: string };
    if (etag) tags.push(etag);
    return {
      asked: `${ask} ${ID} ${demand}`,
      status,
      text: text.replace(/"(Task URL|request_id)":"[^"]*"/g, ''),
      event,
    };
  }

  /** Whether there is such an event, which says that it comes from a key. */
  async function hasEvent(event: string): Promise<boolean> {
    const found = await service.dataSource.query<{ origin: string }[]>(
      `SELECT origin FROM events WHERE replace(id::text, '-', '') = $1`,
      [event.slice(4)],
    );
    return found.length === 1 && /"key":".+"/.test(found[0]?.origin ?? '');
  }

  async function storedIn(workspace: string): Promise<unknown> {
    const tasks: unknown = await service.dataSource.query(
      `SELECT t.unique_value, t.version, t.is_active, t.assignee_id IS NULL AS free, s.name,
         (SELECT array_agg(value::text ORDER BY value::text) FROM jsonb_each(t.field_values)) AS values,
         (SELECT count(*) FROM checklist_items i WHERE i.workspace_id = t.workspace_id AND i.task_id = t.id) AS items
       FROM tasks t JOIN workspaces w ON w.id = t.workspace_id
       JOIN stages s ON s.id = t.stage_id AND s.workspace_id = t.workspace_id
       WHERE w.slug = $1 ORDER BY t.unique_value`,
      [workspace],
    );
    const events: unknown = await service.dataSource.query(
      `SELECT e.unique_value, e.type, e.stage_from IS NULL AS stays, e.assignee_from IS NULL AS unassigned,
         (SELECT array_agg(value::text ORDER BY value::text) FROM jsonb_each(e.values_from)) AS "from",
         (SELECT array_agg(value::text ORDER BY value::text) FROM jsonb_each(e.values_to)) AS "to",
         (SELECT count(DISTINCT o.origin::json ->> 'request') FROM events o
          WHERE o.workspace_id = e.workspace_id AND o.task_id = e.task_id) AS requests
       FROM events e JOIN workspaces w ON w.id = e.workspace_id
       WHERE w.slug = $1 AND e.task_id IS NOT NULL ORDER BY e.unique_value, e.place`,
      [workspace],
    );
    // Versions begin by chance; what counts is how many there were.
    return { tasks, events };
  }

  it.each(['things', 'parts'])('of %s: whatever 24 clients ask', async (workflow) => {
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        expect(await play(workflow, all, true)).toEqual(await play(workflow, all, false));
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });
});
