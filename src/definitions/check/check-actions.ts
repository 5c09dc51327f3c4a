import { type ActionDefinition, type StepDefinition } from '../../workspace/definition.js';
import {
  checkDistinct,
  checkName,
  checkStage,
  type Report,
  type WorkflowScope,
} from '../../workspace/check/kit.js';
import { wantedRequirements } from '../../actions/requirement-types.js';
import { stepTypes } from '../../actions/step-types.js';

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
  for (const [, type, wanted] of wantedRequirements(action.requirements)) type.check?.(wanted, scope, report);
  checkSteps(action.steps, scope, report);
}

/** Reports what is wrong with the steps of an action. */
function checkSteps(steps: readonly StepDefinition[], scope: WorkflowScope, report: Report): void {
  for (const step of steps) {
    checkName(step, 'name', step.name, report);
    stepTypes.get(step.type)?.check?.(step, scope, report);
  }
  for (const step of steps.slice(0, -1).filter(({ type }) => stepTypes.get(type)?.isLast)) {
    report(step, 'type', 'may only come last');
  }
}
