import { weaker, whenChanged, whenLess } from '../../workflows/fields/weaker.js';
import Type from 'typebox';
import { type Expression } from '../../workflows/expressions/expression.js';
import {
  ExpressionError,
  TakesTooLong,
  TooManyLinked,
} from '../../workflows/expressions/expression-error.js';
import { expressionInput, type ActionContext } from '../action-context.js';
import { expressionIfAny, expressionsOf } from '../linked-reads.js';
import { checkCondition } from '../../workflows/model/check/formulas.js';
import { closedMapping, lineText } from '../../workflows/model/schema-parts.js';
import { requirementType, type Unmet } from '../requirement.js';

const condition = Type.Object(
  {
    when: Type.String({
      ...weaker(whenChanged),
      title: 'When',
      description:
        'A CEL expression that must be true, with task["Field"], task["Relationship"]["Field"], task["Relationship"].all(x, x["Field"] …), performer, today(), now(), overdue("clock"), add_days(date, n), days_between(a, b), round(x, places), min(a, b), max(a, b), abs(x), sum(list), matches(text, "pattern").',
      examples: ['task["Amount"] > 0', 'performer == "mina@acme.test"'],
    }),
    message: lineText({ title: 'Message', description: 'Shown if the expression is not true.' }),
  },
  {
    ...closedMapping,
    title: 'Condition',
    description: 'An expression, and the message that is shown if it is not true.',
  },
);

export const conditions = requirementType(
  Type.Array(condition, {
    ...weaker(whenLess),
    title: 'Conditions',
    description: 'Expressions that must be true. Each expression that is not true shows its message.',
    examples: [[{ when: 'task["Budget"] > 0', message: 'Budget must be positive' }]],
  }),
  {
    check(wanted, scope, report) {
      for (const condition of wanted) checkCondition(condition.when, scope, report.at(condition, 'when'));
    },
    expressions: expressionsOf,
    compile(wanted, schema) {
      const compiled = wanted.map(({ when, message }) => ({
        expression: expressionIfAny(schema, when),
        message,
      }));
      return (context) => compiled.flatMap(({ expression, message }) => unmet(expression, message, context));
    },
  },
);

const tooCostly = ' (the condition takes too long to evaluate)';

/**
 * A condition that throws or does not compile is unmet. A condition that reads a field for which the action
 * asks is not evaluated.
 */
function unmet(expression: Expression | undefined, message: string, context: ActionContext): Unmet[] {
  if (!expression) return [{ message, about: undefined }];
  if (context.asked && [...expression.fields].some((field) => context.asked?.has(field))) return [];
  const [about] = expression.fields;
  const because = (reason = ''): Unmet[] => [{ message: message + reason, about }];
  // This check comes first, because building an error for each of many conditions would take long.
  if (context.timeAllowed.isUsedUp) return because(tooCostly);
  try {
    const input = expressionInput(context, expression);
    return expression.evaluate(input, context.timeAllowed) === true ? [] : because();
  } catch (error) {
    if (error instanceof TakesTooLong) return because(tooCostly);
    if (error instanceof ExpressionError) return because(failureOf(error, expression));
    throw error;
  }
}

/** Returns why the evaluation failed. Omits values of linked tasks, because not every reader sees them. */
function failureOf(error: ExpressionError, { linked }: Expression): string {
  // A comparison with a blank value fails. Authors expect this case, and their message says what is missing.
  if (/\bnull\b/.test(error.message)) return '';
  const isTold = linked.size === 0 || error instanceof TooManyLinked;
  return ` (${isTold ? error.message : 'the condition cannot be evaluated'})`;
}
