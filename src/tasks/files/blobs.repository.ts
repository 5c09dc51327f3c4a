import { type EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { type BlobEntity } from './blob.entity.js';
import { TryAgain } from '../../common/errors.js';
import { isSeen, sightFrom, type Sights, sqlSeen } from '../store/seen.js';
import { type StoredFile } from '../../workflows/fields/file-value.js';
import { ofWorkflow } from '../store/task-row.js';

/** An attachment whose bytes are stored, but to which no task refers yet. */
export interface UploadedFile {
  readonly file: StoredFile;
  readonly size: number;
  readonly sha256: Buffer;
}

export interface Blob {
  readonly id: string;
  readonly filename: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  readonly sha256: Buffer;
}

export type BlobKey = Readonly<Pick<BlobEntity, 'workspaceId' | 'id'>>;

/** Records blobs before any of their bytes are stored, so that the sweep finds them even after a crash. */
export async function announceBlobs(
  db: EntityManager,
  workspaceId: number,
  ids: readonly string[],
): Promise<void> {
  await sql(db, announce, [workspaceId, ids]);
}

/** Assigns blobs to a task. The caller must have locked or created the task in the same transaction. */
export async function nameBlobs(
  tx: EntityManager,
  { workspaceId, workflowId, taskId }: { workspaceId: number; workflowId: number; taskId: string },
  files: readonly UploadedFile[],
): Promise<void> {
  if (files.length === 0) return;
  const given = files.map(({ file, size, sha256 }) => ({ ...file, size, sha256: sha256.toString('hex') }));
  const rows = await sql(tx, name, [workspaceId, workflowId, taskId, JSON.stringify(given)]);
  // If the request takes longer than the grace time, the sweep may have removed a blob.
  if (rows.length < files.length) throw new TryAgain('a blob was swept before it was named');
}

/** Renames blobs of a task. The caller must have locked the task in the same transaction. */
export async function renameBlobs(
  tx: EntityManager,
  workspaceId: number,
  files: readonly StoredFile[],
): Promise<void> {
  if (files.length === 0) return;
  const names = files.map(({ filename }) => filename);
  await sql(tx, rename, [workspaceId, files.map(({ blobId }) => blobId), names]);
}

/** Releases blobs to which no task refers any more. The sweep removes them after the grace time. */
export async function releaseBlobs(
  tx: EntityManager,
  workspaceId: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await sql(tx, releaseThese, [workspaceId, ids]);
}

/** Releases the blobs of a workflow, or only those of one field. */
export async function releaseBlobsWithin(
  tx: EntityManager,
  { workspaceId, workflowId }: { workspaceId: number; workflowId: number },
  fieldId?: string,
): Promise<void> {
  if (fieldId === undefined) await sql(tx, releaseOfWorkflow, [workspaceId, workflowId]);
  else await sql(tx, releaseOfField, [workspaceId, workflowId, fieldId]);
}

export async function releaseBlobsOfWorkspace(tx: EntityManager, workspaceId: number): Promise<void> {
  await tx.query(releaseOfWorkspace, [workspaceId]);
}

/** Finds a blob of the workspace, if the viewer sees the task that refers to it. */
export async function findBlob(
  db: EntityManager,
  workspaceId: number,
  id: string,
  bound: Sights | undefined,
): Promise<Blob | undefined> {
  const [blob] = await sqlSeen<Blob>(db, { bound }, find, [workspaceId, id]);
  return blob;
}

const announce = {
  name: 'announce-blobs',
  text: 'INSERT INTO blobs (workspace_id, id) SELECT $1, unnest($2::text[])',
};

const name = {
  name: 'name-blobs',
  text: `
    UPDATE blobs b SET workflow_id = $2, task_id = $3, unnamed_at = NULL,
      filename = n.filename, content_type = n."contentType", size = n.size, sha256 = decode(n.sha256, 'hex')
    FROM json_to_recordset($4::json) n ("blobId" text, filename text, "contentType" text, size bigint, sha256 text)
    WHERE b.workspace_id = $1 AND b.id = n."blobId" AND b.task_id IS NULL AND NOT b.is_doomed
    RETURNING b.id`,
};

const rename = {
  name: 'rename-blobs',
  text: `
    UPDATE blobs b SET filename = n.filename FROM unnest($2::text[], $3::text[]) n (id, filename)
    WHERE b.workspace_id = $1 AND b.id = n.id`,
};

const release = `UPDATE blobs b SET workflow_id = NULL, task_id = NULL, unnamed_at = now()`;

const releaseThese = {
  name: 'release-blobs',
  text: `${release} WHERE b.workspace_id = $1 AND b.id = ANY($2)`,
};

const releaseOfWorkflow = { text: `${release} WHERE b.workspace_id = $1 AND b.workflow_id = $2` };

const releaseOfField = {
  text: `${releaseOfWorkflow.text} AND b.id IN (
    SELECT file ->> 'blobId' FROM tasks t CROSS JOIN LATERAL jsonb_array_elements(t.field_values -> $3) file
    WHERE ${ofWorkflow} AND t.field_values ? $3
  )`,
};

const releaseOfWorkspace = `${release} WHERE b.workspace_id = $1 AND b.task_id IS NOT NULL`;

const find = {
  name: 'find-blob',
  text: `
    SELECT b.id, b.filename, b.content_type AS "contentType", b.size::float8 AS size, b.sha256 FROM blobs b
    JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = b.workflow_id AND t.id = b.task_id
    WHERE b.workspace_id = $1 AND b.id = $2 AND ${isSeen('t', sightFrom(3))}`,
};

/** Returns the total size of these blobs, in bytes. */
export async function sizeOfBlobs(
  db: EntityManager,
  workspaceId: number,
  ids: readonly string[],
): Promise<number> {
  const [row] = await sql<{ bytes: number }>(db, sizeOf, [workspaceId, ids]);
  return row?.bytes ?? 0;
}

const sizeOf = {
  name: 'size-of-blobs',
  text: 'SELECT COALESCE(sum(size), 0)::float8 AS bytes FROM blobs WHERE workspace_id = $1 AND id = ANY($2)',
};

/**
 * Marks up to `limit` blobs for removal, if no task has used them for `graceMs`. Begins with the blobs that
 * have been unused for the longest time. Skips attachments of mail that is queued or has failed.
 */
export async function markUnnamed(db: EntityManager, graceMs: number, limit: number): Promise<BlobKey[]> {
  return sql<BlobKey>(db, mark, [graceMs, limit]);
}

/** Marks blobs for removal. Returns the ids of the blobs that stay, because a task refers to them. */
export async function markBlobs(
  db: EntityManager,
  workspaceId: number,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<Pick<BlobKey, 'id'>>(db, markThese, [workspaceId, ids]);
  return new Set(rows.map(({ id }) => id));
}

/** Deletes the rows of marked blobs whose bytes have been removed. */
export async function forgetBlobs(db: EntityManager, blobs: readonly BlobKey[]): Promise<void> {
  await sql(db, forget, [blobs.map(({ workspaceId }) => workspaceId), blobs.map(({ id }) => id)]);
}

const mark = {
  name: 'mark-blobs',
  scope: 'all shards' as const,
  text: `
    UPDATE blobs SET is_doomed = true
    WHERE (workspace_id, id) IN (
      SELECT workspace_id, id FROM blobs b WHERE unnamed_at <= now() - make_interval(secs => $1::numeric / 1000)
        AND NOT EXISTS (
          SELECT FROM messages m WHERE m.workspace_id = b.workspace_id AND m.state <> 'sent'
            AND m.attachments IS NOT NULL
            AND m.attachments @> jsonb_build_array(jsonb_build_object('blobId', b.id))
        )
      ORDER BY unnamed_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    RETURNING workspace_id AS "workspaceId", id`,
};

// The outer SELECT returns all rows that were not marked. It cannot test `task_id`, which may be outdated in
// its snapshot.
const markThese = {
  name: 'mark-these-blobs',
  text: `
    WITH marked AS (
      UPDATE blobs SET is_doomed = true WHERE workspace_id = $1 AND id = ANY($2) AND task_id IS NULL RETURNING id
    )
    SELECT id FROM blobs WHERE workspace_id = $1 AND id = ANY($2) AND id NOT IN (SELECT id FROM marked)`,
};

const forget = {
  name: 'forget-blobs',
  scope: 'all shards' as const,
  text: `
    DELETE FROM blobs WHERE is_doomed AND (workspace_id, id) IN (SELECT * FROM unnest($1::integer[], $2::text[]))`,
};
