import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { notFound } from '../../../common/errors.js';
import { type User } from '../../../workflows/fields/field-type.js';
import { UserEntity } from '../../../workflows/model/entities/user.entity.js';
import { type Workspace } from '../../../workflows/model/workspace.js';
import { Workspaces } from '../../../workflows/model/workspaces.js';
import { type NoticeLetter, noticeLetters } from '../../../common/column-values.js';
import { openSealed, sealText } from '../../../common/seal.js';

export interface Unsubscription {
  readonly workspace: Workspace;
  readonly user: User;
  readonly letter: NoticeLetter;
}

/** Unsubscribes a user through the link in a letter. Needs no sign-in. */
@Injectable()
export class Unsubscriptions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
  ) {}

  /** Finds the letter that a token unsubscribes from. Throws 404 if the token is invalid or names no user. */
  async find(token: string): Promise<Unsubscription> {
    const [, id, sealed = ''] = /^([1-9]\d{0,8})\.([\w-]{1,500})$/.exec(token) ?? [];
    if (id === undefined) throw notFound();
    const workspace = await this.workspaces.get(Number(id));
    const text = openSealed(workspace.rows.workspace.cursorKey, purpose, sealed);
    const [userId = '', name] = text?.split(' ') ?? [];
    const user = workspace.users.get(userId);
    const letter = noticeLetters.find((each) => each === name);
    if (!user || !letter) throw notFound();
    return { workspace, user, letter };
  }

  /** Ends all notification mail, or only the digest if the link is from a digest. */
  async use(token: string): Promise<Unsubscription> {
    const found = await this.find(token);
    const who = { workspaceId: found.workspace.id, id: found.user.id };
    const { manager } = this.dataSource;
    if (found.letter === 'prompt') await manager.update(UserEntity, who, { mailChoice: 'none' });
    else await manager.update(UserEntity, { ...who, mailChoice: 'all' }, { mailChoice: 'direct' });
    return found;
  }
}

const purpose = Buffer.from('WTS-Unsubscribe');

/** Seals the user and the letter with the workspace's key. The token never expires: people keep letters. */
export function unsubscribeToken({ id, rows }: Workspace, userId: string, letter: NoticeLetter): string {
  return `${id}.${sealText(rows.workspace.cursorKey, purpose, `${userId} ${letter}`)}`;
}
