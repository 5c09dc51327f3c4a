import { type Users } from '../../schema/field-type.js';
import { UserDirectory } from '../../schema/user-directory.js';
import { type WorkspaceDefinition } from '../definition.js';
import { userIds } from '../gone.js';
import { emailOf } from '../identities.js';
import { type WorkspaceRows } from '../workspace-rows.js';

/** The users as they will be; those who are new have no id yet, but one that nobody else has. */
export function usersAfter(rows: WorkspaceRows, merged: WorkspaceDefinition): Users {
  const ids = userIds(rows, merged);
  return new UserDirectory(
    merged.users.map((user) => ({ ...user, id: ids.get(emailOf(user)) ?? `new ${user.email}` })),
  );
}
