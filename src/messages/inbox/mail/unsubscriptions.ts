import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { notFound } from '../../../common/errors.js';
import { type User } from '../../../workflows/fields/field-type.js';
import { type Workspace } from '../../../workflows/model/workspace.js';
import { Workspaces } from '../../../workflows/model/workspaces.js';
import { endMailOf } from './delivery.repository.js';
import { type NotificationReason, notificationReasons } from '../../../common/column-values.js';
import { openSealed, sealText } from '../../../common/seal.js';

export interface Unsubscription {
  readonly workspace: Workspace;
  readonly user: User;
  readonly reasons: readonly NotificationReason[];
}

/** Turns off mail for some reasons, by the link that every letter contains. Needs no sign-in. */
@Injectable()
export class Unsubscriptions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
  ) {}

  /** What a link turns off; 404 if its token is invalid or its user no longer exists. */
  async find(token: string): Promise<Unsubscription> {
    const [, id, sealed = ''] = /^([1-9]\d{0,8})\.([\w-]{1,500})$/.exec(token) ?? [];
    if (id === undefined) throw notFound();
    const workspace = await this.workspaces.get(Number(id));
    const text = openSealed(workspace.rows.workspace.cursorKey, purpose, sealed);
    const [userId = '', ...names] = text?.split(' ') ?? [];
    const user = workspace.users.get(userId);
    const reasons = notificationReasons.filter((reason) => names.includes(reason));
    if (!user || reasons.length === 0) throw notFound();
    return { workspace, user, reasons };
  }

  /** Changes the user's choices. A reason that they turned off completely stays off. */
  async use(token: string): Promise<Unsubscription> {
    const found = await this.find(token);
    const { workspace, user, reasons } = found;
    await endMailOf(this.dataSource.manager, { workspaceId: workspace.id, userId: user.id }, reasons);
    return found;
  }
}

const purpose = Buffer.from('WTS-Unsubscribe');

/** The workspace, then the rest, sealed with its key. It never expires, because people keep letters. */
export function unsubscribeToken(
  { id, rows }: Workspace,
  userId: string,
  reasons: readonly NotificationReason[],
): string {
  return `${id}.${sealText(rows.workspace.cursorKey, purpose, [userId, ...reasons].join(' '))}`;
}
