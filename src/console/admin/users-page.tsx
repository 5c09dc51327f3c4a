import { type ListedUser, UsersService } from '../../access/users.service.js';
import { sessionCells } from '../pages/account-page.js';
import { Person } from '../parts/avatar.js';
import { Badge } from '../parts/badge.js';
import { Table } from '../parts/table.js';
import { Instant } from '../parts/time.js';
import { nameOfPerson } from '../reader.js';
import { type Administrator, type AdminLine, type AdminOperation, adminPath, type AdminPage, type AdminRequest, type ThingPage } from './admin-page.js'; // prettier-ignore
import { Facts, Section } from './section.js';

export const usersPage: AdminPage = {
  path: 'users',
  one: 'user',
  isOfWorkspace: true,
  title: 'Users',
  icon: 'person',
  lead: 'Users and their roles come from the definition. Change them there, or with wts user add.',
  empty: ['No users'],
  filters: () => [{ name: 'q', label: 'Name or e-mail' }],
  async read({ reader, get }, { q = '', after }) {
    const { shown, ...more } = await get(UsersService).list(reader.workspace, q, after);
    return { lines: shown.map((listed) => userLine(listed, reader)), ...more };
  },
  async open([id = ''], asked) {
    const listed = await asked.get(UsersService).find(asked.reader.workspace, id);
    return listed && { page: await userPage(listed, asked), operations: operationsOn(listed, asked) };
  },
};

const userLine = (listed: ListedUser, reader: Administrator): AdminLine => {
  const { user, lastSeen, lastSignIn, undeliverable } = listed;
  return {
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
    due: lastTime(lastSeen ?? lastSignIn),
  };
};

async function userPage({ user, lastSignIn }: ListedUser, { reader, get }: AdminRequest): Promise<ThingPage> {
  const sessions = await get(UsersService).sessionsOf(user);
  const rows = sessions.map((session) => sessionCells(reader, session));
  return {
    title: nameOfPerson(user),
    badge: !user.active && <Badge>Inactive</Badge>,
    lead: user.email,
    content: (
      <>
        <Facts
          rows={[
            ['Roles', rolesOf(reader, user.id).join(', ') || 'No roles'],
            ['Last signed in', lastTime(lastSignIn)],
          ]}
        />
        {rows.length > 0 && (
          <Section id="sessions" isLandmark={false} title="Where they are signed in">
            <Table caption="Where they are signed in" head={['Browser', 'Since', 'Last used']} rows={rows} />
          </Section>
        )}
      </>
    ),
  };
}

const operationsOn = ({ user }: ListedUser, { get }: AdminRequest) =>
  ({
    link: user.active && {
      title: 'Create a sign-in link',
      async run() {
        const { address, minutes } = await get(UsersService).link(user);
        const about = `It works once, for ${minutes} minutes, and is not shown again. Give it only to ${nameOfPerson(user)}: anybody who opens it acts in their name.`;
        return { secret: { title: 'A sign-in link', value: address, about } };
      },
    },
    'sign-out': {
      title: 'Sign out everywhere',
      look: 'danger',
      run: () => get(UsersService).signOut(user),
    },
  }) satisfies Record<string, AdminOperation | false>;

/** The roles that a user holds, in the order of the workflows: `Claims: Agent`. */
function rolesOf({ workspace }: Administrator, userId: string): string[] {
  return [...workspace.workflows.values()].flatMap(({ id, name, permissions }) =>
    permissions.rolesOf(userId, id).map((role) => `${name}: ${role.name}`),
  );
}

const lastTime = (at: Date | null) => (at ? <Instant at={at} isShort /> : 'never');
