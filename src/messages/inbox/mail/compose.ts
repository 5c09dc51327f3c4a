import { type Paragraph } from '../../mail-text.js';
import { type NotificationReason } from '../../../common/column-values.js';
import { isOfReason, wordsForWatchers } from '../reasons.js';
import { type UnreadNotice } from './unread.repository.js';

export interface NamedNotice extends Pick<UnreadNotice, 'reason' | 'type' | 'comment' | 'at'> {
  readonly who: string;
}

export interface ToldTask {
  readonly title: string;
  readonly uniqueId: string | null;
  readonly url: string;
  readonly notices: readonly NamedNotice[];
}

export interface Composed {
  readonly subject: string;
  readonly paragraphs: readonly Paragraph[];
}

/** A letter lists at most this many tasks, and the last MOST_LINES notifications of each task. */
const MOST_TASKS = 50;
const MOST_LINES = 10;
const MOST_OF_COMMENT = 1000;

export function composeLetter(timeZone: string, workspace: string, tasks: readonly ToldTask[]): Composed {
  const [first, ...others] = tasks;
  return {
    subject: oneLineOf(
      first && others.length === 0 ? nameOf(first) : (asked(tasks) ?? `Updates in ${workspace}`),
    ),
    paragraphs: [
      ...tasks
        .slice(0, MOST_TASKS)
        .flatMap((task) => [{ url: task.url, label: nameOf(task) }, ...linesOf(timeZone, task)]),
      ...(tasks.length > MOST_TASKS ? ['More tasks are in your inbox.'] : []),
    ],
  };
}

/** Returns a subject about the first mention or request for an approval; undefined if there is neither. */
function asked(tasks: readonly ToldTask[]): string | undefined {
  const notices = tasks.flatMap((task) => task.notices.map((notice) => ({ task, notice })));
  const first = notices.find(({ notice: { reason } }) => reason === 'mentioned' || reason === 'approval');
  return first && `${sayingOf(first.notice)}: ${nameOf(first.task)}`;
}

const nameOf = ({ uniqueId, title }: ToldTask): string =>
  uniqueId === null || uniqueId === title ? title : `${uniqueId}: ${title}`;

function linesOf(timeZone: string, { notices }: ToldTask): string[] {
  const time = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  });
  return notices.slice(-MOST_LINES).map((notice) => {
    const line = `${time.format(notice.at)} – ${oneLineOf(sayingOf(notice))}`;
    return notice.comment === null ? line : `${line}:\n${shortened(notice.comment)}`;
  });
}

const happened: Readonly<Record<Exclude<NotificationReason, 'watching'>, (who: string) => string>> = {
  mentioned: (who) => `${who} mentioned you`,
  assigned: (who) => `${who} assigned this to you`,
  approval: () => 'Your approval is requested',
  due: () => 'This is due',
  failed: () => 'An action has failed',
};

/** For `watching`, the event's type selects the text: watchers also learn of due tasks and failed actions. */
function sayingOf({ reason, type, who }: NamedNotice): string {
  if (reason !== 'watching') return happened[reason](who);
  const told = (['due', 'failed'] as const).find((each) => isOfReason(each, type));
  return told ? happened[told](who) : `${who} ${wordsForWatchers(type)}`;
}

function shortened(text: string): string {
  return text.length <= MOST_OF_COMMENT ? text : `${text.slice(0, MOST_OF_COMMENT).toWellFormed()}…`;
}

const MOST_OF_SUBJECT = 200;

/** Shortens a text and puts it on one line: mail headers must not have line breaks. */
function oneLineOf(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length <= MOST_OF_SUBJECT ? line : `${line.slice(0, MOST_OF_SUBJECT).toWellFormed()}…`;
}
