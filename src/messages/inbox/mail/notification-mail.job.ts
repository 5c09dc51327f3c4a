import {
  type ClaimedWindow,
  mailWindowJob,
  type MailWindowKey,
  windowLeases,
  closeWindow,
  noteDoubt,
  postponeWindow,
} from './mail-windows.repository.js';
import { type JobKind, leasedBy, type JobPlace } from '../../../common/ops/job-kind.js';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LostLease } from '../../../../packages/fair/lease.js';
import { CONFIG, type Config } from '../../../config.js';
import { type Logger, LOGGER } from '../../../common/logger.js';
import { serviceTime } from '../../../common/database/shared-data-source.js';
import { nextTryMs } from '../../../common/pause.js';
import { type Ending, untilEnd } from '../../ending.js';
import { Mailer } from '../../mailer.js';
import { mailsPeople } from '../../../common/outbox.js';
import { type LetterOutcome } from '../../send-letter.js';
import { UserEntity } from '../../../workflows/model/entities/user.entity.js';
import { type Workspace } from '../../../workflows/model/workspace.js';
import { Workspaces } from '../../../workflows/model/workspaces.js';
import { type InboxOwner } from '../inbox.repository.js';
import { NotificationLetters } from './notification-letters.js';
import { lockUnread, takeUnread } from './unread.repository.js';

export const notificationMail: JobKind<MailWindowKey, ClaimedWindow> = {
  name: mailWindowJob,
  next: '(SELECT min(due_at) FROM mail_windows)',
  // Mail servers allow few connections.
  places: 8,
  // A job may wait long for a mail server, so one workspace gets at most half of the places.
  shares: { ofWorkspace: 4 },
  isOutbound: true,
  ...leasedBy(windowLeases),
  run: (parts, claimed, place) => parts.provider(NotificationMailer).run(claimed, place),
};

/** Mails users their unread notifications. Each letter is sent at most once. */
@Injectable()
export class NotificationMailer {
  private readonly db: EntityManager;

  constructor(
    dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly mailer: Mailer,
    private readonly letters: NotificationLetters,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.db = dataSource.manager;
  }

  async run(claimed: ClaimedWindow, place: JobPlace): Promise<void> {
    await untilEnd(place, (ending) => this.advance(claimed, ending));
  }

  private async advance(claimed: ClaimedWindow, ending: Ending): Promise<void> {
    const workspace = await this.workspaces.inForce(claimed.workspaceId);
    // An earlier worker may have sent this letter, so it is not sent again.
    if (claimed.inDoubt) return this.close(claimed, claimed.inDoubt);
    const { workspaceId, userId: id } = claimed;
    const addressee = await this.db.findOne(UserEntity, { select: columns, where: { workspaceId, id } });
    if (!addressee) return;
    const isWanted = this.isWanted(claimed, addressee);
    const notices = await takeUnread(this.db, ownerOf(claimed, workspace), claimed.letter, isWanted);
    const letter = await this.letters.write(claimed, workspace, addressee, notices);
    const places = notices.map(({ eventPlace }) => eventPlace);
    if (!letter) return this.close(claimed, places);
    const outcome = await this.mailer.sendOnce(letter, ending, () => this.noteSending(claimed, places));
    return this.settle(claimed, places, outcome);
  }

  private isWanted({ letter }: ClaimedWindow, { active, mailChoice }: UserEntity): boolean {
    const isChosen = mailChoice === 'all' || (mailChoice === 'direct' && letter === 'prompt');
    return mailsPeople(this.config) && active && isChosen;
  }

  /**
   * Records that the letter may have been sent, just before its first byte is sent. Throws if another process
   * has claimed the window, or if a notification in the letter was read, is invisible or is outdated.
   */
  private async noteSending(claimed: ClaimedWindow, places: readonly string[]): Promise<void> {
    const owner = ownerOf(claimed, await this.workspaces.inForce(claimed.workspaceId));
    await this.db.transaction(async (tx) => {
      // If a notification was read or became invisible meanwhile, the window stays due for a new letter.
      if ((await lockUnread(tx, owner, places)) < places.length) throw new LostLease();
      if (!(await noteDoubt(tx, claimed, places))) throw new LostLease();
    });
  }

  private async settle(
    claimed: ClaimedWindow,
    places: readonly string[],
    outcome: LetterOutcome,
  ): Promise<void> {
    if (outcome.is === 'sent') return this.close(claimed, places);
    const status = outcome.is === 'refused' ? outcome.status : undefined;
    const told = { workspace: claimed.workspaceId, user: claimed.userId, cause: outcome.reason, status };
    this.logger.warn(told, 'notification mail not sent');
    const mayPass = outcome.is === 'refused' && (outcome.mayPass || outcome.isOfSender === true);
    const waitMs = mayPass ? nextTryMs(this.config.messageDelaysMs, claimed.tries + 1, 0) : undefined;
    if (waitMs === undefined) return this.close(claimed, places);
    const dueAt = new Date(serviceTime(this.db).getTime() + waitMs);
    if (!(await postponeWindow(this.db, claimed, dueAt))) throw new LostLease();
  }

  private async close(claimed: ClaimedWindow, places: readonly string[]): Promise<void> {
    const workspace = await this.workspaces.inForce(claimed.workspaceId);
    await this.db.transaction(async (tx) => {
      if (!(await closeWindow(tx, workspace, claimed, places))) throw new LostLease();
    });
  }
}

const columns = { id: true, email: true, active: true, mailChoice: true, timeZone: true } as const;

function ownerOf({ workspaceId, userId }: ClaimedWindow, { permissions }: Workspace): InboxOwner {
  return { workspaceId, userId, sight: permissions.sightOf(userId) };
}
