import { type SetDefinition, type SetValue } from '../definitions/step-definition.js';
import { compileExpression } from '../expressions/compile-expression.js';
import { compileTemplate } from '../expressions/template.js';
import { type Output } from '../schema/field-type.js';
import { type JsonObject, type Json, toJson } from '../schema/json.js';
import { JsonText } from '../schema/json-text.js';
import { expressionInput } from './expression-input.js';
import { type Run } from './run.js';
import { type Situation } from './situation.js';

/** The values that a step sets, by the names of fields, as a payload would hold them. */
export function valuesOf(set: SetDefinition, { situation }: Run): JsonObject {
  return new Map(Object.entries(set).map(([name, value]) => [name, valueOf(value, situation)]));
}

function valueOf(value: SetValue, situation: Situation): Json {
  if (typeof value === 'string') return fromTemplate(value, situation);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return toJson(value);
  const expression = compileExpression(value.expression);
  return toJson(expression.evaluate(expressionInput(situation, expression.fields), situation.allowance));
}

/** A template that is one reference and nothing else keeps the kind of what it refers to. */
function fromTemplate(text: string, situation: Situation): Json {
  const template = compileTemplate(text);
  const [only] = template.parts;
  if (template.parts.length === 1 && typeof only === 'object' && !only.secret)
    return toJson(referredTo(only.name, situation));
  return template.render(({ name }) => shown(referredTo(name, situation)));
}

/** What a name stands for in a template: as a response shows it. */
export function referredTo(name: string, { workflow, task }: Situation): Output {
  const output = workflow.schema.byName.get(name)?.serialize(task) ?? null;
  return output instanceof JsonText ? null : output;
}

/** A value within a text. */
export function shown(output: Output): string {
  if (output === null) return '';
  if (typeof output === 'string' || typeof output === 'boolean') return String(output);
  if (Array.isArray(output)) return (output as readonly Output[]).map(shown).join(', ');
  const { filename } = output as { readonly filename?: Output };
  return shown(filename ?? null);
}
