import pg from 'pg';
import { type Answer, type Browser, signIn } from '../../support/console.js';
import { describeOnOnePostgres } from '../../support/on-one-postgres.js';
import { startService, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';

const acme = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }, { email: ines@acme.test }]
workflows:
  - id: claims
    name: Claims
    stages: [{ name: New }, { name: Review }, { name: Waiting }, { name: Closed, end: true }]
    fields:
      - { name: Claim ID, type: uniqueId, required: true }
      - { name: Title, type: text }
      - { name: Due, type: date }
      - { name: Risk, type: singleSelect, options: [Low, High] }
    roles: [{ id: lead, name: Lead, admin: true }, { id: agent, name: Agent, sees: assigned }]
    members: [{ email: mina@acme.test, role: lead }, { email: ines@acme.test, role: agent }]
`;

/** Of them 20,000 are Mina's to do, 100 are Ines's, and 25,000 are in each stage. */
const TASKS = 100_000;

/** A part of the plan of a statement, and what came of it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

describeOnOnePostgres(`with ${TASKS.toLocaleString('en')} tasks`, () => {
  let service: TestService;
  let mina: Browser;
  let ines: Browser;

  beforeAll(async () => {
    // What runs in the background would be counted, too.
    service = await startService({ WTS_ROLE: 'api' });
    await service.apply(acme);
    await fill();
    mina = await signIn(service, 'mina@acme.test');
    ines = await signIn(service, 'ines@acme.test');
  });
  afterAll(() => service.stop());

  /** As the service stores them, but for events. Indexes are built behind the tasks, which is quicker. */
  async function fill(): Promise<void> {
    await service.dataSource.transaction(async (tx) => {
      // VACUUM marks no page visible whose transaction is not written out, and plans go by that.
      await tx.query('SET LOCAL synchronous_commit = on');
      const indexes = await tx.query<{ name: string; text: string }[]>(
        `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS text
         FROM pg_index WHERE indrelid = 'tasks'::regclass AND NOT indisunique`,
      );
      for (const { name } of indexes) await tx.query(`DROP INDEX ${name}`);
      await tx.query('ALTER TABLE tasks DISABLE TRIGGER USER');
      await tx.query(
        `INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, assignee_id, field_values)
         SELECT w.workspace_id, w.id, 'p' || n, 'C-' || n, s.ids[1 + n % 4], NOT s.ends[1 + n % 4],
           CASE WHEN n % 1000 = 1 THEN u.ids[2] WHEN n % 15 < 4 THEN u.ids[1] END,
           jsonb_build_object(f.title, 'Claim of ' || n, f.due, (date '2026-01-01' + n * 7919 % 700)::text,
             f.risk, CASE WHEN n % 20 < 10 THEN 'Low' ELSE 'High' END)
         FROM workflows w
         CROSS JOIN LATERAL (
           SELECT array_agg(id ORDER BY position) AS ids, array_agg(is_end ORDER BY position) AS ends
           FROM stages WHERE workflow_id = w.id) s
         CROSS JOIN LATERAL (
           SELECT array_agg(id ORDER BY position) AS ids FROM users WHERE workspace_id = w.workspace_id) u
         CROSS JOIN LATERAL (
           SELECT max(id) FILTER (WHERE name = 'Title') AS title, max(id) FILTER (WHERE name = 'Due') AS due,
             max(id) FILTER (WHERE name = 'Risk') AS risk
           FROM fields WHERE workflow_id = w.id) f
         CROSS JOIN generate_series(1, $1::integer) n`,
        [TASKS],
      );
      await tx.query('ALTER TABLE tasks ENABLE TRIGGER USER');
      for (const { text } of indexes) await tx.query(text);
    });
    // While a transaction of before is open, as one that follows events may be, it marks no page.
    await until(async () => {
      await service.dataSource.query('VACUUM ANALYZE tasks');
      const [{ isMarked }] = await service.dataSource.query<[{ isMarked: boolean }]>(
        `SELECT relallvisible >= relpages AS "isMarked" FROM pg_class WHERE oid = 'tasks'::regclass`,
      );
      return isMarked;
    });
  }

  interface Bounds {
    readonly statements: number;
    readonly rows: number;
    readonly cards: number;
    readonly kB: number;
  }

  it.each<readonly [string, string, 'mina' | 'ines', Bounds]>([
    [
      'a board counts all once and asks once for each stage, and reads what it shows',
      '/workflows/claims',
      'mina',
      { statements: 7, rows: TASKS + 400, cards: 100, kB: 130 },
    ],
    [
      'a filter is checked once for each task, not for each stage',
      '/workflows/claims?Risk=Low',
      'mina',
      { statements: 11, rows: TASKS + 2000, cards: 100, kB: 130 },
    ],
    [
      'who sees what is assigned reads little else',
      '/workflows/claims',
      'ines',
      { statements: 4, rows: 500, cards: 25, kB: 50 },
    ],
    [
      'a list counts as far as a board',
      '/workflows/claims/list',
      'mina',
      { statements: 4, rows: TASKS + 400, cards: 0, kB: 60 },
    ],
    ['a task is found by itself', '/workflows/claims/tasks/p4', 'mina', { statements: 14, rows: 50, cards: 0, kB: 20 }], // prettier-ignore
    [
      'who has 20,000 to do is shown 25 of each time, those that are due first',
      '/',
      'mina',
      { statements: 4, rows: 2 * TASKS, cards: 0, kB: 90 },
    ],
    [
      'who has how much is counted at once',
      '/team',
      'mina',
      { statements: 2, rows: 2 * TASKS, cards: 0, kB: 20 },
    ],
  ])('%s (%s as %s)', async (_, path, name, bounds) => {
    const { page, statements } = await statementsOf(() => (name === 'mina' ? mina : ines).get(path));
    expect([page.status, page.html.querySelectorAll('.task-card').length]).toEqual([200, bounds.cards]);
    expect(page.text.length).toBeLessThan(bounds.kB * 1000);
    expect(statements.length).toBeGreaterThan(0);
    expect(statements.length).toBeLessThanOrEqual(bounds.statements);
    let rows = 0;
    for (const statement of statements) rows += await rowsRead(statement);
    expect(rows).toBeLessThanOrEqual(bounds.rows);
  });

  it('a board says all numbers as they are, and of more tasks that there are more', async () => {
    const counts = async (path: string): Promise<string[]> =>
      (await mina.get(path)).html.querySelectorAll('h1 .count, h2 .count').map(({ text }) => text);
    expect(await counts('/workflows/claims')).toEqual(['100,000', '25,000', '25,000', '25,000', '25,000']);
    expect(await counts('/workflows/claims?Risk=Low')).toEqual(['50,000', '15,000', '15,000', '10,000', '10,000']); // prettier-ignore
    const api = service.client(await service.key('acme'));
    expect((await api.post('/api/v1/workflows/claims/tasks', { 'Claim ID': 'one more' })).status).toBe(201);
    expect(await counts('/workflows/claims')).toEqual(['100,000+', ...Array.from({ length: 4 }, () => '10,000+')]); // prettier-ignore
    expect(await counts('/workflows/claims/list')).toEqual(['100,000+']);
  });

  interface Asked {
    readonly text: string;
    readonly values: readonly unknown[];
  }

  /** What a page asks of the table of tasks, the badge of the inbox too; what the service does by itself is of all workspaces. */
  async function statementsOf(work: () => Promise<Answer>): Promise<{ page: Answer; statements: Asked[] }> {
    const query = jest.spyOn(pg.Client.prototype, 'query');
    try {
      const page = await work();
      const statements = query.mock.calls.flatMap(([asked]): Asked[] => {
        const { text, values } = Object(asked) as Partial<Asked>;
        return text !== undefined && values !== undefined && /\btasks t\b/.test(text)
          ? [{ text, values }]
          : [];
      });
      return { page, statements };
    } finally {
      query.mockRestore();
    }
  }

  /** How many rows, or entries of indexes, the statement looks at. */
  async function rowsRead({ text, values }: Asked): Promise<number> {
    const [row] = await service.dataSource.query<[{ 'QUERY PLAN': [{ Plan: PlanNode }] }]>(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
      [...values],
    );
    return readBy(row['QUERY PLAN'][0].Plan);
  }

  function readBy(node: PlanNode): number {
    const own = node['Node Type'].includes('Scan')
      ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
      : 0;
    return (node.Plans ?? []).reduce((sum, part) => sum + readBy(part), own);
  }
});
