import { type ListedUser, UsersService } from '../../access/users.service.js';
import { Person } from '../parts/avatar.js';
import { Badge } from '../parts/badge.js';
import { Instant } from '../parts/time.js';
import { nameOfPerson } from '../reader.js';
import { type Administrator, type AdminLine, type AdminOperation, adminPath, type AdminPage, type AdminRequest, type ThingPage } from './admin-page.js'; // prettier-ignore

export const usersPage: AdminPage = {
  path: 'users',
  one: 'user',
  isOfWorkspace: true,
  title: 'Users',
  icon: 'person',
  lead: 'Users and their roles come from the definition. Change them there.',
  empty: ['No users'],
  filters: () => [{ name: 'q', label: 'Name or e-mail' }],
  async read({ reader, get }, { q = '', after }) {
    const { shown, ...more } = await get(UsersService).list(reader.workspace, q, after);
    return { lines: shown.map((user) => userLine(user, reader)), ...more };
  },
  async open([id = ''], asked) {
    const { reader, get } = asked;
    const user = await get(UsersService).find(reader.workspace, id);
    return user && { page: userPage(user, reader), operations: operationsOn(user, asked) };
  },
};

const userLine = (user: ListedUser, reader: Administrator): AdminLine => ({
  href: adminPath('users', user.id),
  title: <Person user={user} />,
  under: <span class="muted">{user.email}</span>,
  asides: [
    user.active ? <span class="muted">{rolesOf(reader, user).join(', ')}</span> : <Badge>Inactive</Badge>,
  ],
  due: <>Signed in: {lastSignIn(user)}</>,
});

const userPage = (user: ListedUser, reader: Administrator): ThingPage => ({
  title: nameOfPerson(user),
  badge: !user.active && <Badge>Inactive</Badge>,
  lead: user.email,
  facts: [
    ['Roles', rolesOf(reader, user).join(', ') || 'No roles'],
    ['Last signed in', lastSignIn(user)],
  ],
});

const operationsOn = (user: ListedUser, { get }: AdminRequest) =>
  ({
    link: user.active && {
      title: 'Create a sign-in link',
      async run() {
        const { address, minutes } = await get(UsersService).link(user);
        const about = `The link works once, for ${minutes} minutes, and is not shown again. Give it only to ${nameOfPerson(user)}: anybody who opens the link is signed in as this user.`;
        return { secret: { title: 'A sign-in link', value: address, about } };
      },
    },
    'sign-out': {
      title: 'Sign out everywhere',
      look: 'danger',
      asks: {
        title: `Sign out ${nameOfPerson(user)} everywhere?`,
        text: <p>They have to sign in again in every browser.</p>,
      },
      run: () => get(UsersService).signOut(user),
    },
  }) satisfies Record<string, AdminOperation | false>;

/** The roles that a user holds, such as `Claims: Agent`, in the order of the workflows. */
function rolesOf({ workspace }: Administrator, { id: userId }: ListedUser): string[] {
  return [...workspace.workflows.values()].flatMap(({ id, name, permissions }) =>
    permissions.rolesOf(userId, id).map((role) => `${name}: ${role.name}`),
  );
}

const lastSignIn = ({ lastSignedInAt: at }: ListedUser) => (at ? <Instant at={at} isShort /> : 'never');
