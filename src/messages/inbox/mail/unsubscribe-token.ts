import { type NotificationReason, notificationReasons } from '../../../common/column-values.js';
import { openSealed, sealText } from '../../../common/seal.js';

/** The user and the reasons whose mail a link turns off. */
export interface Unsubscription {
  readonly userId: string;
  readonly reasons: readonly NotificationReason[];
}

const purpose = Buffer.from('WTS-Unsubscribe');

/** The token in a link: the workspace, and the rest sealed by its key. It never expires: people keep letters. */
export function unsubscribeToken(
  workspace: { readonly id: number; readonly key: Buffer },
  { userId, reasons }: Unsubscription,
): string {
  return `${workspace.id}.${sealText(workspace.key, purpose, [userId, ...reasons].join(' '))}`;
}

/** The workspace that a token names; undefined if it cannot be a token of the service. */
export function workspaceOfUnsubscription(token: string): number | undefined {
  const [, id] = /^([1-9]\d{0,8})\.[\w-]{1,500}$/.exec(token) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** The contents of a token of this workspace; undefined if it was not sealed by this key. */
export function openUnsubscription(key: Buffer, token: string): Unsubscription | undefined {
  const text = openSealed(key, purpose, token.replace(/^\d+\./, ''));
  const [userId, ...said] = text?.split(' ') ?? [];
  const reasons = notificationReasons.filter((reason) => said.includes(reason));
  return userId === undefined || reasons.length === 0 ? undefined : { userId, reasons };
}
