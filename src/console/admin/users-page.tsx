import { en } from './words.js';
import { type VNode } from 'preact';
import { type ListedSession, type SessionSummary, LINK_MINUTES } from '../../auth/sessions.repository.js';
import { type UserEntity } from '../../workspace/entities/user.entity.js';
import { Person } from '../parts/avatar.js';
import { Badge } from '../parts/badge.js';
import { Instant } from '../parts/time.js';
import { type AdminList, type AdminRow, ListFilter } from './admin-list.js';
import { DetailPage, Section } from './admin-page.js';
import { type Administrator } from './admin-pages.js';
import { ButtonForm, Form } from '../parts/form.js';
import { ShownOnce } from '../parts/shown-once.js';
import { Table } from '../parts/table.js';
import { sessionCells } from '../pages/account-page.js';
import { type SignedIn, useReader, nameOfPerson } from '../reader.js';
import { type Notice } from '../parts/notices.js';

/** The page of a user. */
export function userPath({ id }: Pick<UserEntity, 'id'>): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}

const PATH = '/admin/users';

/** Who works here, by those whose name or e-mail holds what is wanted. */
export function usersList(reader: Administrator, found: FoundUsers): AdminList<UserEntity> {
  const { users, wanted, next, total, isFirst } = found;
  const { users: title, user: words } = en.admin;
  return {
    title,
    count: total,
    lead: (
      <>
        {words.lead} <code>wts user add</code>.
      </>
    ),
    filters: (
      <ListFilter path={PATH} isFiltered={wanted !== ''}>
        <label>
          <span>{words.search}</span>
          <input type="search" name="q" value={wanted} maxLength={200} />
        </label>
      </ListFilter>
    ),
    things: users,
    row: (user) => userRow(reader, found, user),
    empty: ['person', words.nothing],
    more: { path: PATH, query: { q: wanted }, next, isFirst },
  };
}

interface FoundUsers {
  readonly users: readonly UserEntity[];
  /** By the ids of users. */
  readonly sessions: ReadonlyMap<string, SessionSummary>;
  /** When they signed in last, by their ids. */
  readonly signIns: ReadonlyMap<string, Date>;
  /** Since when mail to them comes back, by their ids. */
  readonly undeliverable: ReadonlyMap<string, Date>;
  /** A part of their names. */
  readonly wanted: string;
  readonly next: string | undefined;
  /** How many are called so. */
  readonly total: number;
  readonly isFirst: boolean;
}

function userRow(reader: Administrator, found: FoundUsers, user: UserEntity): AdminRow {
  const { sessions, signIns, undeliverable } = found;
  const words = en.admin.user;
  const session = sessions.get(user.id);
  const last = session?.lastSeenAt ?? signIns.get(user.id);
  const roles = rolesOf(reader, user).map(({ workflow, role }) => `${workflow}: ${role}`);
  return {
    href: userPath(user),
    title: <Person user={user} />,
    under: (
      <>
        <span class="muted">{user.email}</span>
        {undeliverable.has(user.id) && <Badge tone="bad">{en.mail.undeliverable.mark}</Badge>}
      </>
    ),
    asides: [user.active ? <span class="muted">{roles.join(', ')}</span> : <Badge>{words.inactive}</Badge>],
    due: (
      <>
        {session ? <Badge tone="good">{words.signedIn}</Badge> : last && words.lastSignedIn}{' '}
        {last ? <Instant at={last} isShort /> : user.active && words.never}
      </>
    ),
  };
}

/** The roles that a user holds, in the order of the workflows. */
export function rolesOf({ workspace }: SignedIn, { id }: Pick<UserEntity, 'id'>): HeldRole[] {
  return [...workspace.workflows.values()].flatMap(({ id: workflowId, name, permissions }) => {
    const roles = permissions.rolesOf(id, workflowId);
    return roles.map((role) => ({ workflow: name, role: role.name, isAdmin: role.isAdmin }));
  });
}

/** A role with the workflow that it is of. */
interface HeldRole {
  readonly workflow: string;
  readonly role: string;
  readonly isAdmin: boolean;
}

interface UserProps {
  readonly user: UserEntity;
  readonly sessions: readonly ListedSession[];
  readonly lastSignIn: Date | undefined;
  /** One that was just made. */
  readonly link: string | undefined;
  readonly notice: Notice | undefined;
}

/** A user: what they may do, where they are signed in, and how to let them in. */
export function UserPage(view: UserProps): VNode {
  const reader = useReader();
  const { user, sessions, lastSignIn, notice } = view;
  const { users, user: words } = en.admin;
  const { browser, since, seen } = en.sessions;
  return (
    <DetailPage
      title={nameOfPerson(user)}
      heading={<Person user={user} />}
      badge={!user.active && <Badge>{words.inactive}</Badge>}
      lead={user.email}
      above={{ href: PATH, name: users }}
      notice={notice}
    >
      <Link {...view} />
      <Section id="roles" title={en.admin.definitions.roles}>
        <Roles {...view} />
      </Section>
      <Section id="sessions" isLandmark={false} title={words.sessions}>
        <p class="muted">
          {lastSignIn ? (
            <>
              {words.lastSignedIn} <Instant at={lastSignIn} />
            </>
          ) : (
            words.never
          )}
        </p>
        {sessions.length > 0 && (
          <>
            <Table
              caption={words.sessions}
              head={[browser, since, seen]}
              rows={sessions.map((session) => sessionCells(reader, session))}
            />
            <div class="actions">
              <ButtonForm action={`${userPath(user)}/sign-out`} look="danger">
                {en.sessions.everywhere}
              </ButtonForm>
            </div>
          </>
        )}
      </Section>
    </DetailPage>
  );
}

/** How to let them in: the link that was just made, or the button that makes one. */
function Link({ user, link }: UserProps): VNode {
  const words = en.admin.user;
  if (link !== undefined)
    return (
      <ShownOnce title={words.linkTitle} secret={link}>
        {words.linkMore(nameOfPerson(user), LINK_MINUTES)}
      </ShownOnce>
    );
  if (!user.active) return <p class="muted">{words.linkOfInactive}</p>;
  return (
    <section class="invite">
      {/* Its answer is no page to go on to, and so none for Turbo. */}
      <Form action={`${userPath(user)}/link`} class="inline" data-turbo="false">
        <button type="submit">{words.link}</button>
      </Form>
      <p class="muted">{words.linkAbout(LINK_MINUTES)}</p>
    </section>
  );
}

function Roles({ user }: UserProps): VNode {
  const reader = useReader();
  const words = en.admin.user;
  const roles = rolesOf(reader, user);
  if (roles.length === 0) return <p class="muted">{words.noRoles}</p>;
  return (
    <ul class="plain-list stack gap-1">
      {roles.map(({ workflow, role, isAdmin }) => (
        <li>
          {workflow} <Badge tone={isAdmin ? 'accent' : 'plain'}>{role}</Badge>
        </li>
      ))}
    </ul>
  );
}
