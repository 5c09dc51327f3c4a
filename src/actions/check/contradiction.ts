import { compileExpression } from '../../workflows/expressions/expression.js';
import { ExpressionError } from '../../workflows/expressions/expression-error.js';
import { noLinks } from '../../workflows/expressions/scope.js';
import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';

/** A field that has one of these values whenever the expression is evaluated. */
export interface KnownValue {
  readonly field: string;
  readonly values: readonly (string | boolean | null)[];
}

export function warnOfContradiction(
  holder: { readonly when?: string },
  known: KnownValue | undefined,
  scope: WorkflowScope,
  report: Report,
): void {
  const { when = '' } = holder;
  // Without `||` and `?`, one false part makes the whole expression false.
  const parts = /\|\||\?/.test(when) ? [when] : when.split('&&');
  if (known && parts.some((part) => isNeverTrue(part, known, scope)))
    report(holder, 'when', `is never true: ${known.field} is ${known.values.join(' or ')} here`, 'warning');
}

function isNeverTrue(
  source: string,
  { field, values }: KnownValue,
  { stages, fields: all }: WorkflowScope,
): boolean {
  if (values.length === 0 || !source.includes(field) || /\b(?:performer|today|now|overdue)\b/.test(source))
    return false;
  try {
    const expression = compileExpression(source, noLinks);
    const { fields, linked, comparisons } = expression;
    if (linked.size > 0 || fields.size !== 1 || !fields.has(field)) return false;
    const among = field === 'Stage' ? [...stages] : all.get(field)?.['options'];
    // Misspelt texts are reported elsewhere.
    if (Array.isArray(among) && comparisons.some(({ texts }) => texts.some((text) => !among.includes(text))))
      return false;
    return values.every((value) => {
      const task = new Map([[field, value]]);
      return expression.evaluate({ task, performer: null, today: '', now: '' }) === false;
    });
  } catch (error) {
    if (error instanceof ExpressionError) return false;
    throw error;
  }
}
