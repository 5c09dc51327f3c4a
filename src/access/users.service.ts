import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { type Stretch } from '../common/id-page.js';
import { CONFIG, type Config } from '../config.js';
import { UserEntity } from '../workflows/model/entities/user.entity.js';
import { publicAddress } from '../common/public-address.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { createSignInLink, LINK_MINUTES, Sessions } from './sessions.js';

/** A user with the time of their last sign-in. */
export type ListedUser = Readonly<UserEntity>;

/** A page of users, and the number of all users found. If more users follow, `next` is the page's last id. */
type FoundUsers = Stretch<ListedUser> & { readonly count: number };

@Injectable()
export class UsersService {
  constructor(
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly sessions: Sessions,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A page of the users whose name or e-mail contains the text, and the number of all such users. */
  async list(
    { id: workspaceId, rows }: Workspace,
    text: string,
    after: string | undefined,
  ): Promise<FoundUsers> {
    const wanted = text.trim().toLocaleLowerCase();
    const found = rows.users.filter(({ email, firstName, lastName }) =>
      [firstName, lastName, email].join(' ').toLocaleLowerCase().includes(wanted),
    );
    // If the user `after` no longer exists, the list starts from the beginning.
    const start = found.findIndex(({ id }) => id === after) + 1;
    const page = found.slice(start, start + ROWS);
    const next = start + ROWS < found.length ? page.at(-1)?.id : undefined;
    return { shown: await this.read(workspaceId, page), next, count: found.length };
  }

  async find({ id: workspaceId, rows }: Workspace, id: string): Promise<ListedUser | undefined> {
    const known = rows.users.filter((user) => user.id === id);
    return (await this.read(workspaceId, known))[0];
  }

  /** A link that signs in an active user once, and the minutes for which the link is valid. */
  async link(user: ListedUser): Promise<{ readonly address: string; readonly minutes: number }> {
    const token = await createSignInLink(this.users.manager, user);
    return { address: `${publicAddress(this.config)}/sign-in/${token}`, minutes: LINK_MINUTES };
  }

  async signOut({ workspaceId, id }: ListedUser): Promise<void> {
    await this.sessions.signOut({ workspaceId, userId: id });
  }

  private async read(workspaceId: number, known: readonly UserEntity[]): Promise<ListedUser[]> {
    const where = { workspaceId, id: In(known.map(({ id }) => id)) };
    const rows = await this.users.find({ where, select: notInDefinition });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return known.map((user) => ({ ...user, ...byId.get(user.id) }));
  }
}

const ROWS = 100;

const notInDefinition = { id: true, lastSignedInAt: true } as const;

/** Why a user may not name somebody else as performer. */
export const notYou = 'is another user: you can act only for yourself';
