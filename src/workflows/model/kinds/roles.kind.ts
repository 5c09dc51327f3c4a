import { weaker, whenMore } from '../../fields/weaker.js';
import { startedByRules } from '../action-definition.js';
import { checkName } from '../check/kit.js';
import { kind } from '../kind.js';
import { role } from '../role-definition.js';
import { listSetting } from '../schema-parts.js';

/** Removing all roles makes the definition weaker: every user may then do everything. */
const whenNone = (_: unknown, after: unknown): boolean => !whenMore([], after);

export const roles = kind({
  name: 'role',
  list: 'roles',
  of: 'workflow',
  key: ['id'],
  schema: listSetting(role, {
    ...weaker(whenNone),
    title: 'Roles',
    description: 'Without roles, every user of the workspace may do everything.',
    maxItems: 200,
  }),
  check(one, { workflow }, report) {
    checkName(one.name, report.at(one, 'name'));
    const byRules = new Set(workflow.actions.flatMap(({ id, start }) => (start === 'by_rules' ? id : [])));
    one.actions.forEach((action, index) => {
      if (byRules.has(action)) report(one.actions, index, `${startedByRules}, and by no role: ${action}`);
    });
  },
});
