import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { caseValues } from './definition.js';

/** Inserts so many tasks of `cases` as the service would store them, in four stages and with 20 assignees. */
export async function fillCases(db: pg.Client, count: number): Promise<void> {
  const { rows } = await db.query<{ id: string; name: string }>(
    `SELECT f.id, f.name FROM fields f JOIN workflows w ON w.id = f.workflow_id WHERE w.slug = 'cases'`,
  );
  const pairs = rows.flatMap(({ id, name }) => (caseValues[name] ? [`'${id}', ${caseValues[name]}`] : []));
  await withoutIndexes(db, () =>
    db.query(insertionOf(`jsonb_strip_nulls(jsonb_build_object(${pairs.join(', ')}))`, count)),
  );
}

/** Waits until the followers of the service have read all events, so that their work does not disturb the first turns. */
export async function untilFollowed(db: pg.Client): Promise<void> {
  const read = 'SELECT (SELECT min(position) FROM followers) < (SELECT count(*) FROM events) AS "isBehind"';
  while ((await db.query<{ isBehind: boolean | null }>(read)).rows[0]?.isBehind) await setTimeout(500);
}

/** Drops the secondary indexes of tasks, which makes the work faster, and creates them again afterwards. */
async function withoutIndexes(db: pg.Client, work: () => Promise<unknown>): Promise<void> {
  const { rows } = await db.query<{ name: string; text: string }>(`
    SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS text
    FROM pg_index WHERE indrelid = 'tasks'::regclass AND NOT indisunique`);
  for (const { name } of rows) await db.query(`DROP INDEX ${name}`);
  await work();
  await db.query(`SET maintenance_work_mem = '1GB'`);
  for (const { text } of rows) await db.query(text);
  await db.query('VACUUM (ANALYZE)');
}

const insertionOf = (values: string, count: number): string => `
  INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, assignee_id,
    field_values, created_at, updated_at)
  SELECT w.workspace_id, w.id, translate(encode(substring(sha256(i::text::bytea), 1, 9), 'base64'), '+/', '-_'), 'C-' || i,
    stages.ids[1 + i % 4], NOT stages.ends[1 + i % 4], users.ids[1 + i % 20], ${values}, now(), now()
  FROM workflows w
  CROSS JOIN LATERAL (
    SELECT array_agg(id ORDER BY position) AS ids, array_agg(is_end ORDER BY position) AS ends
    FROM stages WHERE workflow_id = w.id
  ) stages
  CROSS JOIN LATERAL (
    SELECT array_agg(id ORDER BY position) AS ids FROM users WHERE workspace_id = w.workspace_id
  ) users
  CROSS JOIN generate_series(1, ${count}) AS i
  WHERE w.slug = 'cases'
  ORDER BY i`;
