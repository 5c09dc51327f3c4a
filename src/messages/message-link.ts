import { createHmac } from 'node:crypto';
import { type FilledText } from '../workflows/expressions/template.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { type ClaimedMessage, type MessageKey } from './messages.repository.js';

/**
 * The token proves that its bearer received the message. The token is derived from the workspace's key: no
 * table stores the token, and every try sends the same one. Its format is that of `newSecretToken`.
 */
export function tokenOfMessage(cursorKey: Buffer, { workspaceId, id }: MessageKey): string {
  return `${workspaceId}.${createHmac('sha256', cursorKey).update(`WTS-Message ${id}`).digest('base64url')}`;
}

export type ReadyMessage = Omit<ClaimedMessage, 'body'> & { readonly body: FilledText };

export function withLinks(claimed: ClaimedMessage, { rows }: Workspace): ReadyMessage {
  const token = tokenOfMessage(rows.workspace.cursorKey, claimed);
  const body = claimed.body.map((part) =>
    typeof part === 'object' && 'link' in part ? { value: part.link + token } : part,
  );
  return { ...claimed, body };
}
