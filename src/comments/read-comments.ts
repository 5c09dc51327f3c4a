import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type IdPage, pageOf } from '../records/pages.js';
import { type TaskKey } from '../records/task-key.js';
import { type StoredComment } from './comment.js';

/** The next comments behind the one of id `after`, with 2 MB of text or little more. */
export async function commentsPage(
  db: EntityManager,
  { workspaceId, workflowId, taskId }: TaskKey,
  after: string,
  limit: number,
): Promise<IdPage<CommentRow>> {
  const values = [workspaceId, workflowId, taskId, after, limit + 1];
  const found = await sql<CommentRow>(db, readPage, values);
  return pageOf(found, limit);
}

interface CommentRow extends StoredComment {
  readonly id: string;
  /** How many there are, the one behind the page included. */
  readonly found: string;
}

// The length of a text is known without reading it.
const readPage = {
  name: 'read-comments',
  text: `
    SELECT c.id, u.email AS author, c.body, c.created_at AS "createdAt", c.found FROM (
      SELECT c.*, count(*) OVER () AS found, sum(octet_length(c.body)) OVER (ORDER BY c.id ROWS UNBOUNDED PRECEDING)
        - octet_length(c.body) AS preceding
      FROM (
        SELECT * FROM comments
        WHERE workspace_id = $1 AND workflow_id = $2 AND task_id = $3 AND id > $4::bigint
        ORDER BY id LIMIT $5
      ) c
    ) c
    LEFT JOIN users u ON u.workspace_id = c.workspace_id AND u.id = c.author_id
    WHERE c.preceding < 2000000
    ORDER BY c.id`,
};
