import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { type Position } from '../task-store/where.sql.js';
import { type Workflow } from '../workspace/workspace.js';

/** Whose list it is; what is no workflow's has the id 0. */
export type CursorHolder = Pick<Workflow, 'cursorKey' | 'id'>;

/** What tells one list of a workflow from another. */
export type ListName = readonly unknown[];

/**
 * Writes a place in a list as a text that tells nobody anything, nor lets itself be changed: an id would tell how many
 * tasks there are. The same place is the same text.
 */
export function sealCursor(workflow: CursorHolder, list: ListName, position: Position): string {
  const text = JSON.stringify(position);
  const name = nameOf(workflow, list);
  const nonce = createHmac('sha256', workflow.cursorKey).update(name).update(text).digest().subarray(0, 12);
  const cipher = createCipheriv(algorithm, workflow.cursorKey, nonce).setAAD(name);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  );
}

/** The place that a cursor of this very list names; undefined for any other text. */
export function openCursor(workflow: CursorHolder, list: ListName, cursor: string): Position | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  // What is too much at the end would be overlooked.
  if (bytes.length < 12 + 16 || bytes.toString('base64url') !== cursor) return undefined;
  const decipher = createDecipheriv(algorithm, workflow.cursorKey, bytes.subarray(0, 12))
    .setAAD(nameOf(workflow, list))
    .setAuthTag(bytes.subarray(-16));
  try {
    return JSON.parse(
      decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8'),
    ) as Position;
  } catch {
    return undefined;
  }
}

const algorithm = 'aes-256-gcm';

function nameOf({ id }: CursorHolder, list: ListName): Buffer {
  return Buffer.from(JSON.stringify([id, list]));
}
