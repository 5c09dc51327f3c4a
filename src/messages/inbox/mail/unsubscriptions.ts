import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { notFound } from '../../../common/errors.js';
import { type User } from '../../../workflows/fields/field-type.js';
import { Workspaces } from '../../../workflows/model/workspaces.js';
import { endMailOf } from './delivery.repository.js';
import { openUnsubscription, type Unsubscription, workspaceOfUnsubscription } from './unsubscribe-token.js';

/** The purpose of a link in a letter, and its user. */
export interface FoundUnsubscription extends Unsubscription {
  readonly workspace: { readonly id: number; readonly name: string };
  readonly user: User;
}

/** Turns off mail for some reasons, by a link in every letter; needs no sign-in. */
@Injectable()
export class Unsubscriptions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
  ) {}

  /** The purpose of a link; 404 if the token is invalid or its user no longer exists. */
  async find(token: string): Promise<FoundUnsubscription> {
    const workspaceId = workspaceOfUnsubscription(token);
    if (workspaceId === undefined) throw notFound();
    const workspace = await this.workspaces.get(workspaceId);
    const opened = openUnsubscription(workspace.rows.workspace.cursorKey, token);
    const user = opened && workspace.users.get(opened.userId);
    if (!user) throw notFound();
    return { ...opened, workspace, user };
  }

  /** Changes the user's choices; a reason that they turned off completely stays off. */
  async use(token: string): Promise<FoundUnsubscription> {
    const found = await this.find(token);
    const { workspace, userId, reasons } = found;
    await endMailOf(this.dataSource.manager, { workspaceId: workspace.id, userId }, reasons);
    return found;
  }
}
