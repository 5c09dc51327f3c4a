import { UserEntity } from '../entities/user.entity.js';
import { randomId } from '../../../common/random-id.js';
import { startOfDay } from '../../../common/calendar.js';
import { email } from '../../fields/types/email.js';
import { Invalid } from '../../fields/invalid.js';
import { weaker, whenMore } from '../../fields/weaker.js';
import { checkName, type Report } from '../check/kit.js';
import { kind } from '../kind.js';
import { tableOf } from '../stored-rows.js';
import { listSetting } from '../schema-parts.js';
import { user, type UserDefinition } from '../user-definition.js';

export const users = kind({
  name: 'user',
  list: 'users',
  of: 'workspace',
  key: ['email'],
  schema: listSetting(user, {
    ...weaker(whenMore),
    title: 'Users',
    description: 'People of the workspace, identified by e-mail. The case of an e-mail is ignored.',
    maxItems: 20_000,
  }),
  rows: tableOf({
    entity: UserEntity,
    newId: () => randomId('u'),
    columns: {
      email: 'email',
      first_name: 'firstName',
      last_name: 'lastName',
      active: 'active',
      away: { in: 'away', absent: null },
    },
  }),
  check(one, { users: directory }, report) {
    const parsed = email.parse(one.email, { users: directory });
    if (parsed instanceof Invalid) report(one, 'email', parsed.message);
    for (const key of ['first_name', 'last_name'] as const) {
      const name = one[key];
      if (name !== null) checkName(name, report.at(one, key));
    }
    if (one.away) checkAbsence(one.away, one.email, report);
  },
});

/** Reports invalid days of an absence, and a deputy who is the absent user. */
function checkAbsence(away: NonNullable<UserDefinition['away']>, email: string, report: Report): void {
  const wrong = (['from', 'until'] as const).filter((key) => !startOfDay(away[key]));
  for (const key of wrong) report(away, key, 'is not a date such as 2026-12-24');
  if (wrong.length === 0 && away.from >= away.until) report(away, 'until', 'is not after the first day away');
  if (away.to.toLowerCase() === email.toLowerCase()) report(away, 'to', 'is the user who is away');
}
