import { type EntityManager } from 'typeorm';
import { type RowChange, type RowUpdate, type UndoPlan } from './plan-undo.js';

/**
 * Carries out a plan that loses nothing. What comes back is there before others name it again, and what goes is named
 * by nobody any more. The workspace goes when nothing is left in it.
 */
export async function carryOutUndo(
  db: EntityManager,
  { insert, update, remove }: UndoPlan,
  workspaceId: number,
): Promise<void> {
  for (const change of insert) await insertRow(db, change);
  for (const change of update) await updateRow(db, change);
  for (const change of remove) await removeRow(db, change);
  await db.query(updateActive, [workspaceId]);
  if (remove.some(({ table }) => table.name === 'workspaces')) await removeEmptyWorkspace(db, workspaceId);
}

/** Forgets what was done in workflows that go: no reason to stay, where their tasks have gone already. */
export async function forgetExecutions(db: EntityManager, { remove }: UndoPlan): Promise<void> {
  for (const { row } of remove.filter(({ table }) => table.name === 'workflows'))
    await db.query('DELETE FROM executions WHERE workspace_id = $1 AND workflow_id = $2', [
      row['workspace_id'],
      row['id'],
    ]);
}

async function insertRow(db: EntityManager, { table: { name }, row }: RowChange): Promise<void> {
  const columns = Object.keys(row).map(quoted).join(', ');
  await db.query(
    `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE
     SELECT ${columns} FROM json_populate_record(NULL::${name}, $1)`,
    [JSON.stringify(row)],
  );
}

async function updateRow(db: EntityManager, { table: { name, key }, row, columns }: RowUpdate): Promise<void> {
  const changes = columns.map((column) => `${quoted(column)} = r.${quoted(column)}`).join(', ');
  const isWorkspace = name === 'workspaces';
  const own = isWorkspace ? ['t.id = r.id'] : ['workspace_id', ...key].map((column) => `t.${column} = r.${column}`);
  await db.query(
    `UPDATE ${name} t SET ${changes} FROM json_populate_record(NULL::${name}, $1) r WHERE ${own.join(' AND ')}`,
    [JSON.stringify(isWorkspace ? { ...row, id: row['workspace_id'] } : row)],
  );
} // prettier-ignore

async function removeRow(db: EntityManager, { table: { name, key }, row }: RowChange): Promise<void> {
  if (name === 'workspaces') return;
  const columns = ['workspace_id', ...key];
  if (name === 'workflows')
    await db.query('DELETE FROM unique_id_counters WHERE workspace_id = $1 AND workflow_id = $2', [
      row['workspace_id'],
      row['id'],
    ]);
  const where = columns.map((column, index) => `${column} = $${index + 1}`).join(' AND ');
  await db.query(
    `DELETE FROM ${name} WHERE ${where}`,
    columns.map((column) => row[column]),
  );
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Keys to an empty workspace open nothing, and answers of it are asked for by nobody. */
async function removeEmptyWorkspace(db: EntityManager, workspaceId: number): Promise<void> {
  const [found] = await db.query<{ is_empty: boolean }[]>(
    `SELECT NOT EXISTS (SELECT FROM workflows WHERE workspace_id = $1)
       AND NOT EXISTS (SELECT FROM users WHERE workspace_id = $1) AS is_empty`,
    [workspaceId],
  );
  if (found?.is_empty !== true) return;
  for (const table of ['api_keys', 'idempotency_keys', 'definition_migrations', 'definition_versions'])
    await db.query(`DELETE FROM ${table} WHERE workspace_id = $1`, [workspaceId]);
  await db.query('DELETE FROM workspaces WHERE id = $1', [workspaceId]);
}

const updateActive = `
  UPDATE tasks t SET is_active = NOT s.is_end FROM stages s
  WHERE t.workspace_id = $1 AND s.workspace_id = $1 AND s.workflow_id = t.workflow_id
    AND s.id = t.stage_id AND t.is_active = s.is_end`;
