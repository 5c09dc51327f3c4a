import { type Paragraph } from '../../messages/letter-text.js';
import { type MailWords } from './mail-words.js';
import { type UnreadNotice } from './unread.repository.js';

/** A notice with the name of its actor. */
export interface NamedNotice extends Pick<UnreadNotice, 'reason' | 'type' | 'comment' | 'at'> {
  readonly who: string;
}

/** A task with its notices. */
export interface ToldTask {
  readonly title: string;
  readonly uniqueId: string | null;
  readonly url: string;
  readonly notices: readonly NamedNotice[];
}

/** How to address the reader of a letter. */
export interface LetterReader {
  readonly words: MailWords;
  readonly timeZone: string;
}

/** A letter without addresses. */
export interface Composed {
  readonly subject: string;
  readonly paragraphs: readonly Paragraph[];
}

/** A letter about one task. */
export function composeTask(to: LetterReader, task: ToldTask): Composed {
  const link = { url: task.url, label: to.words.open(task.uniqueId ?? task.title) };
  return { subject: oneLineOf(nameOf(task)), paragraphs: [...linesOf(to, task), link] };
}

/** A letter about the many tasks that one request has assigned. */
export function composeMany(
  { words }: LetterReader,
  { tasks, workflow, url }: { readonly tasks: number; readonly workflow: string; readonly url: string },
): Composed {
  const said = words.assignedMany(tasks, workflow);
  return { subject: oneLineOf(said), paragraphs: [said, { url, label: words.openAll }] };
}

/** The most tasks in one digest. */
const MOST_TASKS = 50;

/** A letter about everything that a user watches. */
export function composeDigest(
  to: LetterReader,
  { workspace, tasks }: { readonly workspace: string; readonly tasks: readonly ToldTask[] },
): Composed {
  const { words } = to;
  const shown = tasks.slice(0, MOST_TASKS);
  const left = tasks.length - shown.length;
  return {
    subject: oneLineOf(words.digest(workspace)),
    paragraphs: [
      words.digestLead,
      ...shown.flatMap((task) => [{ url: task.url, label: nameOf(task) }, ...linesOf(to, task)]),
      ...(left > 0 ? [words.more(left)] : []),
    ],
  };
}

const nameOf = ({ uniqueId, title }: ToldTask): string =>
  uniqueId === null || uniqueId === title ? title : `${uniqueId}: ${title}`;

/** Of more changes, only the last ones are listed. */
const MOST_LINES = 10;
const MOST_OF_COMMENT = 1000;

function linesOf({ words, timeZone }: LetterReader, { notices }: ToldTask): string[] {
  const clock = new Intl.DateTimeFormat(words.language === 'en' ? 'en-GB' : words.language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  });
  return notices.slice(-MOST_LINES).map((notice) => {
    const line = `${clock.format(notice.at)} – ${oneLineOf(sayingOf(words, notice))}`;
    return notice.comment === null ? line : `${line}:\n${shortened(notice.comment)}`;
  });
}

/** Watchers are also told of events that concern others. */
function sayingOf({ happened, commented }: MailWords, { reason, type, who }: NamedNotice): string {
  if (reason !== 'watching') return happened[reason](who);
  if (type === 'comment.created') return commented(who);
  return type === 'clock.fired'
    ? happened.due(who)
    : happened[type === 'execution.failed' ? 'failed' : reason](who);
}

function shortened(text: string): string {
  return text.length <= MOST_OF_COMMENT ? text : `${text.slice(0, MOST_OF_COMMENT).toWellFormed()}…`;
}

const MOST_OF_SUBJECT = 200;

/** A text in one line, as a header needs it, whatever names and values it contains. */
function oneLineOf(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length <= MOST_OF_SUBJECT ? line : `${line.slice(0, MOST_OF_SUBJECT).toWellFormed()}…`;
}
