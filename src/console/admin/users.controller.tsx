import { en } from './words.js';
import { Get, Inject, Post } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { createSignInLink, SessionsRepository } from '../../auth/sessions.repository.js';
import { CONFIG, type Config } from '../../config.js';
import { UserEntity } from '../../workspace/entities/user.entity.js';
import { notFound, Refusal } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { undeliverableSince } from '../../notifications/mail/delivery.repository.js';
import { publicAddress } from '../../lib/public-address.js';
import { pageReply, seeOther } from '../page.js';
import { goodNotice, type Notice } from '../parts/notices.js';
import { adminListReply } from './admin-list.js';
import {
  type Administrator,
  type AdminRequest,
  Asked,
  WorkspaceAdminPages,
  AdminLog,
} from './admin-pages.js';
import { userPath, usersList, UserPage } from './users-page.js';

/** Who works here, where they are signed in, and how they get in. */
@WorkspaceAdminPages('admin/users')
export class AdminUsersController {
  constructor(
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly sessions: SessionsRepository,
    private readonly log: AdminLog,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Those whose name or e-mail holds what `q` says, behind the one that `after` names. */
  @Get()
  async list(@Asked() { reader, query }: AdminRequest): Promise<Reply> {
    const [wanted, after] = [query.get('q') ?? '', query.get('after')];
    const all = reader.workspace.rows.users.filter((user) => isCalled(user, wanted));
    // One that is gone meanwhile begins anew.
    const start = all.findIndex(({ id }) => id === after) + 1;
    const users = all.slice(start, start + ROWS);
    const next = start + ROWS < all.length ? users.at(-1)?.id : undefined;
    const { workspaceId } = reader.session;
    const signedIn = await this.sessions.byUser(workspaceId);
    const sessions = new Map(signedIn.map((summary) => [summary.userId, summary]));
    const ids = users.map(({ id }) => id);
    const signIns = await this.sessions.lastSignIns(workspaceId, ids);
    const undeliverable = await undeliverableSince(this.users.manager, workspaceId, ids);
    const found = { users, sessions, signIns, undeliverable, wanted, next, total: all.length };
    return adminListReply(usersList(reader, { ...found, isFirst: start === 0 }));
  }

  @Get(':user')
  async show(@Asked() { reader, query, id }: AdminRequest): Promise<Reply> {
    const { ended } = en.admin.user;
    const isEnded = query.has('ended');
    return this.page(userOf(reader, id), isEnded ? { notice: goodNotice(ended) } : {});
  }

  /** Makes a link, and shows it this once: it stands in no address, and is kept nowhere. */
  @Post(':user/link')
  async link(@Asked() { reader, id }: AdminRequest): Promise<Reply> {
    const user = userOf(reader, id);
    if (!user.active) throw new Refusal('conflict', 'Who is not active cannot sign in.');
    const token = await createSignInLink(this.users.manager, user);
    this.log.note(reader, 'make-sign-in-link', user.email);
    return this.page(user, { link: `${publicAddress(this.config)}/sign-in/${token}` });
  }

  @Post(':user/sign-out')
  async signOut(@Asked() { reader, id }: AdminRequest): Promise<Reply> {
    const user = userOf(reader, id);
    await this.sessions.signOut({ workspaceId: user.workspaceId, userId: user.id });
    this.log.note(reader, 'sign-out-user', user.email);
    return seeOther(`${userPath(user)}?ended`);
  }

  private async page(user: UserEntity, more: More): Promise<Reply> {
    const key = { workspaceId: user.workspaceId, userId: user.id };
    const sessions = await this.sessions.ofUser(key);
    const lastSignIn = (await this.sessions.lastSignIns(user.workspaceId, [user.id])).get(user.id);
    return pageReply(<UserPage {...{ user, sessions, lastSignIn, link: more.link, notice: more.notice }} />);
  }
}

/** What the page of a user shows besides. */
interface More {
  readonly notice?: Notice;
  readonly link?: string;
}

/** Of a page. */
const ROWS = 100;

function isCalled({ email, firstName, lastName }: UserEntity, wanted: string): boolean {
  const name = [firstName, lastName, email].join(' ').toLocaleLowerCase();
  return name.includes(wanted.trim().toLocaleLowerCase());
}

function userOf({ workspace }: Administrator, id: string): UserEntity {
  const user = workspace.rows.users.find((one) => one.id === id);
  if (!user) throw notFound();
  return user;
}
