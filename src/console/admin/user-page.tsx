import { type VNode } from 'preact';
import { LINK_MINUTES } from '../../auth/sessions.repository.js';
import { type SessionEntity } from '../../entities/session.entity.js';
import { type UserEntity } from '../../entities/user.entity.js';
import { Person } from '../parts/avatar.js';
import { Badge } from '../parts/badge.js';
import { ButtonForm, Form } from '../parts/form.js';
import { ShownOnce } from '../parts/shown-once.js';
import { Table } from '../parts/table.js';
import { Instant } from '../parts/time.js';
import { sessionCells } from '../pages/account-page.js';
import { nameOfPerson } from '../reader.js';
import { type Notice } from '../parts/notices.js';
import { DetailPage, Section } from './admin-page.js';
import { type Administrator } from './admin-pages.js';
import { rolesOf, userPath } from './users-page.js';

interface UserProps {
  readonly to: Administrator;
  readonly user: UserEntity;
  readonly sessions: readonly SessionEntity[];
  readonly lastSignIn: Date | undefined;
  /** One that was just made. */
  readonly link: string | undefined;
  readonly notice: Notice | undefined;
}

/** A user: what they may do, where they are signed in, and how to let them in. */
export function UserPage(view: UserProps): VNode {
  const { to, user, sessions, lastSignIn, notice } = view;
  const { users, user: words } = to.words.admin;
  const { browser, since, seen } = to.words.sessions;
  return (
    <DetailPage
      to={to}
      title={nameOfPerson(user)}
      heading={<Person user={user} />}
      badge={!user.active && <Badge>{words.inactive}</Badge>}
      lead={user.email}
      above={{ href: '/admin/users', name: users }}
      notice={notice}
    >
      <Link {...view} />
      <Section id="roles" title={words.roles}>
        <Roles {...view} />
      </Section>
      <section>
        <h2 id="sessions">{words.sessions}</h2>
        <p class="muted">
          {lastSignIn ? (
            <>
              {words.lastSignedIn} <Instant at={lastSignIn} to={to} timeZone={to.timeZone} />
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
              rows={sessions.map((session) => sessionCells(to, session))}
            />
            <div class="actions">
              <ButtonForm action={`${userPath(user)}/sign-out`} look="danger">
                {words.end}
              </ButtonForm>
            </div>
          </>
        )}
      </section>
    </DetailPage>
  );
}

/** How to let them in: the link that was just made, or the button that makes one. */
function Link({ to, user, link }: UserProps): VNode {
  const words = to.words.admin.user;
  if (link !== undefined)
    return (
      <ShownOnce to={to} title={words.linkTitle} secret={link}>
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

function Roles({ to, user }: UserProps): VNode {
  const words = to.words.admin.user;
  const roles = rolesOf(to, user);
  if (roles.length === 0) return <p class="muted">{words.noRoles}</p>;
  return (
    <ul class="plain-list">
      {roles.map(({ workflow, role, isAdmin }) => (
        <li>
          {workflow} <Badge tone={isAdmin ? 'accent' : 'plain'}>{role}</Badge>
        </li>
      ))}
    </ul>
  );
}
