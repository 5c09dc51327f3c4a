import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type NewComment } from './parse-comment.js';
import { type TaskKey } from '../records/task-key.js';

/** Stores a comment of a task that is locked, and returns its time. */
export async function writeComment(
  tx: EntityManager,
  { workspaceId, workflowId, taskId }: TaskKey,
  { authorId, body }: NewComment,
): Promise<Date> {
  const values = [workspaceId, workflowId, taskId, authorId, body];
  const [row] = await sql<{ createdAt: Date }>(tx, insert, values);
  if (!row) throw new Error('a comment was not stored');
  return row.createdAt;
}

// Under the task's lock its comments are committed in the order of their ids, so a page never skips one.
const insert = {
  name: 'write-comment',
  text: `
    INSERT INTO comments (workspace_id, workflow_id, task_id, author_id, body) VALUES ($1, $2, $3, $4, $5)
    RETURNING created_at AS "createdAt"`,
};
