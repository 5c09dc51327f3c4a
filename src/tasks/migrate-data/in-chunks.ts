import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { ofWorkflow } from '../store/task-row.js';

export interface WorkflowPlace {
  readonly workspaceId: number;
  readonly workflowId: number;
}

/**
 * Runs a statement on chunks of a workflow's tasks, in the order of their ids. Its
 * first parameters are the workspace, the workflow and the chunk: ids greater than $3, up to $4.
 */
export async function inChunks(
  db: EntityManager,
  place: WorkflowPlace,
  statement: string,
  values: readonly unknown[],
): Promise<void> {
  const ofWorkflow = [place.workspaceId, place.workflowId];
  for (let after = '0'; ;) {
    const [chunk] = await sql<{ last: string | null }>(db, nextChunk, [...ofWorkflow, after]);
    if (!chunk || chunk.last === null) return;
    await sql(db, { text: statement }, [...ofWorkflow, after, chunk.last, ...values]);
    after = chunk.last;
  }
}

/** SQL: whether the task `t` is in the chunk. */
export const inChunk = `${ofWorkflow} AND t.id > $3 AND t.id <= $4`;

const nextChunk = {
  text: `
    SELECT max(id) AS last FROM (
      SELECT t.id FROM tasks t WHERE ${ofWorkflow} AND t.id > $3 ORDER BY t.id LIMIT 20000
    ) chunk`,
};
