import { buffer } from 'node:stream/consumers';
import { type BlobStore } from '../tasks/store/blob-store.js';
import { type AttachedFile } from '../common/database/json-columns.js';
import { type LetterAttachment } from './letter.js';

/** The files of a mail, as a letter takes them; undefined if the store no longer has one of them. */
export async function readAttachments(
  store: BlobStore,
  files: readonly AttachedFile[],
): Promise<LetterAttachment[] | undefined> {
  const attachments: LetterAttachment[] = [];
  for (const { blobId, filename, contentType } of files) {
    const bytes = await store.read(blobId);
    if (!bytes) return undefined;
    attachments.push({ filename, contentType, content: await buffer(bytes) });
  }
  return attachments;
}
