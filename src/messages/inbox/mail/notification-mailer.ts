import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LostLease } from '../../../../packages/fair/lease.js';
import { CONFIG, type Config } from '../../../config.js';
import { type MailState, notificationReasons } from '../../../common/column-values.js';
import { type Logger, LOGGER } from '../../../common/logger.js';
import { nextTryMs } from '../../../common/pause.js';
import { type Ending, untilEnd } from '../../ending.js';
import { Mailer } from '../../mailer.js';
import { mailsPeople } from '../../../common/outbox.js';
import { type LetterOutcome } from '../../send-letter.js';
import { type JobPlace } from '../../../common/ops/job-kind.js';
import { UserEntity } from '../../../workflows/model/entities/user.entity.js';
import { type Workspace } from '../../../workflows/model/workspace.js';
import { Workspaces } from '../../../workflows/model/workspaces.js';
import { channelFor } from '../tell.js';
import { type InboxOwner } from '../inbox.repository.js';
import { noteRefusal } from './delivery.repository.js';
import { type MailTurn, mailTurn, sendingTime } from './mail-turn.js';
import { type ClaimedWindow, closeWindow, noteDoubt, postponeWindow } from './mail-windows.repository.js';
import { NotificationLetters } from './notification-letters.js';
import { lockUnread, takeUnread } from './unread.repository.js';

/** Mails people their unread notifications, each letter at most once. */
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
    // A worker ended without knowing whether its letter was accepted, so the letter is not sent again.
    if (claimed.inDoubt) return this.close(claimed, claimed.inDoubt, 'digest');
    const turn = await mailTurn(this.db, this.workspaces, claimed);
    if (!turn) return;
    const dueAt = sendingTime(turn);
    if (!claimed.isPlaced || dueAt > turn.now) return this.postpone(claimed, dueAt);
    const owner = ownerOf(claimed, turn.workspace);
    const notices = await takeUnread(this.db, owner, claimed.thread, this.mailedReasons(turn));
    const letter = notices.length > 0 ? await this.letters.write(turn, notices) : undefined;
    const places = notices.map(({ eventPlace }) => eventPlace);
    if (!letter) return this.close(claimed, places, 'none');
    const outcome = await this.mailer.sendOnce(letter, ending, () => this.noteSending(claimed, places));
    return this.settle(turn, places, outcome);
  }

  private mailedReasons({ addressee, workspace }: MailTurn): readonly string[] {
    const { active, undeliverableAt, notificationChoices } = addressee;
    if (!mailsPeople(this.config) || !active || undeliverableAt) return [];
    return notificationReasons.filter(
      (reason) => channelFor(reason, notificationChoices, workspace.notifications) === 'mail',
    );
  }

  /** Records, under the fence and before the first byte is sent, that the letter may have been sent. */
  private async noteSending(claimed: ClaimedWindow, places: readonly string[]): Promise<void> {
    const owner = ownerOf(claimed, await this.workspaces.inForce(claimed.workspaceId));
    await this.db.transaction(async (tx) => {
      // If some notifications were read meanwhile or can no longer be seen, the window stays due.
      if ((await lockUnread(tx, owner, places)) < places.length) throw new LostLease();
      if (!(await noteDoubt(tx, claimed, places))) throw new LostLease();
    });
  }

  private async settle(turn: MailTurn, places: readonly string[], outcome: LetterOutcome): Promise<void> {
    const { claimed, addressee, now } = turn;
    const { workspaceId, userId: user } = claimed;
    if (outcome.is === 'sent') {
      if (addressee.mailRefusals > 0)
        await this.db.update(UserEntity, { workspaceId, id: user }, { mailRefusals: 0 });
      return this.close(claimed, places, 'sent');
    }
    const told = { workspace: workspaceId, user };
    const status = outcome.is === 'refused' ? outcome.status : undefined;
    this.logger.warn({ ...told, cause: outcome.reason, status }, 'notification mail not sent');
    if (outcome.is === 'unknown') return this.close(claimed, places, 'digest');
    if (!outcome.mayPass && outcome.isOfSender !== true) {
      if (await noteRefusal(this.db, claimed)) this.logger.warn(told, 'address undeliverable');
      return this.close(claimed, places, 'none');
    }
    const tries = claimed.tries + 1;
    const waitMs = nextTryMs(this.config.messageDelaysMs, tries, 0);
    if (waitMs === undefined) return this.close(claimed, places, 'digest');
    return this.postpone({ ...claimed, tries }, new Date(now.getTime() + waitMs));
  }

  private async postpone(claimed: ClaimedWindow, dueAt: Date): Promise<void> {
    if (!(await postponeWindow(this.db, claimed, dueAt))) throw new LostLease();
  }

  private async close(claimed: ClaimedWindow, places: readonly string[], state: MailState): Promise<void> {
    await this.db.transaction(async (tx) => {
      if (!(await closeWindow(tx, claimed, places, state))) throw new LostLease();
    });
  }
}

function ownerOf({ workspaceId, userId }: ClaimedWindow, { permissions }: Workspace): InboxOwner {
  return { workspaceId, userId, sight: permissions.sightOf(userId) };
}
