import { checkDistinct, checkName } from './names.js';
import { type Report } from './report.js';
import { type WorkflowScope } from './scope.js';

/** Reports what is wrong with the roles of a workflow. */
export function checkRoles({ workflow: { id, roles, actions } }: WorkflowScope, report: Report): void {
  const known = new Set(actions.map((action) => action.id));
  for (const role of roles) {
    checkName(role, 'name', role.name, report);
    role.actions.forEach((action, index) => {
      if (!known.has(action)) report(role.actions, index, `is not an action of workflow ${id}: ${action}`);
    });
  }
  const ids = roles.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another role', report);
}
