import { type ConditionDefinition, type RequirementsDefinition } from '../definition.js';
import { checkExpression } from './formulas.js';
import { checkField } from './references.js';
import { type Report } from './report.js';
import { type WorkflowScope } from './scope.js';

/** Reports what is wrong with the requirements of an action. */
export function checkRequirements(
  requirements: RequirementsDefinition,
  scope: WorkflowScope,
  report: Report,
): void {
  const { required_fields = [], conditions = [] } = requirements;
  required_fields.forEach((name, index) => {
    checkField(required_fields, index, name, scope, report);
  });
  for (const condition of conditions) checkCondition(condition, scope, report);
}

function checkCondition(condition: ConditionDefinition, scope: WorkflowScope, report: Report): void {
  const type = checkExpression(condition, 'when', condition.when, scope, report)?.type;
  if (type !== undefined && type !== 'bool') {
    report(condition, 'when', `is not a condition: its result is of type ${type}`);
  }
}
