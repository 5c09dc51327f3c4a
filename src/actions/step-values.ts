import { type SetDefinition, type SetValue } from '../workflows/model/schema-parts.js';
import { type Expression, type FactValue } from '../workflows/expressions/expression.js';
import { TooManyLinked } from '../workflows/expressions/expression-error.js';
import { compileTemplate, type Template, templateIfAny } from '../workflows/expressions/template.js';
import { type Output } from '../workflows/fields/field-type.js';
import { type ListedProperty } from '../workflows/fields/property.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { type JsonObject, type Json, toJson, JsonText } from '../../packages/exact-json/json.js';
import { toNfc } from '../../packages/exact-json/nfc.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { expressionInput, type ActionContext, type LinkedSubject } from './action-context.js';
import { expressionIfAny, expressionOf, readableInSteps } from './linked-reads.js';
import { emptyChange, type TaskChange } from '../workflows/fields/task-change.js';
import { type Asking, type Given, judgeGiven } from './given.js';

/** What the values of a step can read in addition to its task. */
interface Beside {
  readonly linked?: LinkedSubject;
  readonly body?: FactValue;
}

export function valuesOf(
  set: SetDefinition,
  { context }: { readonly context: ActionContext },
  beside: Beside = {},
): JsonObject {
  return new Map(Object.entries(set).map(([name, value]) => [name, inNfc(valueOf(value, context, beside))]));
}

/** Normalizes texts, because the concatenation of two NFC texts is not always in NFC. */
function inNfc(value: Json): Json {
  if (Array.isArray(value)) return value.map(inNfc);
  return typeof value === 'string' ? toNfc(value) : value;
}

function valueOf(value: SetValue, context: ActionContext, { linked, body }: Beside): Json {
  if (typeof value === 'string') return fromTemplate(value, context);
  if (!isFormula(value)) return toJson(value);
  const facts = body === undefined ? undefined : new Map([['body', body]]);
  const { schema } = context.scope.workflow;
  const expression = expressionOf(schema, value.expression, ...readableInSteps);
  return toJson(
    expression.evaluate(expressionInput(context, expression, linked, facts), context.timeAllowed),
  );
}

export function isFormula(value: SetValue): value is { expression: string } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Fills in a template. If it is only one reference, returns the referenced value with its type. */
function fromTemplate(text: string, context: ActionContext): Json {
  const template = compileTemplate(text);
  const [only] = template.parts;
  if (template.parts.length === 1 && typeof only === 'object' && !only.secret)
    return toJson(referredTo(only.name, context));
  return rendered(template, context);
}

/** Fills in a template. Values are written as in responses. */
export const renderText = (template: string, context: ActionContext): string =>
  toNfc(rendered(compileTemplate(template), context));

const rendered = (template: Template, context: ActionContext): string =>
  template.render(({ name }) => shown(referredTo(name, context)));

/** Returns the value to which a name in a template refers, as a response shows it. */
export function referredTo(name: string, { scope, task, linked }: ActionContext): Output {
  const { schema } = scope.workflow;
  const far = farReference(name, schema);
  const tasks = (far && linked.get(far.relationship)) ?? [];
  if (tasks instanceof TooManyLinked) throw tasks;
  const [other] = tasks;
  const output = far ? other && far.property?.serialize(other) : schema.byName.get(name)?.serialize(task);
  return output === undefined || output instanceof JsonText ? null : output;
}

/**
 * Parses a reference to a field of a linked task, such as `Flat.Address`. Returns undefined for other names.
 */
function farReference(name: string, { byName }: TaskSchema): FarReference | undefined {
  if (byName.has(name)) return undefined;
  for (let at = name.indexOf('.'); at > 0; at = name.indexOf('.', at + 1)) {
    const [relationship, field] = [name.slice(0, at), name.slice(at + 1)];
    const links = byName.get(relationship)?.links;
    if (links && !links.isMultiple) return { relationship, field, property: links.property(field) };
  }
  return undefined;
}

interface FarReference {
  readonly relationship: string;
  readonly field: string;
  readonly property: ListedProperty | undefined;
}

/**
 * Yields the expressions of a step. If a template or { field: … } names a field of a linked task, also yields
 * an expression that reads this field. Skips expressions that no longer compile; evaluating one throws.
 */
export function* readsOf(step: unknown, schema: TaskSchema): Generator<Expression> {
  for (const source of sourcesIn(step, schema, 'far')) {
    const expression = expressionIfAny(schema, source, ...readableInSteps);
    if (expression) yield expression;
  }
}

/**
 * Yields the text of each expression in `part`, and an expression for each name in its templates. With `far`,
 * a name counts only if it refers to a field of a linked task.
 */
export function* sourcesIn(
  part: unknown,
  schema: TaskSchema,
  names: 'far' | 'all',
  key?: string,
): Generator<string> {
  if (typeof part === 'string') {
    for (const name of key === 'field' ? [part] : namesIn(part)) {
      const far = farReference(name, schema);
      if (far) yield `task[${JSON.stringify(far.relationship)}][${JSON.stringify(far.field)}]`;
      else if (names === 'all') yield `task[${JSON.stringify(name)}]`;
    }
    if (key === 'when' || key === 'expression') yield part;
  } else if (typeof part === 'object' && part !== null)
    for (const [name, each] of Object.entries(part)) yield* sourcesIn(each, schema, names, name);
}

const namesIn = (text: string): Iterable<string> =>
  text.includes('{{') ? (templateIfAny(text)?.names ?? []) : [];

export function shown(output: Output): string {
  if (output === null) return '';
  if (typeof output === 'string' || typeof output === 'boolean') return String(output);
  if (Array.isArray(output)) return (output as readonly Output[]).map(shown).join(', ');
  const { filename } = output as { readonly filename?: Output };
  return shown(filename ?? null);
}

/** Returns the change that `given` makes. Ignores removed fields; throws for an invalid value of a `set`. */
export async function changeOfGiven(
  context: ActionContext,
  action: Asking,
  given: Given | null,
): Promise<TaskChange> {
  const { scope, task } = context;
  if (given && 'set' in given) return judgeGiven(scope, action, valuesOf(given.set, { context }), task);
  const { schema } = scope.workflow;
  const change = emptyChange(schema, 'action');
  const there = new Set(schema.properties.map(({ fieldId }) => fieldId));
  for (const [id, value] of Object.entries(given?.values ?? {}))
    if (there.has(id) && value === null) change.blank.add(id);
    else if (there.has(id) && value !== null) change.set.set(id, value);
  return change;
}

export function expressionsOfGiven(given: Given | null, { schema }: Workflow): Iterable<Expression> {
  return given && 'set' in given ? readsOf(given.set, schema) : [];
}
