import { compileExpression, type Expression } from '../../expressions/compile-expression.js';
import { ExpressionError } from '../../expressions/expression-error.js';
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
    ((situation) =>
      compiled.filter(({ expression }) => !holds(expression, situation)).map(({ message }) => message))
  );
};

/** A condition that raises is not met. */
function holds(expression: Expression, situation: Situation): boolean {
  try {
    return expression.evaluate(expressionInput(situation, expression.fields)) === true;
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}
