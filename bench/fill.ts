import type pg from 'pg';
import { caseValues } from './definition.js';

/** The contents of a workflow's tasks: SQL over the number `i`, `users.ids` and `stages.ids`. */
export interface Filling {
  readonly workflow: string;
  /** The first and the last number. */
  readonly from: number;
  readonly to: number;
  /** The stored values of fields by name; NULL for blank. */
  readonly values: Readonly<Record<string, string>>;
  readonly uniqueId: string;
  /** The position of the stage, from 1. */
  readonly stage: string;
  readonly assignee: string;
}

/** So many tasks of the workflow `cases`, in four stages, with 20 users. */
export function casesFilling(count: number): Filling {
  return {
    workflow: 'cases',
    from: 1,
    to: count,
    values: caseValues,
    uniqueId: `'C-' || i`,
    stage: '1 + i % 4',
    assignee: 'users.ids[1 + i % 20]',
  };
}

/** Inserts tasks as the service would have stored them. */
export async function fillWorkflow(db: pg.Client, filling: Filling): Promise<void> {
  const { rows } = await db.query<{ id: string; name: string }>(
    `SELECT f.id, f.name FROM fields f JOIN workflows w ON w.id = f.workflow_id WHERE w.slug = $1`,
    [filling.workflow],
  );
  const fieldIds = new Map(rows.map(({ id, name }) => [name, id]));
  const pairs = Object.entries(filling.values).map(
    ([name, value]) => `'${fieldIds.get(name) ?? unknown(name)}', ${value}`,
  );
  await db.query(insertion(filling, `jsonb_strip_nulls(jsonb_build_object(${pairs.join(', ')}))`));
}

/** Drops the secondary indexes of tasks, which makes the work faster, and creates them again afterwards. */
export async function withoutIndexes(db: pg.Client, work: () => Promise<void>): Promise<void> {
  const { rows } = await db.query<{ name: string; text: string }>(`
    SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS text
    FROM pg_index WHERE indrelid = 'tasks'::regclass AND NOT indisunique`);
  for (const { name } of rows) await db.query(`DROP INDEX ${name}`);
  await work();
  await db.query(`SET maintenance_work_mem = '1GB'`);
  for (const { text } of rows) await db.query(text);
  await db.query('VACUUM (ANALYZE)');
}

function insertion({ workflow, from, to, ...sql }: Filling, values: string): string {
  return `
    INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, assignee_id,
      field_values, created_at, updated_at)
    SELECT w.workspace_id, w.id, ${publicId}, ${sql.uniqueId}, stages.ids[${sql.stage}],
      NOT stages.ends[${sql.stage}], ${sql.assignee}, ${values}, now(), now()
    FROM workflows w
    CROSS JOIN LATERAL (
      SELECT array_agg(id ORDER BY position) AS ids, array_agg(is_end ORDER BY position) AS ends
      FROM stages WHERE workflow_id = w.id
    ) stages
    CROSS JOIN LATERAL (
      SELECT array_agg(id ORDER BY position) AS ids FROM users WHERE workspace_id = w.workspace_id
    ) users
    CROSS JOIN generate_series(${from}, ${to}) AS i
    WHERE w.slug = '${workflow}'
    ORDER BY i`;
}

const publicId = `translate(encode(substring(sha256((w.id || '-' || i)::bytea), 1, 9), 'base64'), '+/', '-_')`;

function unknown(name: string): never {
  throw new Error(`no field ${name}`);
}
