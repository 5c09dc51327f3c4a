import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { notFound } from '../../../common/errors.js';
import { type User } from '../../../workflows/fields/field-type.js';
import { Workspaces } from '../../../workflows/model/workspaces.js';
import { endMailOf } from './delivery.repository.js';
import { type NotificationReason, notificationReasons } from '../../../common/column-values.js';
import { openSealed, sealText } from '../../../common/seal.js';

export interface FoundUnsubscription extends Unsubscription {
  readonly workspace: { readonly id: number; readonly name: string };
  readonly user: User;
}

/** Turns off mail for some reasons, by the link that every letter contains. Needs no sign-in. */
@Injectable()
export class Unsubscriptions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
  ) {}

  /** What a link turns off; 404 if its token is invalid or its user no longer exists. */
  async find(token: string): Promise<FoundUnsubscription> {
    const workspaceId = workspaceOfUnsubscription(token);
    if (workspaceId === undefined) throw notFound();
    const workspace = await this.workspaces.get(workspaceId);
    const opened = openUnsubscription(workspace.rows.workspace.cursorKey, token);
    const user = opened && workspace.users.get(opened.userId);
    if (!user) throw notFound();
    return { ...opened, workspace, user };
  }

  /** Changes the user's choices. A reason that they turned off completely stays off. */
  async use(token: string): Promise<FoundUnsubscription> {
    const found = await this.find(token);
    const { workspace, userId, reasons } = found;
    await endMailOf(this.dataSource.manager, { workspaceId: workspace.id, userId }, reasons);
    return found;
  }
}

export interface Unsubscription {
  readonly userId: string;
  readonly reasons: readonly NotificationReason[];
}

const purpose = Buffer.from('WTS-Unsubscribe');

/** The workspace, then the rest, sealed with its key. It never expires, because people keep letters. */
export function unsubscribeToken(
  workspace: { readonly id: number; readonly key: Buffer },
  { userId, reasons }: Unsubscription,
): string {
  return `${workspace.id}.${sealText(workspace.key, purpose, [userId, ...reasons].join(' '))}`;
}

/** The workspace in a token; undefined if it cannot be a token of the service. */
function workspaceOfUnsubscription(token: string): number | undefined {
  const [, id] = /^([1-9]\d{0,8})\.[\w-]{1,500}$/.exec(token) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** The contents of a token of this workspace; undefined if it was not sealed with this key. */
function openUnsubscription(key: Buffer, token: string): Unsubscription | undefined {
  const text = openSealed(key, purpose, token.replace(/^\d+\./, ''));
  const [userId, ...said] = text?.split(' ') ?? [];
  const reasons = notificationReasons.filter((reason) => said.includes(reason));
  return userId === undefined || reasons.length === 0 ? undefined : { userId, reasons };
}
