import { type NotificationReason, notificationReasons } from '../../common/column-values.js';
import { plural } from '../../common/wording.js';
import { type VNode } from 'preact';
import { lineOperations, type ShownLine } from '../../messages/inbox/inboxes.js';
import { wordsForWatchers } from '../../messages/inbox/reasons.js';
import { ConsolePage } from '../layout.js';
import { Empty, type Notice } from '../parts/notices.js';
import { ButtonForm, Form, Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { starterName } from '../parts/starter-name.js';
import { Instant } from '../parts/time.js';
import { useReader, nameOfPerson, type SignedIn } from '../reader.js';
import { calledIn, taskPath } from '../task-shown.js';

export interface AskedPlace {
  readonly after?: string | undefined;
  readonly reason: NotificationReason | undefined;
}

export function inboxPath(place: AskedPlace): string {
  const query = new URLSearchParams(fieldsOf(place));
  return query.size === 0 ? '/inbox' : `/inbox?${query.toString()}`;
}

const fieldsOf = ({ after, reason }: AskedPlace): Record<string, string> => ({
  ...(reason && { reason }),
  ...(after !== undefined && { after }),
});

/** The inbox: one row for each task, newest first. Consecutive rows with the same text are grouped. */
export function InboxPage({ shown, notice }: InboxPageProps): VNode {
  const reader = useReader();
  const { lines, after, next, reason } = shown;
  const [newest] = lines;
  return (
    <ConsolePage title="Inbox" live={{ of: 'inbox' }} notice={notice}>
      <header class="page-head spread">
        <h1>Inbox</h1>
        {newest && (
          <div class="line">
            <label class="tick">
              <input type="checkbox" class="select-all" />
              Select all
            </label>
            {/* The form sends the time of the newest row, so that later notifications stay in the inbox. */}
            <ButtonForm
              action="/inbox"
              look="quiet"
              fields={{ do: 'done', all: newest.at.toISOString(), ...fieldsOf({ reason }) }}
            >
              {reason ? `All done: ${reasonNames[reason]}` : 'All done'}
            </ButtonForm>
          </div>
        )}
      </header>
      <nav class="ways" aria-label="Reason">
        {[undefined, ...notificationReasons].map((each) => (
          <a href={inboxPath({ reason: each })} {...(each === reason && { 'aria-current': 'page' })}>
            {each === undefined ? 'All' : reasonNames[each]}
          </a>
        ))}
      </nav>
      {newest ? (
        <>
          <ol class="rows inbox" id="lines">
            {causesOf(reader, lines).map((some) => (
              <Cause lines={some} place={shown} />
            ))}
          </ol>
          <PickedLines place={shown} />
        </>
      ) : (
        <Empty icon="bell" title="Nothing new">
          Mentions, assignments, approval requests and changes to tasks that you watch appear here.
        </Empty>
      )}
      <nav class="actions" aria-label="Inbox">
        {after !== undefined && <a href={inboxPath({ reason })}>Newest</a>}
        {next !== undefined && <a href={inboxPath({ reason, after: next })}>Older</a>}
      </nav>
    </ConsolePage>
  );
}

interface InboxPageProps {
  readonly shown: AskedPlace & {
    readonly lines: readonly ShownLine[];
    readonly next: string | undefined;
  };
  readonly notice?: Notice | undefined;
}

function PickedLines({ place }: { readonly place: AskedPlace }): VNode {
  return (
    <Form action="/inbox" id="bulk" class="bulk line" aria-label="Selected lines">
      <Hidden fields={fieldsOf(place)} />
      <b class="picked">selected</b>
      {lineOperations.map((operation) => (
        <button name="do" value={operation}>
          {operationNames[operation]}
        </button>
      ))}
      <a class="button quiet" href={inboxPath(place)} data-bulk="clear">
        Clear
      </a>
    </Form>
  );
}

const operationNames = { done: 'Done', read: 'Mark as read', unread: 'Mark as unread' } as const;

function causesOf(reader: SignedIn, lines: readonly ShownLine[]): ShownLine[][] {
  const causes: ShownLine[][] = [];
  for (const line of lines) {
    const last = causes.at(-1);
    const isSame = last?.[0] && whatOf(reader, last[0]) === whatOf(reader, line);
    if (isSame) last.push(line);
    else causes.push([line]);
  }
  return causes;
}

/** A group of rows with the same text. A large group is folded, and has a button for the whole group. */
function Cause({
  lines,
  place,
}: {
  readonly lines: readonly ShownLine[];
  readonly place: AskedPlace;
}): VNode {
  const reader = useReader();
  const [first] = lines;
  const rows = lines.map((line) => <Line line={line} place={place} />);
  if (!first || lines.length < LEAST_FOLDED) return <>{rows}</>;
  const what = `${whatOf(reader, first)}: ${plural(lines.length, 'task')}`;
  return (
    <li class="cause" id={`cause-${first.task.publicId}`}>
      <details>
        <summary>{what}</summary>
        <Form action="/inbox" class="inline" data-turbo-action="replace">
          <Hidden fields={fieldsOf(place)} />
          {lines.map((line) => (
            <Hidden fields={{ line: valueOf(line) }} />
          ))}
          <button type="submit" class="quiet small" name="do" value="done" aria-label={`Done: ${what}`}>
            <Icon name="check" /> Done
          </button>
        </Form>
        <ol>{rows}</ol>
      </details>
    </li>
  );
}

const LEAST_FOLDED = 5;

function Line({ line, place }: LineProps): VNode {
  const reader = useReader();
  const name = nameOf(line);
  const { isUnread, more, at } = line;
  const label = `Select: ${name}`;
  return (
    <li id={`line-${line.task.publicId}`} class={isUnread ? 'notice-line unread' : 'notice-line'}>
      <input type="checkbox" class="pick" form="bulk" name="line" value={valueOf(line)} aria-label={label} />
      <a class="row" href={taskPath(line.workflow, line.task)}>
        {isUnread && <span class="visually-hidden">Unread</span>}
        <span class="row-title">{name}</span>
        <span class="row-next muted">
          {whatOf(reader, line)}
          {more > 0 && ` · ${more} more`}
        </span>
        <span class="row-due">
          <Instant at={at} isShort />
        </span>
      </a>
      <Operations line={line} place={place} name={name} />
    </li>
  );
}

interface LineProps {
  readonly line: ShownLine;
  readonly place: AskedPlace;
}

function Operations({ line, place, name }: LineProps & { readonly name: string }): VNode {
  const operations = [
    ['done', 'check'] as const,
    line.isUnread ? (['read', 'dash'] as const) : (['unread', 'bell'] as const),
  ];
  return (
    <Form action="/inbox" class="operations inline">
      <Hidden fields={{ line: valueOf(line), ...fieldsOf(place) }} />
      {operations.map(([operation, icon]) => (
        <button
          type="submit"
          class="quiet sign"
          name="do"
          value={operation}
          {...named(`${operationNames[operation]}: ${name}`)}
        >
          <Icon name={icon} />
        </button>
      ))}
    </Form>
  );
}

const named = (label: string) => ({ 'aria-label': label, title: label });

const nameOf = ({ task, workflow }: ShownLine): string => calledIn(workflow, task);

function whatOf(reader: SignedIn, line: ShownLine): string {
  const text = happenings[line.reason](whoOf(reader, line), line.event);
  return text.replace(/^\p{L}/u, (letter) => letter.toUpperCase());
}

function whoOf({ workspace }: SignedIn, { actor, keyName }: ShownLine): string {
  const { kind, id } = actor;
  if (kind === 'system' || id === null) return 'The service';
  if (kind === 'key') return `API (${keyName ?? id})`;
  if (kind !== 'user') return starterName({ kind, id });
  const user = workspace.users.get(id);
  return user ? nameOfPerson(user) : 'The service';
}

const valueOf = ({ task, workflow }: ShownLine): string => `${workflow.slug}/${task.publicId}`;

/** Maps the reason of a row to a function that writes the row's text. `who` names the event's actor. */
const happenings = {
  mentioned: (who: string) => `${who} mentioned you`,
  assigned: (who: string) => `${who} assigned this to you`,
  approval: () => 'Your approval is requested',
  due: (who: string) => `${who} reached a deadline`,
  failed: () => 'An action has failed',
  watching: (who: string, event: string | null) => `${who} ${wordsForWatchers(event)}`,
} satisfies Record<NotificationReason, (who: string, event: string | null) => string>;

const reasonNames: Readonly<Record<NotificationReason, string>> = {
  mentioned: 'Mentions',
  assigned: 'Assigned',
  approval: 'Approvals',
  due: 'Deadlines',
  failed: 'Failures',
  watching: 'Watching',
};
