import { setTimeout as sleep } from 'node:timers/promises';
import { movedTime, type MovedTime } from '../../support/moved-time.js';
import { hasRedis } from '../../support/redis.js';
import { type Setting, startSetting } from './setting.js';
import { until } from '../../support/until.js';

const add = (id: string, field: string): string =>
  `{ id: ${id}, name: ${id}, steps: [{ name: Add, type: update_fields, set: { ${field}: { expression: 'task["${field}"] + 1' } } }] }`;
const often = 'limit: { per_rule: 900000 per minute }';

const definition = (): string => `
workspace: { id: acme, name: Acme }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Review }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Level, type: singleSelect, options: [Low, High] }
      - { name: Round, type: number }
      - { name: Due, type: datetime }
      - { name: Count, type: number, default: 0 }
      - { name: Rungs, type: number, default: 0 }
    actions: [${[add('count', 'Count'), add('rung', 'Rungs')].join(', ')}]
    rules:
      - { id: made, on: created, when: 'task["Round"] > 0', run: count, ${often} }
      - { id: again, on: field_changed, field: Round, when: 'task["Round"] > 1', run: count, ${often} }
      - { id: reviewed, on: stage_entered, stage: Review, when: 'task["Round"] > 0', run: count, ${often} }
    clocks:
      - id: review
        starts: { stages: [Review] }
        pauses: { stages: [Waiting] }
        budget: { field: Level, of: { High: 4 hours }, else: 16 hours }
        rungs: [{ at: 50%, run: rung }]
      - { id: due, due: { field: Due }, rungs: [{ at: 100%, run: rung }] }
`;
const tasks = '/api/v1/workflows/cases/tasks';

(hasRedis() || process.env['CI'] ? describe : describe.skip)('rules and clocks under faults', () => {
  let setting: Setting;
  let moved: MovedTime;
  let aheadMs = 0;

  beforeAll(async () => {
    moved = await movedTime();
    setting = await startSetting(definition, moved.environment);
  });
  afterAll(async () => {
    await setting.stop();
    await moved.remove();
  });

  const query = async <T>(text: string, values: readonly unknown[] = []): Promise<T[]> =>
    setting.dataSource.query<T[]>(text, [...values]);

  /** Writes, again where there was no answer: what was done then changes nothing. */
  const write = async (values: object): Promise<void> => {
    let status = 0;
    await until('an answer', async () => {
      ({ status } = await setting.send('POST', tasks, values));
      return status !== 0 && status !== 503;
    });
    expect(status).toBeLessThan(300);
  };

  /** Half an hour from now by the time of the service: longer than it takes to prepare anything. */
  const later = (): number => Date.now() + aheadMs + 1_800_000;

  /** Moves the time of the service to this instant. */
  const moveTo = async (time: number): Promise<void> => {
    aheadMs = time - Date.now();
    await moved.move(setting.dataSource, aheadMs);
  };

  /** Waits until all that happened is followed and all executions have ended: at one moment, for either leads to the other. */
  async function settled(): Promise<void> {
    await until('all is done', async () => (await query(`${behind} UNION ALL ${pending}`)).length === 0);
  }

  /** That an execution of the same action stands behind each match of a rule, and no other behind any run. */
  async function expectEachOnce(kind: 'rule' | 'clock', wanted: number): Promise<void> {
    expect(
      await query(`SELECT result, count(*)::integer FROM runs r WHERE ${counted(kind)} GROUP BY result`),
    ).toEqual([{ result: 'started', count: wanted }]);
    expect(await query(twiceOrLost(kind))).toEqual([]);
  }

  it('R1 kill -9 of workers while events come: each match of a rule has one run and one execution', async () => {
    const kills = 20;
    for (let round = 0; round < kills; round += 1) {
      const ids = Array.from({ length: 10 }, (_, n) => `kill-${round}-${n}`);
      const writing = Promise.all(ids.map((id, n) => live(id, n)));
      await sleep(100 + Math.random() * 250);
      await (await setting.workers.anyOne()).kill();
      await writing;
    }
    await settled();
    const [row] = await query<{ wanted: number }>(matches);
    expect(row?.wanted).toBe(kills * 10 * 4);
    await expectEachOnce('rule', kills * 10 * 4);
    const counts = await query(
      'SELECT DISTINCT ' + valueOf('Count') + ` AS count FROM tasks t WHERE unique_value LIKE 'kill-%'`,
    );
    expect(counts).toEqual([{ count: '4' }]);
  });

  /** A task that four rules match, and whose clock starts, pauses, gets another budget and sometimes ends. */
  async function live(ID: string, n: number): Promise<void> {
    await write({ ID, Round: 1, Level: 'Low' });
    await write({ ID, Stage: 'Review' });
    await write({ ID, Round: 2 });
    await write({ ID, Level: 'High' });
    await write({ ID, Round: 3, Stage: 'Waiting' });
    await write({ ID, Level: n % 2 === 0 ? 'Low' : 'High', Due: '2099-01-01T00:00:00Z' });
    if (n % 3 === 0) await write({ ID, Stage: 'Done' });
  }

  it('R4 rungs due within one second under kill -9: each has exactly one event, one run, one execution', async () => {
    const count = 500;
    const due = later();
    for (let from = 0; from < count; from += 50) {
      const some = Array.from({ length: 50 }, (_, n) => from + n);
      const at = (n: number): string => new Date(due + (n % 1000)).toISOString();
      await Promise.all(some.map((n) => write({ ID: `rung-${n}`, Due: at(n) })));
    }
    await settled();
    await moveTo(due);
    for (let kill = 0; kill < 5; kill += 1) {
      await sleep(100 + Math.random() * 200);
      await (await setting.workers.anyOne()).kill();
    }
    const left = `SELECT FROM clocks WHERE clock_id = 'due' AND next_at < '2090-01-01'`;
    await until('all have fired', async () => (await query(left)).length === 0);
    await settled();
    await expectEachOnce('clock', count);
    const events = `SELECT count(*)::integer AS events, count(DISTINCT task_id)::integer AS tasks FROM events WHERE type = 'clock.fired'`;
    expect(await query(events)).toEqual([{ events: count, tasks: count }]);
    const rungs = `SELECT DISTINCT ${valueOf('Rungs')} AS rungs FROM tasks t WHERE unique_value LIKE 'rung-%'`;
    expect(await query(rungs)).toEqual([{ rungs: '1' }]);
  });
});

