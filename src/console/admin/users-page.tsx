import { type ListedUser, UsersService } from '../../access/users.service.js';
import { sessionCells } from '../pages/account-page.js';
import { Person } from '../parts/avatar.js';
import { Badge } from '../parts/badge.js';
import { Table } from '../parts/table.js';
import { Instant } from '../parts/time.js';
import { nameOfPerson } from '../reader.js';
import { type Administrator, adminPath, type AdminPage } from './admin-page.js';
import { Section } from './admin-thing.js';

export const usersPage: AdminPage<ListedUser> = {
  path: 'users',
  one: 'user',
  isOfWorkspace: true,
  title: 'Users',
  icon: 'person',
  lead: 'Users and their roles come from the definition. Change them there, or with wts user add.',
  empty: ['No users'],
  filters: () => [{ name: 'q', label: 'Name or e-mail' }],
  rows: ({ reader, get }, { q = '', after }) => get(UsersService).list(reader.workspace, q, after),
  line: ({ user, lastSeen, lastSignIn, undeliverable }, { reader }) => ({
    href: adminPath('users', user.id),
    title: <Person user={user} />,
    under: (
      <>
        <span class="muted">{user.email}</span>
        {undeliverable && <Badge tone="bad">Mail undeliverable</Badge>}
      </>
    ),
    asides: [
      user.active ? (
        <span class="muted">{rolesOf(reader, user.id).join(', ')}</span>
      ) : (
        <Badge>Inactive</Badge>
      ),
    ],
    due: lastHere(lastSeen ?? lastSignIn, lastSeen !== null),
  }),
  find: ([id = ''], { reader, get }) => get(UsersService).find(reader.workspace, id),
  async show({ user, lastSignIn }, { reader, get }) {
    const sessions = await get(UsersService).sessionsOf(user);
    return {
      title: nameOfPerson(user),
      heading: <Person user={user} />,
      badge: !user.active && <Badge>Inactive</Badge>,
      lead: user.email,
      facts: [
        ['Roles', rolesOf(reader, user.id).join(', ') || 'No roles'],
        ['Last signed in', lastSignIn ? <Instant at={lastSignIn} /> : 'never'],
      ],
      parts: sessions.length > 0 && (
        <Section id="sessions" isLandmark={false} title="Where they are signed in">
          <Table
            caption="Where they are signed in"
            head={['Browser', 'Since', 'Last used']}
            rows={sessions.map((session) => sessionCells(reader, session))}
          />
        </Section>
      ),
    };
  },
  operations: {
    link: {
      title: 'Create a sign-in link',
      isShownOnce: true,
      isAllowed: ({ user }) => user.active,
      async run({ user }, { get }) {
        const { address, minutes } = await get(UsersService).link(user);
        const about = `It works once, for ${minutes} minutes, and is not shown again. Give it only to ${nameOfPerson(user)}: anybody who opens it acts in their name.`;
        return { secret: { title: 'A sign-in link', value: address, about } };
      },
    },
    'sign-out': {
      title: 'Sign out everywhere',
      look: 'danger',
      run: ({ user }, { get }) => get(UsersService).signOut(user),
      done: () => 'They are signed out everywhere.',
    },
  },
};

/** The roles that a user holds, in the order of the workflows: `Claims: Agent`. */
function rolesOf({ workspace }: Administrator, userId: string): string[] {
  return [...workspace.workflows.values()].flatMap(({ id, name, permissions }) =>
    permissions.rolesOf(userId, id).map((role) => `${name}: ${role.name}`),
  );
}

function lastHere(at: Date | null, isSignedIn: boolean) {
  if (at === null) return 'never signed in';
  return (
    <>
      {isSignedIn ? <Badge tone="good">signed in</Badge> : 'Last signed in:'} <Instant at={at} isShort />
    </>
  );
}
