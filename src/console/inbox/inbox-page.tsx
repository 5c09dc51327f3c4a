import { type NotificationReason } from '../../database/column-values.js';
import { type VNode } from 'preact';
import { type ShownLine } from '../../notifications/inboxes.js';
import { ConsolePage } from '../layout.js';
import { Empty } from '../parts/empty.js';
import { Form, Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { type Notice } from '../parts/notices.js';
import { starterName } from '../parts/run-line.js';
import { Instant } from '../parts/time.js';
import { useReader, nameOfPerson, type SignedIn } from '../reader.js';
import { calledIn, taskPath } from '../task-shown.js';

/** What somebody was told of: one line a task, the newest first. */
export function InboxPage({ shown, notice }: InboxPageProps): VNode {
  const { lines, after, next } = shown;
  return (
    <ConsolePage title="Inbox" live={{ of: 'inbox' }} notice={notice}>
      <header class="page-head stack gap-1">
        <h1>Inbox</h1>
      </header>
      {lines.length > 0 && (
        <ol class="rows inbox" id="lines">
          {lines.map((line) => (
            <Line line={line} after={after} />
          ))}
        </ol>
      )}
      {lines.length === 0 && (
        <Empty icon="bell" title="Nothing new">
          Mentions, assignments, approval requests and changes to tasks that you watch appear here.
        </Empty>
      )}
      <nav class="actions" aria-label="Inbox">
        {after !== undefined && <a href="/inbox">Newest</a>}
        {next !== undefined && <a href={`/inbox?after=${encodeURIComponent(next)}`}>Older</a>}
      </nav>
    </ConsolePage>
  );
}

interface InboxPageProps {
  readonly shown: {
    readonly lines: readonly ShownLine[];
    /** The cursors behind which the page begins, and the next one. */
    readonly after: string | undefined;
    readonly next: string | undefined;
  };
  readonly notice?: Notice | undefined;
}

function Line({ line, after }: LineProps): VNode {
  const reader = useReader();
  const name = nameOf(reader, line);
  const { isUnread, more, at } = line;
  return (
    <li id={`line-${keyOf(line)}`} class={isUnread ? 'notice-line unread' : 'notice-line'}>
      <a class="row" href={pathOf(line, reader)}>
        <span class="unread-mark">{isUnread && <span class="visually-hidden">Unread</span>}</span>
        <span class="row-title">{name}</span>
        <span class="notice-what muted">
          {whatOf(reader, line)} {more > 0 && <span>and {more} more</span>}
        </span>
        <span class="muted small">
          <Instant at={at} isShort />
        </span>
      </a>
      <Deeds line={line} after={after} name={name} />
    </li>
  );
}

interface LineProps {
  readonly line: ShownLine;
  readonly after: string | undefined;
}

/** What can be done with a line. */
function Deeds({ line, after, name }: LineProps & { readonly name: string }): VNode {
  const fields = { ...formNameOf(line), ...(after !== undefined && { after }) };
  const [toggle, label] = line.isUnread
    ? (['read', 'Mark as read'] as const)
    : (['unread', 'Mark as unread'] as const);
  const until = `until-${keyOf(line)}`;
  return (
    <Form action="/inbox" class="deeds" data-turbo-action="replace">
      <Hidden fields={fields} />
      <Deed value="done" label={`Done: ${name}`} icon="check" />
      <Deed value={toggle} label={`${label}: ${name}`} icon={line.isUnread ? 'dash' : 'bell'} />
      <details class="snooze">
        <summary class="quiet small" title="Snooze">
          <Icon name="clock" />
          <span class="visually-hidden">Snooze: {name}</span>
        </summary>
        <div class="snooze-choice">
          <button type="submit" class="quiet" name="do" value="tomorrow">
            Tomorrow, 08:00
          </button>
          <button type="submit" class="quiet" name="do" value="monday">
            Monday, 08:00
          </button>
          <label for={until}>Until the morning of</label>
          <input type="date" id={until} name="until" />
          <button type="submit" name="do" value="snooze">
            Snooze
          </button>
        </div>
      </details>
    </Form>
  );
}

function Deed({ value, label, icon }: DeedProps): VNode {
  return (
    <button type="submit" class="quiet small" name="do" value={value} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}

interface DeedProps {
  readonly value: string;
  readonly label: string;
  readonly icon: 'check' | 'dash' | 'bell';
}

function nameOf({ locale }: SignedIn, { task, workflow, tasks }: ShownLine): string {
  if (!task) return `${workflow.name} (${tasks.toLocaleString(locale)})`;
  return calledIn(workflow, task);
}

/** A task leads to its page, many of a workflow to the list of what is theirs. */
function pathOf({ task, workflow }: ShownLine, { user }: SignedIn): string {
  if (task) return taskPath(workflow, task);
  const query = new URLSearchParams({ 'Assigned To': user.email });
  return `/workflows/${encodeURIComponent(workflow.slug)}/list?${query.toString()}`;
}

/** The newest that happened, in words. */
function whatOf(reader: SignedIn, line: ShownLine): string {
  const who = whoOf(reader, line);
  if (!line.task)
    return asSentence(
      `${who} assigned ${line.tasks.toLocaleString(reader.locale)} tasks of ${line.workflow.name} to you`,
    );
  return asSentence(happenings[line.reason](who));
}

const asSentence = (text: string): string => text.replace(/^\p{L}/u, (letter) => letter.toUpperCase());

function whoOf({ workspace }: SignedIn, { actor, keyName }: ShownLine): string {
  const { kind, id } = actor;
  if (kind === 'system' || id === null) return 'The service';
  if (kind === 'key') return `API (${keyName ?? id})`;
  if (kind !== 'user') return starterName({ kind, id });
  const user = workspace.users.get(id);
  return user ? nameOfPerson(user) : 'The service';
}

function formNameOf({ task, workflow, requestId }: ShownLine): Record<string, string> {
  return task ? { workflow: workflow.slug, task: task.publicId } : { request: requestId ?? '' };
}

/** What tells the line from others of the page. */
const keyOf = ({ task, requestId }: ShownLine): string => task?.publicId ?? requestId ?? '';

/** By the reason of the newest notification of a line; `who` did it. */
const happenings = {
  mentioned: (who: string) => `${who} mentioned you`,
  assigned: (who: string) => `${who} assigned this to you`,
  approval: () => 'Your approval is requested',
  due: (who: string) => `${who} reached a deadline`,
  failed: () => 'An action has failed',
  watching: (who: string) => `${who} changed this`,
} satisfies Record<NotificationReason, (who: string) => string>;
