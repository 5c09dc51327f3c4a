import type pg from 'pg';
import { dueClocks } from '../../src/clocks/fire-clock.js';
import { timePages } from '../events/reading.js';
import { drive } from '../drive.js';
import { type Bench } from '../open-bench.js';
import { type Target } from '../target.js';
import { timePath } from './definition.js';
import { numberOf, until } from './rules.js';

/** The delay of rungs in milliseconds, due one after another or all in one second. */
export async function timeRungs(
  { db, ask }: Bench,
  { port }: Target,
  name: string,
  count: number,
  spreadMs: number,
): Promise<number[]> {
  const due = Date.now() + 4000 + count * 3;
  let n = 0;
  const next = (): string => {
    n += 1;
    const at = new Date(due + ((n * 7919) % count) * (spreadMs / count)).toISOString();
    return ask('POST', timePath, n <= count ? { ID: `${name}-${n}`, Due: at } : { ID: `${name}-${count}` });
  };
  while (n < count) await drive(port, next, 0.25, 8);
  const left = `SELECT $1::text, count(*)::integer FROM clocks WHERE clock_id = 'due' AND next_at IS NOT NULL AND due_at < now() + interval '1 day'`;
  await until(
    async () => (await numberOf(db, left.replace('$1', `'${name}'`))) === 0 && Date.now() > due + spreadMs,
  );
  const { rows } = await db.query<{ late: number }>(lateness, [`${name}-%`]);
  return rows.map(({ late }) => late).sort((one, other) => one - other);
}

const lateness = `
  SELECT extract(epoch FROM happened_at - (about ->> 'due_at')::timestamptz)::float8 * 1000 AS late
  FROM events WHERE type = 'clock.fired' AND unique_value LIKE $1`;

/** Enters so many tasks, each with five running clocks whose next rungs are in the future. */
export async function fillClocks(db: pg.Client, tasks: number): Promise<void> {
  await db.query(`SET wts.origin = 'none'`);
  await db.query(fillTasks, [tasks]);
  await db.query(fillRows);
  await db.query(noteDue);
  await db.query('RESET wts.origin');
  await db.query('VACUUM (ANALYZE) tasks, clocks');
}

const fillTasks = `
  INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
  SELECT w.workspace_id, w.id, translate(encode(substring(sha256(('time-' || i)::bytea), 1, 9), 'base64'), '+/', '-_'),
    'filled-' || i, (SELECT min(id) FROM stages s WHERE s.workflow_id = w.id), true, '{}'
  FROM workflows w, generate_series(1, $1::integer) i ORDER BY i`;

const fillRows = `
  INSERT INTO clocks (workspace_id, workflow_id, task_id, clock_id, state, row, event_place, due_at, next_at)
  SELECT t.workspace_id, t.workflow_id, t.id, c.id, 'running', json_build_object(
      'visit', 1, 'taskVersion', 1, 'startedAt', 1767225600000, 'countedFrom', 1767225600000, 'consumed',
      json_build_object('elapsed', 0, 'wall', 0, 'working', 0, 'working_days', 0), 'pauses', '[]'::json,
      'budget', json_build_object('amount', 900, 'unit', 'days'), 'due', NULL, 'changedAt', 1767225600000, 'done', '{}'::json,
      'state', 'running', 'endedAt', NULL, 'definition', 1),
    0, now() + interval '30 days' + t.id * interval '10 seconds' + c.at * interval '1 hour',
    now() + interval '30 days' + t.id * interval '10 seconds' + c.at * interval '1 hour'
  FROM tasks t, (VALUES ('due', 1), ('review', 2), ('answer', 3), ('wait', 4), ('all', 5)) c (id, at)
  WHERE t.unique_value LIKE 'filled-%'`;

const noteDue = `
  UPDATE tasks t SET due_at = (SELECT min(due_at) FROM clocks c WHERE c.workspace_id = t.workspace_id AND c.task_id = t.id)`;

/** The milliseconds of looks for due clocks. */
export async function timeLooks({ dataSource }: Bench, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const begun = performance.now();
    await dueClocks(dataSource.manager, 100);
    times.push(performance.now() - begun);
  }
  return times.sort((one, other) => one - other);
}

/** The milliseconds of pages sorted by `_due`: the first ones, and those from some time on. */
export async function timeDuePages({ ask }: Bench, service: Target, count: number): Promise<number[]> {
  const paths = Array.from({ length: count }, (_, n) => {
    const from = new Date(Date.now() + 30 * 86_400_000 + n * 3_600_000).toISOString();
    return `${timePath}?_sort=_due&_fields=ID,_due&_limit=100${n % 2 === 0 ? '' : `&_due[gt]=${from}`}`;
  });
  return timePages(service, ask, paths);
}
