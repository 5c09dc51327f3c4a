import { weaker, whenMore } from '../../fields/weaker.js';
import { checkDistinct, type Use } from '../check/kit.js';
import { kind } from '../kind.js';
import { member, rolesNamed } from '../role-definition.js';
import { listSetting } from '../schema-parts.js';

export const members = kind({
  name: 'member',
  list: 'members',
  of: 'workflow',
  key: ['email'],
  schema: listSetting(member, {
    ...weaker(whenMore),
    title: 'Members',
    description: 'The users who hold roles; one entry for each user.',
  }),
  check(one, _within, report) {
    const { role } = one;
    const uses = rolesNamed(one).map((text, index): Use =>
      typeof role === 'string' ? { holder: one, key: 'role', text } : { holder: role, key: index, text },
    );
    checkDistinct(uses, 'is already named', report);
  },
});
