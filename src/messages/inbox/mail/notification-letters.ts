import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../config.js';
import { notificationReasons } from '../../../common/column-values.js';
import { type Letter } from '../../send-letter.js';
import { letterText } from '../../mail-text.js';
import { Mailer } from '../../mailer.js';
import { publicAddress } from '../../../common/public-address.js';
import { type TaskRow } from '../../../tasks/store/task-row.js';
import { titleOf } from '../../../workflows/fields/serialize-task.js';
import { findWorkflow, type Workflow, type Workspace } from '../../../workflows/model/workspace.js';
import { type Composed, composeDigest, composeMany, composeTask, type ToldTask } from './compose.js';
import { type NoticedTask, subjectsOf } from '../notice-subjects.js';
import { type ClaimedWindow } from './mail-windows.repository.js';
import { type MailTurn } from './mail-turn.js';
import { type UnreadNotice } from './unread.repository.js';
import { unsubscribeToken } from './unsubscriptions.js';

@Injectable()
export class NotificationLetters {
  constructor(
    private readonly dataSource: DataSource,
    private readonly mailer: Mailer,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Writes a letter; undefined if nothing that it is about exists any more. */
  async write(turn: MailTurn, notices: readonly UnreadNotice[]): Promise<Letter | undefined> {
    const { claimed, addressee, workspace, now } = turn;
    const { tasks, keyNames } = await subjectsOf(this.dataSource.manager, workspace, notices);
    const who = (notice: UnreadNotice): string => nameOfActor(workspace, keyNames, notice.actor);
    const told = Array.from(tasks.values(), ({ task, workflow }) => ({
      title: titleOf(workflow, task),
      uniqueId: task.uniqueValue,
      url: urlOf(workflow, task),
      notices: notices
        .filter(({ taskId }) => taskId === task.id)
        .map((notice) => ({ ...notice, who: who(notice) })),
    }));
    const composed = this.compose(turn, notices, told);
    if (!composed) return undefined;
    const unsubscribe = this.unsubscribeUrl(turn, notices);
    const { paragraphs, subject } = composed;
    const footer = { url: unsubscribe, label: 'Unsubscribe from these mails' };
    return {
      to: addressee.email,
      subject,
      ...letterText([...paragraphs, footer]),
      id: `${idOf(claimed)}@${this.mailer.domain}`,
      date: now,
      thread: this.threadOf(claimed, tasks),
      unsubscribe,
    };
  }

  private compose(
    { workspace, claimed, timeZone }: MailTurn,
    notices: readonly UnreadNotice[],
    told: readonly ToldTask[],
  ): Composed | undefined {
    const [task] = told;
    if (claimed.thread === null)
      return task && composeDigest(timeZone, { workspace: workspace.name, tasks: told });
    if (task) return composeTask(timeZone, task);
    const many = notices.find(({ taskId }) => taskId === null);
    const workflow = many && findWorkflow(workspace, many.workflowId);
    const url = `${publicAddress(this.config)}/`;
    return workflow && composeMany({ tasks: many.tasks, workflow: workflow.name, url });
  }

  private unsubscribeUrl({ workspace, claimed }: MailTurn, notices: readonly UnreadNotice[]): string {
    const told = new Set(notices.map(({ reason }) => reason));
    const reasons = notificationReasons.filter((reason) => told.has(reason));
    const token = unsubscribeToken(workspace, claimed.userId, reasons);
    return `${publicAddress(this.config)}/unsubscribe/${token}`;
  }

  /** All letters about one task form a thread, and so do all digests of a person. */
  private threadOf(
    { thread, userId }: ClaimedWindow,
    tasks: ReadonlyMap<string, NoticedTask>,
  ): string | undefined {
    if (thread === null) return `digest.${userId}@${this.mailer.domain}`;
    const task = tasks.get(thread)?.task;
    return task && `task.${task.publicId}@${this.mailer.domain}`;
  }
}

/** All tries of a window have this id, so that a mail client shows a duplicate only once. */
function idOf({ userId, id, thread }: ClaimedWindow): string {
  const of = [userId, id, thread ?? 'digest'].join('/');
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
