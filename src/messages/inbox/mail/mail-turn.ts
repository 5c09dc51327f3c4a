import { type EntityManager } from 'typeorm';
import { serviceTime } from '../../../common/database/shared-data-source.js';
import { UserEntity } from '../../../workflows/model/entities/user.entity.js';
import { type Workspace } from '../../../workflows/model/workspace.js';
import { type Workspaces } from '../../../workflows/model/workspaces.js';
import { type ClaimedWindow } from './mail-windows.repository.js';
import { nextDigest, nextOpen, zoneOfPerson } from './next-digest.js';

/** One claim of a window: whose it is, under which definition, and the time. */
export interface MailTurn {
  readonly claimed: ClaimedWindow;
  readonly addressee: Readonly<
    Pick<UserEntity, 'email' | 'active' | 'notificationChoices' | 'mailRefusals' | 'undeliverableAt'>
  >;
  readonly workspace: Workspace;
  readonly timeZone: string;
  readonly now: Date;
}

/** Undefined if the user no longer exists. */
export async function mailTurn(
  db: EntityManager,
  workspaces: Workspaces,
  claimed: ClaimedWindow,
): Promise<MailTurn | undefined> {
  const { workspaceId, userId: id } = claimed;
  const addressee = await db.findOne(UserEntity, { select: columns, where: { workspaceId, id } });
  if (!addressee) return undefined;
  const workspace = await workspaces.inForce(workspaceId);
  const timeZone = zoneOfPerson(addressee.timeZone, workspace.rows.workspace.timezone);
  return { claimed, addressee, workspace, timeZone, now: serviceTime(db) };
}

const columns = {
  id: true,
  email: true,
  active: true,
  notificationChoices: true,
  timeZone: true,
  mailRefusals: true,
  undeliverableAt: true,
} as const;

/** When the letter may be sent. While the calendar is closed, that is later, even if the window is due. */
export function sendingTime({ claimed, workspace, timeZone, now }: MailTurn): Date {
  const { thread, isPlaced, openedAt } = claimed;
  if (thread === null) return isPlaced ? now : new Date(nextDigest(now.getTime(), DIGEST_MS, timeZone));
  const at = isPlaced ? now.getTime() : openedAt.getTime() + WINDOW_MS;
  const calendar = workspace.calendars.get(workspace.notifications.calendar ?? '');
  return new Date(calendar ? nextOpen(calendar, at) : at);
}

/** In five minutes, most people who are at work read a notification. */
const WINDOW_MS = 300_000;
/** Eight in the morning in the reader's time zone, when a working day begins. */
const DIGEST_MS = 8 * 3_600_000;
