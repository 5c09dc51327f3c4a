import { type VNode } from 'preact';
import { type ListedSession } from '../../access/sessions.js';
import { type OwnPreferences } from '../../messages/inbox/preferences.js';
import { absenceNotice, AbsencePart, type RefusedAbsence } from './absence-part.js';
import { KeysList } from '../palette/palette-part.js';
import { ConsolePage } from '../layout.js';
import { Person } from '../parts/avatar.js';
import { Badge } from '../parts/badge.js';
import { ButtonForm, Form } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { ShownOnce } from '../parts/shown-once.js';
import { Table } from '../parts/table.js';
import { Instant } from '../parts/time.js';
import { useReader, type SignedIn } from '../reader.js';
import {
  type NotificationChannel,
  type NotificationReason,
  notificationChannels,
  notificationReasons,
} from '../../common/column-values.js';
import { Choice } from '../parts/control.js';
import { channelFor } from '../../messages/inbox/tell.js';

export function AccountPage({ sessions, preferences, sendsMail, absence, ...more }: AccountPageProps): VNode {
  const reader = useReader();
  const { user } = reader;
  const rows = sessions.map((one) => [
    ...sessionCells(reader, one),
    // The present session has no button here: the button below ends it.
    reader.session.hash.equals(one.hash) ? null : <SignOutOf session={one} />,
  ]);
  const end = <span class="visually-hidden">Sign out</span>;
  return (
    <ConsolePage title="Account" notice={absenceNotice(absence)}>
      <div class="column">
        <h1>Account</h1>
        <p class="line">
          <Person user={user} />
          <span class="muted">{user.email}</span>
        </p>
        <h2>Where you are signed in</h2>
        <Table caption="Where you are signed in" head={['Browser', 'Since', 'Last used', end]} rows={rows} />
        <div class="actions">
          <ButtonForm action="/sign-out">Sign out</ButtonForm>
          <ButtonForm action="/sign-out/everywhere">Sign out everywhere</ButtonForm>
        </div>
        <NotificationSettings choices={preferences.choices} sendsMail={sendsMail} />
        <Undeliverable since={preferences.undeliverableSince ?? undefined} />
        <AbsencePart refused={absence} />
        <CalendarPart {...more} />
        <Keys />
      </div>
    </ConsolePage>
  );
}

/** People who use speech input trigger single keys unintentionally (WCAG 2.1.4). */
function Keys(): VNode {
  const { session } = useReader();
  return (
    <section class="column" id="keys" aria-labelledby="keys-name">
      <h2 id="keys-name">Keyboard</h2>
      <p>
        {session.shortcuts
          ? 'These keys work outside text fields:'
          : 'Single keys are off. Ctrl+K (⌘K) still opens every page.'}
      </p>
      {session.shortcuts && <KeysList />}
      <div class="actions">
        <ButtonForm action="/account/shortcuts" fields={{ shortcuts: session.shortcuts ? 'off' : 'on' }}>
          {session.shortcuts ? 'Turn these keys off' : 'Turn these keys on'}
        </ButtonForm>
      </div>
    </section>
  );
}

function CalendarPart({ calendar, calendarSince }: CalendarProps): VNode {
  return (
    <section class="column" id="calendar" aria-labelledby="calendar-name">
      <h2 id="calendar-name">Calendar</h2>
      <p>Subscribe in your calendar to what is due for you. Whoever has the address can read it.</p>
      {calendar !== undefined && (
        <ShownOnce title="The address of your calendar" secret={calendar}>
          It is shown only now. Former addresses no longer work.
        </ShownOnce>
      )}
      {calendarSince && (
        <p>
          Your address was made <Instant at={calendarSince} />.
        </p>
      )}
      <div class="actions">
        <ButtonForm action="/account/calendar">
          {calendarSince ? 'Make another address' : 'Make an address'}
        </ButtonForm>
        {calendarSince && <ButtonForm action="/account/calendar/remove">Remove the address</ButtonForm>}
      </div>
    </section>
  );
}

interface CalendarProps {
  /** The new address of the calendar, shown once. */
  readonly calendar?: string | undefined;
  readonly calendarSince: Date | undefined;
}

