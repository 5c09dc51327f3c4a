import { type EntityManager } from 'typeorm';
import { aboutTasks, countRows, eraseRows } from './workspace-tables.js';

/** Numbers of rows by table. */
export type Counts = ReadonlyMap<string, number>;

/** Told how many rows are gone so far. */
export type OnProgress = (rows: number) => void;

/** Which workflows of which workspace, all locked against writers. */
export interface LockedWorkspace {
  readonly id: number;
  readonly workflowIds: readonly number[];
}

/** How much a reset would delete. */
export async function countTasks(db: EntityManager, workspaceId: number): Promise<Counts> {
  const counts = new Map<string, number>();
  for (const table of ['tasks', ...aboutTasks]) counts.set(table, await countRows(db, table, workspaceId));
  const [files] = await db.query<{ count: string }[]>(countFiles, [workspaceId]);
  return counts.set('files', Number(files?.count ?? 0));
}

/** Deletes every task and what is about tasks; files are left to the sweep. */
export async function eraseTasks(
  tx: EntityManager,
  { id, workflowIds }: LockedWorkspace,
  onProgress: OnProgress,
): Promise<Counts> {
  const counts = new Map<string, number>();
  const count = (name: string, rows: number): void => {
    counts.set(name, (counts.get(name) ?? 0) + rows);
    onProgress(Array.from(counts.values()).reduce((sum, each) => sum + each, 0));
  };
  for (const table of aboutTasks) count(table, await eraseRows(tx, table, id));
  const [, released] = await tx.query<[unknown, number]>(releaseFiles, [id]);
  count('files', released);
  for (const workflowId of workflowIds)
    await eraseTasksOf(tx, [id, workflowId], (rows) => { count('tasks', rows); }); // prettier-ignore
  return counts;
}

/** In portions, so that progress shows: each task costs several checks of what refers to it. */
async function eraseTasksOf(
  tx: EntityManager,
  workflow: readonly [number, number],
  count: (rows: number) => void,
): Promise<void> {
  for (let last = '0'; ;) {
    const [portion] = await tx.query<{ count: string; last: string | null }[]>(eraseSome, [
      ...workflow,
      last,
    ]);
    count(Number(portion?.count ?? 0));
    if (portion?.last == null) return;
    last = portion.last;
  }
}

const countFiles = 'SELECT count(*) FROM blobs WHERE workspace_id = $1 AND task_id IS NOT NULL';

const releaseFiles = `
  UPDATE blobs SET workflow_id = NULL, task_id = NULL, unnamed_at = now()
  WHERE workspace_id = $1 AND task_id IS NOT NULL`;

const eraseSome = `
  WITH portion AS (
    SELECT id FROM tasks WHERE workspace_id = $1 AND workflow_id = $2 AND id > $3 ORDER BY id LIMIT 5000
  ), erased AS (
    DELETE FROM tasks WHERE workspace_id = $1 AND workflow_id = $2 AND id IN (SELECT id FROM portion) RETURNING id
  )
  SELECT count(*), max(id) AS last FROM erased`;
