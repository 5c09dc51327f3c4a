import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { TryAgain } from '../lib/errors.js';
import { type StoredFile } from '../schema/file-value.js';

/** An attachment whose bytes are in the store, but that no task names yet. */
export interface UploadedFile {
  readonly file: StoredFile;
  readonly size: number;
  readonly sha256: Buffer;
}

/** An attachment that a task names, as a download shows it. */
export interface Blob {
  readonly id: string;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly sha256: Buffer;
}

/** Announces blobs before any byte of them is stored, so that the sweep finds them whatever happens. */
export async function announceBlobs(
  db: EntityManager,
  workspaceId: number,
  ids: readonly string[],
): Promise<void> {
  await sql(db, announce, [workspaceId, ids]);
}

/** The task names these blobs from now on; to be called with the task locked, in the transaction that writes it. */
export async function nameBlobs(
  tx: EntityManager,
  { workspaceId, workflowId, taskId }: { workspaceId: number; workflowId: number; taskId: string },
  files: readonly UploadedFile[],
): Promise<void> {
  if (files.length === 0) return;
  const rows = await sql(tx, name, [
    workspaceId,
    workflowId,
    taskId,
    files.map(({ file }) => file.blobId),
    files.map(({ file }) => file.filename),
    files.map(({ file }) => file.contentType),
    files.map(({ size }) => size),
    files.map(({ sha256 }) => sha256),
  ]);
  // Only a request that took longer than the grace time can have lost one to the sweep.
  if (rows.length < files.length) throw new TryAgain('a blob was swept before it was named');
}

/** No task names these blobs any longer: the sweep removes them after the grace time. */
export async function releaseBlobs(
  tx: EntityManager,
  workspaceId: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await sql(tx, release, [workspaceId, ids]);
}

/** The blob of this id, if a task of the workspace names it. */
export async function findBlob(
  db: EntityManager,
  workspaceId: number,
  id: string,
): Promise<Blob | undefined> {
  const [row] = await sql<Omit<Blob, 'size'> & { size: string }>(db, find, [workspaceId, id]);
  return row && { ...row, size: Number(row.size) };
}

const announce = {
  name: 'announce-blobs',
  text: 'INSERT INTO blobs (workspace_id, id) SELECT $1, unnest($2::text[])',
};

const name = {
  name: 'name-blobs',
  text: `
    UPDATE blobs b SET workflow_id = $2, task_id = $3, unnamed_at = NULL,
      filename = n.filename, content_type = n.content_type, size = n.size, sha256 = n.sha256
    FROM unnest($4::text[], $5::text[], $6::text[], $7::bigint[], $8::bytea[]) n (id, filename, content_type, size, sha256)
    WHERE b.workspace_id = $1 AND b.id = n.id AND b.task_id IS NULL AND NOT b.is_doomed
    RETURNING b.id`,
};

const release = {
  name: 'release-blobs',
  text: `
    UPDATE blobs SET workflow_id = NULL, task_id = NULL, unnamed_at = now()
    WHERE workspace_id = $1 AND id = ANY($2)`,
};

const find = {
  name: 'find-blob',
  text: `
    SELECT id, filename, content_type AS "contentType", size, sha256 FROM blobs
    WHERE workspace_id = $1 AND id = $2 AND task_id IS NOT NULL`,
};
