import type pg from 'pg';
import { openConnection } from '../connection.js';
import { requireSuccess } from '../drive.js';
import { type Bench } from '../open-bench.js';
import { type Target } from '../target.js';
import { timePath } from './definition.js';

/** Milliseconds from the commit of a creation until its rule's execution was entered, and until that ended. */
export interface Starts {
  readonly entered: readonly number[];
  readonly ended: readonly number[];
}

/** Creates tasks that trigger a rule, in turn with pauses. */
export async function timeStarts({ db, ask }: Bench, { port }: Target, count: number): Promise<Starts> {
  const connection = await openConnection(port);
  for (let n = 0; n < count; n += 1) {
    const request = ask('POST', timePath, { ID: `start-${n}`, Level: 'High' });
    requireSuccess(request, await connection.send(request));
    await sleep(20 + Math.random() * 100);
  }
  connection.close();
  await until(async () => (await numberOf(db, unended)) === 0);
  const { rows } = await db.query<{ entered: number; ended: number }>(started);
  const sorted = (times: number[]): number[] => times.sort((one, other) => one - other);
  return {
    entered: sorted(rows.map(({ entered }) => entered)),
    ended: sorted(rows.map(({ ended }) => ended)),
  };
}

const unended = `
  SELECT count(*)::integer AS count FROM tasks t WHERE t.unique_value LIKE 'start-%' AND NOT EXISTS (
    SELECT FROM events e WHERE e.task_id = t.id AND e.type = 'execution.succeeded'
  )`;

const started = `
  SELECT extract(epoch FROM r.started_at - e.happened_at)::float8 * 1000 AS entered,
    extract(epoch FROM d.happened_at - e.happened_at)::float8 * 1000 AS ended
  FROM runs r JOIN events e ON e.id = r.event_id
  JOIN events d ON d.task_id = r.task_id AND d.type = 'execution.succeeded'
  WHERE r.unique_value LIKE 'start-%'`;

/** The speed of followers. */
export interface Followed {
  /** Seconds by which the slower follower lagged behind the last event at the end of a steady stream. */
  readonly lag: number;
  /** Events per second with a large backlog. */
  readonly rate: number;
}

/** Makes so many events per second for some seconds, each on another task, and then as many at once. */
export async function timeFollowing(
  { db }: Bench,
  perSecond: number,
  seconds: number,
  condition = '',
): Promise<Followed> {
  const some = perSecond / 10;
  for (let tick = 0, begun = performance.now(); tick < seconds * 10; tick += 1) {
    await changeTasks(db, tick * some, some);
    await sleep(Math.max(0, begun + (tick + 1) * 100 - performance.now()));
  }
  const lag = await timeUntilFollowed(db, condition);
  await changeTasks(db, 0, perSecond * 10);
  return { lag, rate: (perSecond * 10) / (await timeUntilFollowed(db, condition)) };
}

async function changeTasks(db: pg.Client, from: number, count: number): Promise<void> {
  await db.query(change, [from, count]);
}

const change = `
  WITH fields AS (SELECT jsonb_object_agg(name, id) AS ids FROM fields), wanted AS (
    SELECT id FROM tasks WHERE unique_value LIKE 'filled-%' AND id >= (
      SELECT min(id) FROM tasks WHERE unique_value LIKE 'filled-%') + $1::integer % 10000 ORDER BY id LIMIT $2
  )
  UPDATE tasks t SET version = t.version + 1, stage_id = (
      SELECT id FROM stages s WHERE s.workflow_id = t.workflow_id AND s.id <> t.stage_id AND NOT is_end ORDER BY position LIMIT 1
    ), field_values = t.field_values || jsonb_build_object(fields.ids ->> 'Amount', (random() * 1000)::integer::text)
  FROM fields, wanted WHERE t.id = wanted.id`;

/** Seconds until the followers are at the end of the feed. */
async function timeUntilFollowed(db: pg.Client, condition: string): Promise<number> {
  const begun = performance.now();
  await db.query('SELECT number_events(workspace_id) FROM event_streams');
  await until(async () => (await numberOf(db, `${behind} ${condition}`)) === 0);
  return (performance.now() - begun) / 1000;
}

const behind = `
  SELECT count(*)::integer AS count FROM followers f JOIN event_streams s ON s.workspace_id = f.workspace_id
  WHERE f.position < s.last_position`;

export async function numberOf(db: pg.Client, text: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(text);
  return rows[0]?.count ?? NaN;
}

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 300_000; !(await isSo());) {
    if (Date.now() > deadline) throw new Error('what is waited for has not come within five minutes');
    await sleep(20);
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
