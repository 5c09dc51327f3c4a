import { type NotificationReason, notificationReasons } from '../../entities/column-values.js';
import { openSealed, sealText } from '../../lib/seal.js';

/** Whose mail of which reasons a link ends. */
export interface Unsubscription {
  readonly userId: string;
  readonly reasons: readonly NotificationReason[];
}

const purpose = Buffer.from('WTS-Unsubscribe');

/** What stands in the path of a link: the workspace, and the rest sealed by its key. It holds for ever: letters are kept. */
export function unsubscribeToken(
  workspace: { readonly id: number; readonly key: Buffer },
  { userId, reasons }: Unsubscription,
): string {
  return `${workspace.id}.${sealText(workspace.key, purpose, [userId, ...reasons].join(' '))}`;
}

/** The workspace that a token says it is of; undefined where it cannot be one of ours. */
export function workspaceOfUnsubscription(token: string): number | undefined {
  const [, id] = /^([1-9]\d{0,8})\.[\w-]{1,500}$/.exec(token) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** What a token of this workspace says; undefined for one that nobody has sealed. */
export function openUnsubscription(key: Buffer, token: string): Unsubscription | undefined {
  const text = openSealed(key, purpose, token.replace(/^\d+\./, ''));
  const [userId, ...said] = text?.split(' ') ?? [];
  const reasons = notificationReasons.filter((reason) => said.includes(reason));
  return userId === undefined || reasons.length === 0 ? undefined : { userId, reasons };
}
