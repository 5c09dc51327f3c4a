import { type EntityManager } from 'typeorm';
import { sql } from '../common/database/sql.js';
import { type CommentEntity } from './comment.entity.js';
import { type TaskKey } from '../tasks/store/task-keys.js';
import { type StoredComment, type NewComment } from './comment.dto.js';
import { type IdPage, pageOfLinks } from '../common/id-page.js';

/**
 * Reads up to `limit` comments in the given order, beginning after the id `after`. If `after` is '0', begins
 * at the start of that order. Stops after about 2 MB of text.
 */
export async function commentsPage(
  db: EntityManager,
  { workspaceId, workflowId, taskId }: TaskKey,
  order: 'oldest first' | 'newest first',
  after: string,
  limit: number,
): Promise<IdPage<CommentRow>> {
  const values = [workspaceId, workflowId, taskId, after, limit + 1];
  const found = await sql<CommentRow>(db, order === 'oldest first' ? readPage : readLatest, values);
  return pageOfLinks(found, limit);
}

interface CommentRow extends StoredComment, Readonly<Pick<CommentEntity, 'id' | 'mentions'>> {
  /** How many comments the query found, including those that it leaves out after about 2 MB. */
  readonly found: string;
}

// PostgreSQL finds the length of a text without reading the text itself.
const pageOfComments = (isBehind: string, order: 'ASC' | 'DESC'): string => `
    SELECT c.id, COALESCE(u.email, c.said_by) AS author, c.body, c.mentions, c.created_at AS "createdAt", c.found FROM (
      SELECT c.*, count(*) OVER () AS found,
        sum(octet_length(c.body)) OVER (ORDER BY c.id ${order} ROWS UNBOUNDED PRECEDING) - octet_length(c.body) AS preceding
      FROM (
        SELECT * FROM comments
        WHERE workspace_id = $1 AND workflow_id = $2 AND task_id = $3 AND ${isBehind}
        ORDER BY id ${order} LIMIT $5
      ) c
    ) c
    LEFT JOIN users u ON u.workspace_id = c.workspace_id AND u.id = c.author_id
    WHERE c.preceding < 2000000
    ORDER BY c.id ${order}`;

const readPage = { name: 'read-comments', text: pageOfComments('id > $4::bigint', 'ASC') };

const readLatest = {
  name: 'read-latest-comments',
  text: pageOfComments('id < COALESCE(NULLIF($4::bigint, 0), 9223372036854775807)', 'DESC'),
};

/** Stores a comment on a locked task; returns the time of the comment. */
export async function writeComment(
  tx: EntityManager,
  { workspaceId, workflowId, taskId }: TaskKey,
  { authorId, body, saidBy, mentions }: NewComment,
): Promise<Date> {
  const values = [workspaceId, workflowId, taskId, authorId, body, saidBy, mentions];
  const [row] = await sql<Pick<CommentEntity, 'createdAt'>>(tx, insert, values);
  if (!row) throw new Error('a comment was not stored');
  return row.createdAt;
}

// The task is locked, so its comments are committed in the order of their ids, and no page skips a comment.
const insert = {
  name: 'write-comment',
  text: `
    INSERT INTO comments (workspace_id, workflow_id, task_id, author_id, body, said_by, mentions)
    VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb)
    RETURNING created_at AS "createdAt"`,
};
