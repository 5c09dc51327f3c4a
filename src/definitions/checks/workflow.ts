import { checkActions } from './actions.js';
import { checkChecklist } from './checklist.js';
import { checkFields } from './fields.js';
import { checkMembers } from './members.js';
import { checkName } from './names.js';
import { type Report } from './report.js';
import { checkRoles } from './roles.js';
import { type WorkflowScope } from './scope.js';
import { checkStages } from './stages.js';

/** Reports everything that is wrong with one workflow. */
export function checkWorkflow(scope: WorkflowScope, report: Report): void {
  checkName(scope.workflow, 'name', scope.workflow.name, report);
  for (const check of [checkStages, checkFields, checkChecklist, checkRoles, checkMembers, checkActions]) {
    check(scope, report);
  }
}