const valueOf = (field: string): string =>
  `t.field_values ->> (SELECT f.id FROM fields f WHERE f.workflow_id = t.workflow_id AND f.name = '${field}')`;

const behind = `SELECT FROM followers f WHERE f.position < (SELECT n.last_position FROM number_events(f.workspace_id) n)`;
const pending = `SELECT FROM executions WHERE status = 'Pending' UNION ALL SELECT FROM runs WHERE result = 'waiting'`;

/** What the rules of R1 match, by the events alone. */
const matches = `
  WITH field AS (SELECT id FROM fields WHERE name = 'Round'), e AS (
    SELECT e.*, e.values_to ->> field.id AS round FROM events e, field WHERE e.unique_value LIKE 'kill-%'
  )
  SELECT (count(*) FILTER (WHERE type = 'task.created' AND round = '1')
    + count(*) FILTER (WHERE type = 'task.updated' AND round IN ('2', '3'))
    + count(*) FILTER (WHERE stage_from <> stage_to AND stage_to = (SELECT id FROM stages WHERE name = 'Review'))
    )::integer AS wanted
  FROM e`;

const counted = (kind: 'rule' | 'clock'): string =>
  kind === 'rule'
    ? `r.kind = 'rule' AND r.unique_value LIKE 'kill-%'`
    : `r.kind = 'clock' AND r.unique_value LIKE 'rung-%'`;

/** Runs that are not the only ones of their event and starter, or whose execution is not there, and executions without a run. */
const twiceOrLost = (kind: 'rule' | 'clock'): string => `
  SELECT r.starter_id, r.event_id::text, r.unique_value FROM runs r WHERE ${counted(kind)}
  GROUP BY r.starter_id, r.event_id, r.unique_value HAVING count(*) > 1 OR count(DISTINCT r.execution_id) <> 1
  UNION ALL
  SELECT r.starter_id, r.event_id::text, 'without execution' FROM runs r
  LEFT JOIN executions e ON e.id = r.execution_id AND e.status = 'Success' WHERE ${counted(kind)} AND e.id IS NULL
  UNION ALL
  SELECT e.action_id, e.id, 'without run' FROM executions e LEFT JOIN runs r ON r.execution_id = e.id WHERE r.id IS NULL`;
