import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { notFound } from '../../lib/errors.js';
import { type User } from '../../schema/field-type.js';
import { Workspaces } from '../../workspace/workspaces.js';
import { endMailOf } from './delivery.repository.js';
import { openUnsubscription, type Unsubscription, workspaceOfUnsubscription } from './unsubscribe-token.js';

/** What a link in a letter is for, and whose it is. */
export interface FoundUnsubscription extends Unsubscription {
  readonly workspace: { readonly id: number; readonly name: string };
  readonly user: User;
}

/** Ends the mail of some reasons, by a link that stands in each letter; nobody needs to be signed in for it. */
@Injectable()
export class Unsubscriptions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
  ) {}

  /** What a link is for; 404 where it is none of ours, or its user is gone. */
  async find(token: string): Promise<FoundUnsubscription> {
    const workspaceId = workspaceOfUnsubscription(token);
    if (workspaceId === undefined) throw notFound();
    const workspace = await this.workspaces.get(workspaceId);
    const opened = openUnsubscription(workspace.rows.workspace.cursorKey, token);
    const user = opened && workspace.users.get(opened.userId);
    if (!user) throw notFound();
    return { ...opened, workspace, user };
  }

  /** Changes what its user has chosen: what they do not hear at all stays so. */
  async use(token: string): Promise<FoundUnsubscription> {
    const found = await this.find(token);
    const { workspace, userId, reasons } = found;
    await endMailOf(this.dataSource.manager, { workspaceId: workspace.id, userId }, reasons);
    return found;
  }
}
