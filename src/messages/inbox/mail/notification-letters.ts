import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../config.js';
import { type Letter } from '../../send-letter.js';
import { letterText } from '../../mail-text.js';
import { Mailer } from '../../mailer.js';
import { serviceTime } from '../../../common/database/shared-data-source.js';
import { publicAddress } from '../../../common/public-address.js';
import { type UserEntity } from '../../../workflows/model/entities/user.entity.js';
import { type TaskRow } from '../../../tasks/store/task-row.js';
import { titleOf } from '../../../workflows/fields/task-title.js';
import { type Workflow, type Workspace } from '../../../workflows/model/workspace.js';
import { composeLetter } from './compose.js';
import { subjectsOf } from '../notice-subjects.js';
import { type MailWindowKey } from './mail-windows.repository.js';
import { zoneOfPerson } from './next-digest.js';
import { type UnreadNotice } from './unread.repository.js';
import { unsubscribeToken } from './unsubscriptions.js';

export type Addressee = Readonly<Pick<UserEntity, 'email' | 'timeZone'>>;

@Injectable()
export class NotificationLetters {
  constructor(
    private readonly dataSource: DataSource,
    private readonly mailer: Mailer,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Writes a letter. Returns undefined if none of its tasks exists any more. */
  async write(
    window: MailWindowKey,
    workspace: Workspace,
    addressee: Addressee,
    notices: readonly UnreadNotice[],
  ): Promise<Letter | undefined> {
    const db = this.dataSource.manager;
    const { tasks, keyNames } = await subjectsOf(db, workspace, notices);
    if (tasks.size === 0) return undefined;
    const who = (notice: UnreadNotice): string => nameOfActor(workspace, keyNames, notice.actor);
    const told = Array.from(tasks.values(), ({ task, workflow }) => ({
      title: titleOf(workflow, task),
      uniqueId: task.uniqueValue,
      url: urlOf(workflow, task),
      notices: notices
        .filter(({ taskId }) => taskId === task.id)
        .map((notice) => ({ ...notice, who: who(notice) })),
    }));
    const timeZone = zoneOfPerson(addressee.timeZone, workspace.rows.workspace.timezone);
    const { paragraphs, subject } = composeLetter(timeZone, workspace.name, told);
    const token = unsubscribeToken(workspace, window.userId, window.letter);
    const unsubscribe = `${publicAddress(this.config)}/unsubscribe/${token}`;
    const footer = { url: unsubscribe, label: 'Unsubscribe from these mails' };
    return {
      to: addressee.email,
      subject,
      ...letterText([...paragraphs, footer]),
      id: `${idOf(window, notices)}@${this.mailer.domain}`,
      date: serviceTime(db),
      unsubscribe,
    };
  }
}

/** Letters with the same first notification share an id, so that a mail client shows a duplicate once. */
function idOf({ userId, letter }: MailWindowKey, [first]: readonly UnreadNotice[]): string {
  const of = [userId, letter, first?.eventPlace].join('/');
  return `notification.${createHash('sha256').update(of).digest('hex').slice(0, 32)}`;
}

function urlOf({ schema }: Workflow, task: TaskRow): string {
  const url = schema.properties.find(({ name }) => name === 'Task URL')?.serialize(task);
  return typeof url === 'string' ? url : '';
}

const actors: Readonly<Record<string, string>> = {
  clock: 'A deadline',
  system: 'The service',
  user: 'Somebody',
};

const application = 'An application';

function nameOfActor(
  { users }: Workspace,
  keys: ReadonlyMap<string, string>,
  { kind, id }: UnreadNotice['actor'],
): string {
  if (kind === 'key') return keys.get(id ?? '') ?? application;
  const user = kind === 'user' ? users.get(id ?? '') : undefined;
  if (!user) return actors[kind] ?? `A ${kind}`;
  return [user.firstName, user.lastName].filter(Boolean).join(' ') || user.email;
}
