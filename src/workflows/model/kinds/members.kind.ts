import { MemberEntity } from '../entities/member.entity.js';
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
  rows: {
    entity: MemberEntity,
    spec: ({ userId, roleId, furtherRoleIds: further }: MemberEntity, nameOf) => ({
      email: nameOf('user', userId),
      role: further.length === 0 ? roleId : [roleId, ...further],
    }),
    columns: (one, idOf) => {
      const [roleId = '', ...furtherRoleIds] = rolesNamed(one);
      return { userId: idOf('user', one.email), roleId, furtherRoleIds };
    },
  },
  check(one, _within, report) {
    const { role } = one;
    const uses = rolesNamed(one).map((text, index): Use =>
      typeof role === 'string' ? { holder: one, key: 'role', text } : { holder: role, key: index, text },
    );
    checkDistinct(uses, 'is already named', report);
  },
});