interface AccountPageProps extends CalendarProps {
  readonly sessions: readonly ListedSession[];
  readonly preferences: OwnPreferences;
  readonly sendsMail: boolean;
  readonly absence?: RefusedAbsence | undefined;
}

/** The columns of a session: its browser, its beginning and its last use. */
export function sessionCells(
  reader: SignedIn,
  { browser, createdAt, lastSeenAt, hash }: ListedSession,
): VNode[] {
  const { session } = reader;
  return [
    <>
      {shortName(browser)} {session.hash.equals(hash) && <Badge tone="accent">this browser</Badge>}
    </>,
    <Instant at={createdAt} />,
    <Instant at={lastSeenAt} isShort />,
  ];
}

function SignOutOf({ session }: { readonly session: ListedSession }): VNode {
  const label = `Sign out: ${shortName(session.browser)}`;
  const fields = { session: session.hash.toString('base64url') };
  return (
    <ButtonForm action="/sign-out/one" look="quiet small" fields={fields} label={label}>
      <Icon name="logout" />
    </ButtonForm>
  );
}

/** The common name of a browser, from its `User-Agent`. */
function shortName(browser: string): string {
  const [, name] = /\b(Firefox|Edg|OPR|Chrome|Safari)\b/.exec(browser) ?? [];
  const [, system] = /\b(Windows|Macintosh|iPhone|iPad|Android|Linux)\b/.exec(browser) ?? [];
  const shown = name === 'Edg' ? 'Edge' : name === 'OPR' ? 'Opera' : name;
  return [shown ?? (browser.slice(0, 40) || '–'), system].filter(Boolean).join(', ');
}

/** The choice of channels for each reason; mail is offered if the service sends any. */
function NotificationSettings({ choices, sendsMail }: NotificationSettingsProps): VNode {
  const reader = useReader();
  const channels = notificationChannels.filter((channel) => sendsMail || channel !== 'mail');
  const shown = (channel: (typeof channels)[number]): (typeof channels)[number] =>
    channel === 'mail' && !sendsMail ? 'inbox' : channel;
  return (
    <section class="column" id="notifications" aria-labelledby="notifications-name">
      <h2 id="notifications-name">Notifications</h2>
      <p>Choose where you are notified.</p>
      <Form action="/account/notifications" class="preferences entry stack gap-3">
        {notificationReasons.map((reason) => {
          const usual = shown(channelFor(reason, {}, reader.workspace.notifications));
          const chosen = choices[reason];
          return (
            <div class="control">
              <label for={`notify-${reason}`}>{reasonNames[reason]}</label>
              <Choice
                id={`notify-${reason}`}
                name={reason}
                options={channels.map((channel) => [channel, channelNames[channel]])}
                chosen={chosen === undefined ? '' : shown(chosen)}
                none={`Default (${channelNames[usual]})`}
              />
            </div>
          );
        })}
        <div class="actions">
          <button type="submit">Save</button>
        </div>
      </Form>
    </section>
  );
}

interface NotificationSettingsProps {
  readonly choices: OwnPreferences['choices'];
  readonly sendsMail: boolean;
}

const reasonNames = {
  mentioned: 'Somebody mentions me',
  assigned: 'Something is assigned to me',
  approval: 'My approval is requested',
  due: 'A deadline of my task is reached',
  failed: 'An action fails on my task, or one that I started',
  watching: 'Anything else on tasks that I watch',
} satisfies Record<NotificationReason, string>;

const channelNames = { mail: 'Inbox and mail', inbox: 'Inbox', off: 'Not at all' } satisfies Record<
  NotificationChannel,
  string
>;

/** Says that mail to the reader is undeliverable, and how to resume it. */
function Undeliverable({ since }: UndeliverableProps): VNode | null {
  const reader = useReader();
  if (since === undefined) return null;
  return (
    <section class="column" id="mail" aria-labelledby="mail-name">
      <h2 id="mail-name">Mail to you cannot be delivered</h2>
      <p>
        A mail server has permanently refused mail to {reader.user.email}. None has been sent since{' '}
        <Instant at={since} />.
      </p>
      <div class="actions">
        <ButtonForm action="/account/mail">My address works again</ButtonForm>
      </div>
    </section>
  );
}

interface UndeliverableProps {
  /** Undefined if mail is delivered. */
  readonly since: Date | undefined;
}
