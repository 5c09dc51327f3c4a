import { type VNode } from 'preact';
import { type ShownLine } from '../../notifications/inboxes.js';
import { ConsolePage } from '../layout.js';
import { Empty } from '../parts/empty.js';
import { Form, Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { type Notice } from '../parts/notices.js';
import { starterName } from '../parts/run-line.js';
import { Instant } from '../parts/time.js';
import { nameOfPerson, type SignedIn } from '../reader.js';
import { calledIn, taskPath } from '../task-shown.js';

/** What somebody was told of: one line a task, the newest first. */
export function InboxPage({ to, live, shown, notice }: InboxPageProps): VNode {
  const { inbox: words } = to.words;
  const { lines, after, next } = shown;
  return (
    <ConsolePage to={to} title={words.title} live={live} notice={notice}>
      <header class="page-head stack gap-1">
        <h1>{words.title}</h1>
      </header>
      {lines.length > 0 && (
        <ol class="rows inbox" id="lines">
          {lines.map((line) => (
            <Line to={to} line={line} after={after} />
          ))}
        </ol>
      )}
      {lines.length === 0 && (
        <Empty icon="bell" title={words.empty}>
          {words.emptyMore}
        </Empty>
      )}
      <nav class="actions" aria-label={words.title}>
        {after !== undefined && <a href="/inbox">{words.newest}</a>}
        {next !== undefined && <a href={`/inbox?after=${encodeURIComponent(next)}`}>{words.older}</a>}
      </nav>
    </ConsolePage>
  );
}

interface InboxPageProps {
  readonly to: SignedIn;
  readonly live: string;
  readonly shown: {
    readonly lines: readonly ShownLine[];
    /** The cursors behind which the page begins, and the next one. */
    readonly after: string | undefined;
    readonly next: string | undefined;
  };
  readonly notice?: Notice | undefined;
}

function Line({ to, line, after }: LineProps): VNode {
  const { inbox: words } = to.words;
  const name = nameOf(to, line);
  const { isUnread, more, at } = line;
  return (
    <li id={`line-${keyOf(line)}`} class={isUnread ? 'notice-line unread' : 'notice-line'}>
      <a class="row" href={pathOf(line, to)}>
        <span class="unread-mark">{isUnread && <span class="visually-hidden">{words.isUnread}</span>}</span>
        <span class="row-title">{name}</span>
        <span class="notice-what muted">
          {whatOf(to, line)} {more > 0 && <span>{to.words.task.moreLinked(more)}</span>}
        </span>
        <span class="muted small">
          <Instant at={at} to={to} isShort />
        </span>
      </a>
      <Deeds to={to} line={line} after={after} name={name} />
    </li>
  );
}

interface LineProps {
  readonly to: SignedIn;
  readonly line: ShownLine;
  readonly after: string | undefined;
}

/** What can be done with a line. */
function Deeds({ to, line, after, name }: LineProps & { readonly name: string }): VNode {
  const { inbox: words } = to.words;
  const fields = { ...formNameOf(line), ...(after !== undefined && { after }) };
  const [toggle, label] = line.isUnread
    ? (['read', words.read] as const)
    : (['unread', words.markUnread] as const);
  const until = `until-${keyOf(line)}`;
  return (
    <Form action="/inbox" class="deeds" data-turbo-action="replace">
      <Hidden fields={fields} />
      <Deed value="done" label={words.of(words.done, name)} icon="check" />
      <Deed value={toggle} label={words.of(label, name)} icon={line.isUnread ? 'dash' : 'bell'} />
      <details class="snooze">
        <summary class="quiet small" title={words.snooze}>
          <Icon name="clock" />
          <span class="visually-hidden">{words.of(words.snooze, name)}</span>
        </summary>
        <div class="snooze-choice">
          <button type="submit" class="quiet" name="do" value="tomorrow">
            {words.tomorrow}
          </button>
          <button type="submit" class="quiet" name="do" value="monday">
            {words.monday}
          </button>
          <label for={until}>{words.until}</label>
          <input type="date" id={until} name="until" />
          <button type="submit" name="do" value="snooze">
            {words.snooze}
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
function whatOf(to: SignedIn, line: ShownLine): string {
  const { inbox: words } = to.words;
  const who = whoOf(to, line);
  if (!line.task)
    return asSentence(words.assignedMany(who, line.tasks.toLocaleString(to.locale), line.workflow.name));
  return asSentence(words.happened[line.reason](who));
}

const asSentence = (text: string): string => text.replace(/^\p{L}/u, (letter) => letter.toUpperCase());

function whoOf({ words, workspace }: SignedIn, { actor, keyName }: ShownLine): string {
  const { kind, id } = actor;
  if (kind === 'system' || id === null) return words.inbox.system;
  if (kind === 'key') return words.inbox.key(keyName ?? id);
  if (kind !== 'user') return starterName({ words }, { kind, id });
  const user = workspace.users.get(id);
  return user ? nameOfPerson(user) : words.inbox.system;
}

function formNameOf({ task, workflow, requestId }: ShownLine): Record<string, string> {
  return task ? { workflow: workflow.slug, task: task.publicId } : { request: requestId ?? '' };
}

/** What tells the line from others of the page. */
const keyOf = ({ task, requestId }: ShownLine): string => task?.publicId ?? requestId ?? '';
