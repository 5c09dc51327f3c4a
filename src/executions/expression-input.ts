import { decimal } from '../expressions/decimal.js';
import { type ExpressionInput, type ExpressionValue } from '../expressions/compile-expression.js';
import { type Output } from '../schema/field-type.js';
import { JsonText } from '../schema/json-text.js';
import { type Situation } from './situation.js';

/** What an expression sees of a situation: these fields of the task, numbers as decimals, attachments by their names. */
export function expressionInput(
  { workflow: { schema }, task, performer, today }: Situation,
  fields: ReadonlySet<string>,
): ExpressionInput {
  const values = new Map<string, ExpressionValue>();
  for (const name of fields) {
    const property = schema.byName.get(name);
    const output = property?.serialize(task) ?? null;
    if (output instanceof JsonText) continue;
    const isNumber = property?.filter?.order.by === 'number';
    values.set(name, isNumber && typeof output === 'string' ? decimal(output) : valueOf(output));
  }
  return { task: values, performer: performer?.email ?? null, today };
}

function valueOf(output: Output): ExpressionValue {
  if (output === null || typeof output === 'string' || typeof output === 'boolean') return output;
  if (Array.isArray(output)) return (output as readonly Output[]).map(valueOf);
  const { filename } = output as { readonly filename?: Output };
  return typeof filename === 'string' ? filename : null;
}
