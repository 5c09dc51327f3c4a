import fc from 'fast-check';
import { type Client, startService, type TestService } from '../../support/service.js';

const definition = (workspace: string, title = 'Title'): string => `
workspace: { id: ${workspace}, name: Together }
users: [{ email: mina@acme.test }]
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: ${title}, was: Title, type: text, required: true }
      - { name: Once, type: text, editable: false }
      - { name: Given, type: number, default: 7 }
      - { name: Long, type: longText }
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

describe('writes at the same time travel together, and each is answered as it would be alone', () => {
  let service: TestService;
  let workspaces = 0;
  const path = (workflow: string): string => `/api/v1/workflows/${workflow}/tasks`;

  beforeAll(async () => {
    service = await startService({ WTS_RATE_LIMIT: '100000' });
  });
  afterAll(() => service.stop());

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

  it('each event says which key and which request made it, and the answer names it', async () => {
    await service.apply(definition('acme'));
    const keys = [await service.key('acme'), await service.key('acme'), await service.key('acme')];
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, at) =>
        service
          .client(keys[at % 3] ?? '')
          .post(path('things'), { ID: `t${at}`, Title: 'x' })
          .set('X-Request-Id', `request-${at}`)
          .expect(201),
      ),
    );
    const events = await service.dataSource.query<{ id: string; unique_value: string; origin: string }[]>(
      `SELECT replace(e.id::text, '-', '') AS id, e.unique_value, e.origin FROM events e
       JOIN workspaces w ON w.id = e.workspace_id WHERE w.slug = 'acme' AND e.type = 'task.created'`,
    );
    expect(events).toHaveLength(90);
    const byTask = new Map(events.map((event) => [event.unique_value, event]));
    const keyIds = new Set<unknown>();
    for (const [at, { headers }] of answers.entries()) {
      const event = byTask.get(`t${at}`);
      const { key, request } = JSON.parse(event?.origin ?? '{}') as { key?: string; request?: string };
      expect(request).toBe(`request-${at}`);
      expect((headers as { 'event-id'?: string })['event-id']).toBe(`evt_${event?.id ?? ''}`);
      keyIds.add(`${at % 3} ${key ?? ''}`);
    }
    expect(keyIds.size).toBe(3);
  });

  it('one that is refused by the database keeps none of the others from being written', async () => {
    await service.apply(definition('size'));
    const api = service.client(await service.key('size'));
    const long = Array.from({ length: 6 }, (_, at) => [`Text ${at}`, 'ü'.repeat(100_000)] as const);
    await service.apply(
      definition('size').replace(
        '- { name: Long, type: longText }',
        long.map(([name]) => `- { name: ${name}, type: longText }`).join('\n      '),
      ),
    );
    // In all more than a task may hold; together with others it is too long for one statement.
    const tooLarge = Object.fromEntries(long.map(([name, text]) => [name, text]));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        api.post(path('things'), { ID: `s${at}`, Title: 'x', ...(at % 10 === 5 && tooLarge) }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(
      Array.from({ length: 40 }, (_, at) => (at % 10 === 5 ? 422 : 201)),
    );
  });

  it('a task that somebody has locked delays none of those that are written with it', async () => {
    await service.apply(definition('locked'));
    const api = service.client(await service.key('locked'));
    const ids = Array.from({ length: 30 }, (_, at) => `t${at}`);
    await Promise.all(ids.map((ID) => api.post(path('things'), { ID, Title: 'x' }).expect(201)));
    const runner = service.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(`
      SELECT FROM tasks t JOIN workspaces w ON w.id = t.workspace_id
      WHERE w.slug = 'locked' AND t.unique_value = 't7' FOR UPDATE OF t`);
    let isLocked = true;
    const written = ids.map(async (ID) => {
      const { status } = await api.put(path('things'), { ID, Title: 'y' });
      return { ID, status, isLocked };
    });
    await Promise.all(written.filter((_, at) => at !== 7));
    isLocked = false;
    await runner.rollbackTransaction();
    await runner.release();
    const outcomes = await Promise.all(written);
    expect(outcomes).toEqual(ids.map((ID, at) => ({ ID, status: 200, isLocked: at !== 7 })));
  });

  it('writes by the definition that is in force, while another is applied', async () => {
    await service.apply(definition('changed'));
    const api = service.client(await service.key('changed'));
    let isApplied = false;
    const writers = Array.from({ length: 24 }, async (_, at) => {
      const statuses = new Set<number>();
      for (let round = 0; !isApplied || round < 3; round += 1) {
        const { status, text } = await api.post(path('things'), {
          ID: `${at}-${round}`,
          Title: 'x',
          Subject: 'y',
        });
        // By either definition one of the two names is not known.
        expect([status, text]).toEqual([422, expect.stringMatching(/Title|Subject/)]);
        const put = await api.post(path('parts'), { ID: `${at}`, Title: `round ${round}` });
        statuses.add(put.status);
      }
      return [...statuses].sort();
    });
    await service.apply(definition('changed', 'Subject'));
    isApplied = true;
    expect(new Set((await Promise.all(writers)).map(String))).toEqual(new Set(['200,201']));
  });

  it('nobody is told that a write was made, or not made, where the connection is lost', async () => {
    await service.apply(definition('lost'));
    const api = service.client(await service.key('lost'));
    const answers: { ID: string; status: number }[] = [];
    let isOver = false;
    const writers = Array.from({ length: 24 }, async (_, at) => {
      for (let round = 0; !isOver; round += 1) {
        const ID = `${at}-${round}`;
        const { status } = await api.post(path('parts'), { ID, Title: 'x' });
        answers.push({ ID, status });
      }
    });
    for (let round = 0; round < 200 && !answers.some(({ status }) => status === 503); round += 1) {
      await service.dataSource.query(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%json_to_recordset%'`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    isOver = true;
    await Promise.all(writers);
    const rows = await service.dataSource.query<{ id: string }[]>(
      `SELECT t.unique_value AS id FROM tasks t JOIN workspaces w ON w.id = t.workspace_id WHERE w.slug = 'lost'`,
    );
    const stored = new Set(rows.map(({ id }) => id));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 503]));
    expect(answers.filter(({ ID, status }) => status === 201 && !stored.has(ID))).toEqual([]);
  });
});
