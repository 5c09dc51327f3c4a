import { fieldTypes } from '../../schema/field-types.js';
import { Invalid } from '../../schema/invalid.js';
import { type UserDefinition } from '../definition.js';
import { checkDistinct, checkName } from './names.js';
import { type Report } from './report.js';
import { type WorkspaceScope } from './scope.js';

/** Reports what is wrong with the users. */
export function checkUsers(
  { definition: { users }, users: directory }: WorkspaceScope,
  report: Report,
): void {
  for (const user of users) {
    const parsed = fieldTypes.get('email')?.parse(user.email, { users: directory });
    if (parsed instanceof Invalid) report(user, 'email', parsed.message);
    checkPersonalNames(user, report);
  }
  const emails = users.map((holder) => ({ holder, key: 'email', text: holder.email.toLowerCase() }));
  checkDistinct(emails, 'is the e-mail of another user', report);
}

function checkPersonalNames(user: UserDefinition, report: Report): void {
  for (const key of ['first_name', 'last_name'] as const) {
    const name = user[key];
    if (name !== null) checkName(user, key, name, report);
  }
}
