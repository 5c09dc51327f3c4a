import { type VNode } from 'preact';
import { type ListedSession } from '../../auth/sessions.repository.js';
import { type OwnPreferences } from '../../notifications/preferences.js';
import { absenceNotice, AbsencePart, type RefusedAbsence } from './absence-part.js';
import { KeysList } from '../palette/palette-part.js';
import { ConsolePage } from '../layout.js';
import { Person } from '../parts/avatar.js';
import { Badge } from '../parts/badge.js';
import { ButtonForm } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { NotificationSettings } from './notification-choices.js';
import { Table } from '../parts/table.js';
import { Instant } from '../parts/time.js';
import { Undeliverable } from '../parts/undeliverable.js';
import { type SignedIn } from '../reader.js';

/** Who is signed in, and where. */
export function AccountPage({ to, sessions, preferences, sendsMail, absence }: AccountPageProps): VNode {
  const { words, user } = to;
  const rows = sessions.map((one) => [
    ...sessionCells(to, one),
    // For this one there is a button beneath.
    to.session.hash.equals(one.hash) ? null : <SignOutOf to={to} session={one} />,
  ]);
  const end = <span class="visually-hidden">{words.signOut}</span>;
  return (
    <ConsolePage to={to} title={words.account} notice={absenceNotice(to, absence)}>
      <div class="column">
        <h1>{words.account}</h1>
        <p class="line">
          <Person user={user} />
          <span class="muted">{user.email}</span>
        </p>
        <h2>{words.sessions.title}</h2>
        <Table
          caption={words.sessions.title}
          head={[words.sessions.browser, words.sessions.since, words.sessions.seen, end]}
          rows={rows}
        />
        <div class="actions">
          <ButtonForm action="/sign-out">{words.signOut}</ButtonForm>
          <ButtonForm action="/sign-out/everywhere">{words.sessions.everywhere}</ButtonForm>
        </div>
        <NotificationSettings to={to} choices={preferences.choices} sendsMail={sendsMail} />
        <Undeliverable to={to} since={preferences.undeliverableSince ?? undefined} />
        <AbsencePart to={to} refused={absence} />
        <Keys to={to} />
      </div>
    </ConsolePage>
  );
}

/** Whether single keys do something: who speaks to the browser presses them without meaning to (WCAG 2.1.4). */
function Keys({ to: { words, session } }: { readonly to: SignedIn }): VNode {
  const { title, on, off, switchOff, switchOn } = words.keys;
  return (
    <section class="column" id="keys" aria-labelledby="keys-name">
      <h2 id="keys-name">{title}</h2>
      <p>{session.shortcuts ? on : off}</p>
      {session.shortcuts && <KeysList to={{ words }} />}
      <div class="actions">
        <ButtonForm action="/account/shortcuts" fields={{ shortcuts: session.shortcuts ? 'off' : 'on' }}>
          {session.shortcuts ? switchOff : switchOn}
        </ButtonForm>
      </div>
    </section>
  );
}

interface AccountPageProps {
  readonly to: SignedIn;
  readonly sessions: readonly ListedSession[];
  readonly preferences: OwnPreferences;
  readonly sendsMail: boolean;
  readonly absence?: RefusedAbsence | undefined;
}

/** By which browser somebody is signed in, since when, and when that was last used. */
export function sessionCells(to: SignedIn, { browser, createdAt, lastSeenAt, hash }: ListedSession): VNode[] {
  const { words, session } = to;
  return [
    <>
      {shortName(browser)}{' '}
      {session.hash.equals(hash) && <Badge tone="accent">{words.sessions.thisOne}</Badge>}
    </>,
    <Instant at={createdAt} to={to} />,
    <Instant at={lastSeenAt} to={to} isShort />,
  ];
}

function SignOutOf({ to, session }: { readonly to: SignedIn; readonly session: ListedSession }): VNode {
  const label = to.words.sessions.endOf(shortName(session.browser));
  const fields = { session: session.hash.toString('base64url') };
  return (
    <ButtonForm action="/sign-out/one" look="quiet small" fields={fields} label={label}>
      <Icon name="logout" />
    </ButtonForm>
  );
}

/** What people call it, of all that a browser calls itself. */
function shortName(browser: string): string {
  const [, name] = /\b(Firefox|Edg|OPR|Chrome|Safari)\b/.exec(browser) ?? [];
  const [, system] = /\b(Windows|Macintosh|iPhone|iPad|Android|Linux)\b/.exec(browser) ?? [];
  const shown = name === 'Edg' ? 'Edge' : name === 'OPR' ? 'Opera' : name;
  return [shown ?? (browser.slice(0, 40) || '–'), system].filter(Boolean).join(', ');
}
