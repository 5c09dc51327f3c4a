import type pg from 'pg';
import { casesFilling, fillWorkflow, withoutIndexes } from '../fill.js';
import { say } from '../say.js';

/** The wanted numbers of events and deliveries. */
export interface EventsWanted {
  readonly events: number;
  readonly deliveries: number;
}

/** The number of events of each task: its creation, and changes that are far apart in the feed. */
const EVENTS_OF_TASK = 100;

/** Enters tasks, their events, a paused webhook and its deliveries, as the service would have. */
export async function fillEvents(db: pg.Client, { events, deliveries }: EventsWanted): Promise<void> {
  const tasks = Math.max(1000, Math.ceil(events / EVENTS_OF_TASK));
  const begun = performance.now();
  await db.query(`SET wts.origin = 'none'`);
  await withoutIndexes(db, () => fillWorkflow(db, casesFilling(tasks)));
  await withoutEventIndexes(db, async () => {
    const fields = await fieldIds(db);
    for (let from = 0; from < events; from += ROWS_AT_ONCE)
      await db.query(insertEvents, [from, Math.min(from + ROWS_AT_ONCE, events) - 1, tasks, fields]);
  });
  await db.query('SELECT number_events(id) FROM workspaces');
  await db.query(insertDeliveries, [deliveries]);
  await db.query('VACUUM (ANALYZE) events, event_chunks, webhook_deliveries');
  await db.query('RESET wts.origin');
  say(
    `${events} events and ${deliveries} deliveries in ${((performance.now() - begun) / 1000).toFixed(0)} s`,
  );
}

const ROWS_AT_ONCE = 1_000_000;

async function withoutEventIndexes(db: pg.Client, work: () => Promise<void>): Promise<void> {
  const { rows } = await db.query<{ name: string; text: string }>(`
    SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS text
    FROM pg_index WHERE indrelid = 'events'::regclass AND NOT indisunique`);
  for (const { name } of rows) await db.query(`DROP INDEX ${name}`);
  await work();
  for (const { text } of rows) await db.query(text);
}

async function fieldIds(db: pg.Client): Promise<readonly string[]> {
  const { rows } = await db.query<{ id: string }>(`
    SELECT f.id FROM fields f JOIN workflows w ON w.id = f.workflow_id
    WHERE w.slug = 'cases' AND f.name IN ('Amount', 'Score') ORDER BY f.name`);
  return rows.map(({ id }) => id);
}

// The first round creates the tasks; each further one changes the stage and two values of every task.
const insertEvents = `
  INSERT INTO events (workspace_id, type, happened_at, origin, workflow_id, task_id, public_id, unique_value, version,
    stage_from, stage_to, assignee_to, values_from, values_to)
  SELECT t.workspace_id, CASE WHEN i < $3 THEN 'task.created' ELSE 'task.updated' END,
    timestamptz '2026-01-01' + i * interval '1 millisecond',
    json_build_object('key', k.id, 'request', 'request-' || i)::text, t.workflow_id, t.id, t.public_id, t.unique_value,
    1 + i / $3, CASE WHEN i >= $3 THEN s.ids[1 + (i / $3) % 4] END, s.ids[1 + (i / $3 + 1) % 4],
    CASE WHEN i < $3 THEN t.assignee_id END,
    CASE WHEN i >= $3 THEN jsonb_build_object(($4::text[])[1], (i - $3) % 8999 || '.75', ($4::text[])[2], (i - $3) % 89 || '.25') END,
    CASE WHEN i < $3 THEN t.field_values
      ELSE jsonb_build_object(($4::text[])[1], i % 8999 || '.75', ($4::text[])[2], i % 89 || '.25') END
  FROM generate_series($1::bigint, $2::bigint) i
  CROSS JOIN (SELECT id, workspace_id FROM api_keys LIMIT 1) k
  CROSS JOIN (SELECT min(id) AS first FROM tasks) f
  JOIN tasks t ON t.id = f.first + i % $3
  JOIN LATERAL (SELECT array_agg(id ORDER BY position) AS ids FROM stages WHERE workflow_id = t.workflow_id) s ON true
  ORDER BY i`;

// Most were delivered; one in 50 failed.
const insertDeliveries = `
  WITH webhook AS (
    INSERT INTO webhooks (workspace_id, id, managed_by, position, url, origin, events, content, state)
    SELECT id, 'filled', 'api', 0, 'https://filled.bench.test/', 'https://filled.bench.test', '{task.updated}', 'changes', 'paused'
    FROM workspaces RETURNING workspace_id, id
  )
  INSERT INTO webhook_deliveries (workspace_id, webhook_id, event_id, event_place, type, task_id, state, tries, status,
    took_ms, next_at, finished_at)
  SELECT e.workspace_id, w.id, e.id, e.place, e.type, e.task_id, CASE WHEN e.place % 50 = 0 THEN 'failed' ELSE 'delivered' END,
    1, 200, 12, NULL, now()
  FROM webhook w JOIN events e ON e.workspace_id = w.workspace_id
  ORDER BY e.place LIMIT $1`;
