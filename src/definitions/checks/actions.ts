import { type ActionDefinition } from '../definition.js';
import { checkDistinct, checkName } from './names.js';
import { checkStage } from './references.js';
import { type Report } from './report.js';
import { checkRequirements } from './requirements.js';
import { type WorkflowScope } from './scope.js';
import { checkSteps } from './steps.js';

/** Reports what is wrong with the actions of a workflow. */
export function checkActions(scope: WorkflowScope, report: Report): void {
  const { actions } = scope.workflow;
  for (const action of actions) checkAction(action, scope, report);
  const ids = actions.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another action', report);
  const names = actions.map((holder) => ({ holder, key: 'name', text: holder.name }));
  checkDistinct(names, 'is the name of another action', report);
}

function checkAction(action: ActionDefinition, scope: WorkflowScope, report: Report): void {
  checkName(action, 'name', action.name, report);
  action.stages.forEach((stage, index) => {
    checkStage(action.stages, index, stage, scope, report);
  });
  checkRequirements(action.requirements, scope, report);
  checkSteps(action.steps, scope, report);
}
