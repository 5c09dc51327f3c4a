import { compileExpression, type Expression } from '../../expressions/compile-expression.js';
import { ExpressionError, TooCostly } from '../../expressions/expression-error.js';
import { expressionInput } from '../expression-input.js';
import { type RequirementType } from '../requirement.js';
import { type Situation } from '../situation.js';

/** Custom conditions, each with a message of its own. */
export const conditions: RequirementType = (wanted) => {
  const compiled = wanted.conditions?.map(({ when, message }) => ({
    expression: compileExpression(when),
    message,
  }));
  return (
    compiled &&
    ((situation) => compiled.flatMap(({ expression, message }) => unmet(expression, message, situation)))
  );
};

/** A condition that raises is not met; of one that was given up, it is said why. */
function unmet(expression: Expression, message: string, situation: Situation): string[] {
  try {
    const input = expressionInput(situation, expression.fields);
    return expression.evaluate(input, situation.allowance) === true ? [] : [message];
  } catch (error) {
    if (error instanceof TooCostly) return [`${message} (the condition takes too long to evaluate)`];
    if (error instanceof ExpressionError) return [message];
    throw error;
  }
}
