import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { sql } from '../common/database/sql.js';
import { SessionEntity } from './session.entity.js';
import { type UserEntity } from '../workflows/model/entities/user.entity.js';
import { publicAddress } from '../common/public-address.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { createSignInLink, LINK_MINUTES, type ListedSession, sessionInForce, Sessions } from './sessions.js';

export interface ListedUser {
  readonly user: UserEntity;
  /** When the user last used one of their present sessions; null if they have none. */
  readonly lastSeen: Date | null;
  readonly lastSignIn: Date | null;
  /** Since when mail to the user has been undeliverable. */
  readonly undeliverable: Date | null;
}

interface FoundUsers {
  readonly shown: readonly ListedUser[];
  /** The id of the last user shown, if there is a next page. */
  readonly next: string | undefined;
  readonly count: number;
}

@Injectable()
export class UsersService {
  constructor(
    @InjectRepository(SessionEntity) private readonly rows: Repository<SessionEntity>,
    private readonly sessions: Sessions,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A page of the users whose name or e-mail contains the text, and the number of all such users. */
  async list(workspace: Workspace, text: string, after: string | undefined): Promise<FoundUsers> {
    const found = workspace.rows.users.filter((user) => isCalled(user, text));
    // If the user `after` no longer exists, the list starts from the beginning.
    const start = found.findIndex(({ id }) => id === after) + 1;
    const users = found.slice(start, start + ROWS);
    const next = start + ROWS < found.length ? users.at(-1)?.id : undefined;
    return { shown: await this.listed(workspace, users), next, count: found.length };
  }

  async find(workspace: Workspace, id: string): Promise<ListedUser | undefined> {
    const users = workspace.rows.users.filter((user) => user.id === id);
    const [found] = await this.listed(workspace, users);
    return found;
  }

  async sessionsOf({ workspaceId, id }: UserEntity): Promise<ListedSession[]> {
    return this.sessions.ofUser({ workspaceId, userId: id });
  }

  /** A link that signs in an active user once, and for how many minutes it is valid. */
  async link(user: UserEntity): Promise<{ readonly address: string; readonly minutes: number }> {
    const address = `${publicAddress(this.config)}/sign-in/${await createSignInLink(this.rows.manager, user)}`;
    return { address, minutes: LINK_MINUTES };
  }

  async signOut({ workspaceId, id }: UserEntity): Promise<void> {
    await this.sessions.signOut({ workspaceId, userId: id });
  }

  private async listed({ id }: Workspace, users: readonly UserEntity[]): Promise<ListedUser[]> {
    const ids = users.map((user) => user.id);
    const rows = await sql<ListedRow>(this.rows.manager, lastOfUsers, [id, ids]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return users.map((user) => ({ ...(byId.get(user.id) ?? nothing), user }));
  }
}

const ROWS = 100;

interface ListedRow extends Omit<ListedUser, 'user'> {
  readonly id: string;
}

const nothing = { lastSeen: null, lastSignIn: null, undeliverable: null };

const lastOfUsers = {
  name: 'last-of-users',
  text: `
    SELECT u.id, u.last_signed_in_at AS "lastSignIn", u.undeliverable_at AS undeliverable, (
        SELECT max(s.last_seen_at) FROM sessions s
        WHERE s.workspace_id = u.workspace_id AND s.user_id = u.id AND u.active AND ${sessionInForce}
      ) AS "lastSeen"
    FROM users u WHERE u.workspace_id = $1 AND u.id = ANY($2)`,
};

function isCalled({ email, firstName, lastName }: UserEntity, wanted: string): boolean {
  const name = [firstName, lastName, email].join(' ').toLocaleLowerCase();
  return name.includes(wanted.trim().toLocaleLowerCase());
}

/** Why a user may not name somebody else as performer. */
export const notYou = 'is another user: you can act only for yourself';
