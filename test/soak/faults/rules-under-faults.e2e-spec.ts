import { setTimeout as sleep } from 'node:timers/promises';
import { movedTime, type MovedTime } from '../../support/moved-time.js';
import { until } from '../../support/until.js';
import { describeWithRedis, inTurns, type Setting, startSetting } from './setting.js';

const add = (id: string, field: string): string =>
  `{ id: ${id}, name: ${id}, steps: [{ name: Add, type: update_fields, set: { ${field}: { expression: 'task["${field}"] + 1' } } }] }`;
const often = 'limit: { per_rule: 900000 per minute }';

const definition = `
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

describeWithRedis('rules and clocks while workers are killed', () => {
  let setting: Setting;
  let moved: MovedTime;

  beforeAll(async () => {
    moved = await movedTime();
    setting = await startSetting(() => definition, { environment: moved.environment });
  });
  afterAll(async () => {
    await setting.stop();
    await moved.remove();
  });

  /** Writes, again where there was no answer: what was done then changes nothing. */
  const write = async (values: object): Promise<void> => {
    expect((await setting.answered('POST', tasks, values)).status).toBeLessThan(300);
  };

  /** Waits until all that happened is followed and all executions have ended: at one moment, for either leads to the other. */
  const settled = (): Promise<void> =>
    until('all is done', async () => (await setting.query(`${behind} UNION ALL ${pending}`)).length === 0);

  /** That an execution of the same action stands behind each match of a rule or clock, and no other behind any run. */
  async function expectEachOnce(kind: 'rule' | 'clock', like: string, wanted: number): Promise<void> {
    const counted = `r.kind = '${kind}' AND r.unique_value LIKE '${like}'`;
    expect(
      await setting.query(`SELECT result, count(*)::integer FROM runs r WHERE ${counted} GROUP BY result`),
    ).toEqual([{ result: 'started', count: wanted }]);
    expect(await setting.query(twiceOrLost(counted))).toEqual([]);
  }

  /** The value that these tasks have in a field. */
  const valuesOf = (field: string, like: string): Promise<unknown[]> =>
    setting.query(
      `SELECT DISTINCT t.field_values ->> f.id AS value FROM tasks t JOIN fields f ON f.workflow_id = t.workflow_id
       WHERE f.name = $1 AND t.unique_value LIKE $2`,
      [field, like],
    );

  it('R1 each match of a rule has one run and one execution', async () => {
    const kills = 20;
    for (let round = 0; round < kills; round += 1) {
      const writing = Promise.all(Array.from({ length: 10 }, (_, n) => live(`kill-${round}-${n}`, n)));
      await sleep(100 + Math.random() * 250);
      await setting.workers.killOne();
      await writing;
    }
    await settled();
    expect(await setting.query(matches)).toEqual([{ wanted: kills * 10 * 4 }]);
    await expectEachOnce('rule', 'kill-%', kills * 10 * 4);
    expect(await valuesOf('Count', 'kill-%')).toEqual([{ value: '4' }]);
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

  it('R4 500 rungs due within one second have one event, one run and one execution each', async () => {
    // Longer than it takes to prepare them.
    const due = Date.now() + 1_800_000;
    const all = Array.from({ length: 500 }, (_, n) => n);
    await inTurns(all, (n) => write({ ID: `rung-${n}`, Due: new Date(due + n).toISOString() }));
    await settled();
    await moved.move(setting.dataSource, due - Date.now());
    for (let kill = 0; kill < 5; kill += 1) {
      await sleep(100 + Math.random() * 200);
      await setting.workers.killOne();
    }
    const left = `SELECT FROM clocks WHERE clock_id = 'due' AND next_at < '2090-01-01'`;
    await until('all have fired', async () => (await setting.query(left)).length === 0);
    await settled();
    await expectEachOnce('clock', 'rung-%', all.length);
    const events = `SELECT count(*)::integer AS events, count(DISTINCT task_id)::integer AS tasks FROM events WHERE type = 'clock.fired'`;
    expect(await setting.query(events)).toEqual([{ events: all.length, tasks: all.length }]);
    expect(await valuesOf('Rungs', 'rung-%')).toEqual([{ value: '1' }]);
  });
});

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

/** Runs that are not the only ones of their event and starter, or whose execution is not there, and executions without a run. */
const twiceOrLost = (counted: string): string => `
  SELECT r.starter_id, r.event_id::text, r.unique_value FROM runs r WHERE ${counted}
  GROUP BY r.starter_id, r.event_id, r.unique_value HAVING count(*) > 1 OR count(DISTINCT r.execution_id) <> 1
  UNION ALL
  SELECT r.starter_id, r.event_id::text, 'without execution' FROM runs r
  LEFT JOIN executions e ON e.id = r.execution_id AND e.status = 'Success' WHERE ${counted} AND e.id IS NULL
  UNION ALL
  SELECT e.action_id, e.id, 'without run' FROM executions e LEFT JOIN runs r ON r.execution_id = e.id WHERE r.id IS NULL`;
