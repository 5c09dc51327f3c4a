import { type StepDefinition, type StepType } from '../step-definition.js';
import { stepKinds, type StepKinds } from '../step-kinds.js';
import { checkName } from './names.js';
import { type Report } from './report.js';
import { type WorkflowScope } from './scope.js';

/** Reports what is wrong with the steps of an action. */
export function checkSteps(steps: readonly StepDefinition[], scope: WorkflowScope, report: Report): void {
  for (const step of steps) {
    checkName(step, 'name', step.name, report);
    checkStep(step.type, step, scope, report);
  }
  for (const step of steps.slice(0, -1).filter(({ type }) => type === 'delete_task')) {
    report(step, 'type', 'may only come last');
  }
}

function checkStep<T extends StepType>(
  type: T,
  step: StepDefinition<T>,
  scope: WorkflowScope,
  report: Report,
): void {
  const kind: StepKinds[T] = stepKinds[type];
  kind.check(step, scope, report);
}
