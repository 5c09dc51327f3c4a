import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LostLease } from '../../../../packages/fair/lease.js';
import { CONFIG, type Config } from '../../../config.js';
import { type MailState } from '../../../common/column-values.js';
import { type Logger, LOGGER } from '../../../common/logger.js';
import { nextTryMs } from '../../../common/pause.js';
import { type Ending, untilEnd } from '../../ending.js';
import { Mailer } from '../../mailer.js';
import { mailsPeople } from '../../../common/outbox.js';
import { type LetterOutcome } from '../../send-letter.js';
import { type JobPlace } from '../../../common/ops/job-kind.js';
import { type Workspace } from '../../../workflows/model/workspace.js';
import { Workspaces } from '../../../workflows/model/workspaces.js';
import { channelFor } from '../tell.js';
import { type InboxOwner } from '../inbox.repository.js';
import { noteDeliverable, noteRefusal } from './delivery.repository.js';
import {
  type ClaimedWindow,
  closeWindow,
  noteDoubt,
  postponeWindow,
  setMailState,
} from './mail-windows.repository.js';
import { nextDigest, nextOpen, zoneOfPerson } from './next-digest.js';
import { NotificationLetters } from './notification-letters.js';
import {
  type Addressee,
  noteSent,
  readAddressee,
  takeUnread,
  type UnreadNotice,
} from './unread.repository.js';

/** In five minutes, most people who are at work read a notification. */
const WINDOW_MS = 300_000;
/** Eight in the morning in the reader's time zone, when a working day begins. */
const DIGEST_MS = 8 * 3_600_000;

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
    const addressee = await readAddressee(this.db, claimed);
    if (!addressee) return;
    const workspace = await this.workspaces.inForce(claimed.workspaceId);
    if (!claimed.isPlaced) return this.place(claimed, addressee, workspace);
    if (await this.waitsForHours(claimed, addressee, workspace)) return;
    const unread = await takeUnread(this.db, ownerOf(claimed, workspace), claimed.thread);
    const notices = this.reaches(addressee)
      ? unread.filter(({ reason }) => isMailed(reason, addressee, workspace))
      : [];
    const letter =
      notices.length > 0 && (await this.letters.write({ workspace, claimed, addressee, notices }));
    if (!letter) return this.close(claimed, placesOf(unread), 'none');
    const rest = unread.filter((notice) => !notices.includes(notice));
    await setMailState(this.db, claimed, placesOf(rest), 'none');
    const places = placesOf(notices);
    const outcome = await this.mailer.sendOnce(letter, ending, () => this.noteSending(claimed, places));
    return this.settle(claimed, addressee, places, outcome);
  }

  private reaches({ active, undeliverableAt }: Addressee): boolean {
    return mailsPeople(this.config) && active && undeliverableAt === null;
  }

  private async place(
    claimed: ClaimedWindow,
    { now, timeZone }: Addressee,
    workspace: Workspace,
  ): Promise<void> {
    const zone = zoneOfPerson(timeZone, workspace.rows.workspace.timezone);
    const dueAt =
      claimed.thread === null
        ? nextDigest(now.getTime(), DIGEST_MS, zone)
        : openHours(workspace, claimed.openedAt.getTime() + WINDOW_MS);
    await postponeWindow(this.db, claimed, { dueAt: new Date(dueAt) });
  }

  /** Postpones a letter while the calendar is closed: it may have become due while the service was not running. */
  private async waitsForHours(
    claimed: ClaimedWindow,
    { now }: Addressee,
    workspace: Workspace,
  ): Promise<boolean> {
    const open = openHours(workspace, now.getTime());
    if (claimed.thread === null || open <= now.getTime()) return false;
    await postponeWindow(this.db, claimed, { dueAt: new Date(open) });
    return true;
  }

  /** Records, under the fence and before the first byte is sent, that the letter may have been sent. */
  private async noteSending(claimed: ClaimedWindow, places: readonly string[]): Promise<void> {
    const owner = ownerOf(claimed, await this.workspaces.inForce(claimed.workspaceId));
    await this.db.transaction(async (tx) => {
      // If some notifications were read meanwhile or can no longer be seen, the window stays due.
      if ((await noteSent(tx, owner, places)) < places.length) throw new LostLease();
      if (!(await noteDoubt(tx, claimed, places))) throw new LostLease();
    });
  }

  private async settle(
    claimed: ClaimedWindow,
    addressee: Addressee,
    places: readonly string[],
    outcome: LetterOutcome,
  ): Promise<void> {
    if (outcome.is === 'sent') {
      await noteDeliverable(this.db, claimed);
      return this.close(claimed, [], 'sent');
    }
    const { workspaceId: workspace, userId: user } = claimed;
    const status = outcome.is === 'refused' ? outcome.status : undefined;
    this.logger.warn({ workspace, user, cause: outcome.reason, status }, 'notification mail not sent');
    if (outcome.is === 'unknown') return this.close(claimed, places, 'digest');
    if (!outcome.mayPass && outcome.isOfSender !== true) {
      if (await noteRefusal(this.db, claimed)) this.logger.warn({ workspace, user }, 'address undeliverable');
      return this.close(claimed, places, 'none');
    }
    return this.tryAgain(claimed, addressee, places);
  }

  private async tryAgain(
    claimed: ClaimedWindow,
    { now }: Addressee,
    places: readonly string[],
  ): Promise<void> {
    const tries = claimed.tries + 1;
    const waitMs = nextTryMs(this.config.messageDelaysMs, tries, 0);
    if (waitMs === undefined) return this.close(claimed, places, 'digest');
    await this.db.transaction(async (tx) => {
      await setMailState(tx, claimed, places, claimed.thread === null ? 'digest' : 'waiting');
      const dueAt = new Date(now.getTime() + waitMs);
      if (!(await postponeWindow(tx, claimed, { dueAt, tries }))) throw new LostLease();
    });
  }

  private async close(claimed: ClaimedWindow, places: readonly string[], state: MailState): Promise<void> {
    await this.db.transaction(async (tx) => {
      await setMailState(tx, claimed, places, state);
      if (!(await closeWindow(tx, claimed))) throw new LostLease();
    });
  }
}

/** The first instant from this one on at which the definition allows mail. */
function openHours({ notifications, calendars }: Workspace, at: number): number {
  const calendar = calendars.get(notifications.calendar ?? '');
  return calendar ? nextOpen(calendar, at) : at;
}

function ownerOf({ workspaceId, userId }: ClaimedWindow, { permissions }: Workspace): InboxOwner {
  return { workspaceId, userId, sight: permissions.sightOf(userId) };
}

const placesOf = (notices: readonly UnreadNotice[]): string[] => notices.map(({ eventPlace }) => eventPlace);

const isMailed = (
  reason: UnreadNotice['reason'],
  { notificationChoices }: Addressee,
  { notifications }: Workspace,
): boolean => channelFor(reason, notificationChoices, notifications) === 'mail';
