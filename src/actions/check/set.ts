import { changeableBuiltIns } from '../../workflows/fields/properties/built-ins.js';
import { excerpt } from '../../common/wording.js';
import { type Fact } from '../../workflows/expressions/scope.js';
import { fieldTypes, isNumbered, storageOf } from '../../workflows/fields/field-types.js';
import { type FieldDefinition } from '../../workflows/model/field-definition.js';
import { type SetDefinition, type SetValue } from '../../workflows/model/schema-parts.js';
import { isFormula } from '../step-values.js';
import {
  checkExpression,
  checkTemplate,
  looksLikeExpression,
  type OtherScope,
} from '../../workflows/model/check/formulas.js';
import {
  checkField,
  checkStage,
  checkUser,
  type Report,
  type Tell,
  type WorkflowScope,
  checkValue,
} from '../../workflows/model/check/kit.js';
import { english } from '../../common/message.js';
import { isBlankText } from '../../common/text.js';

/** Reports errors in the values that a step sets on its own task. Expressions may also read `facts`. */
export function checkOwnSet(
  set: SetDefinition,
  own: WorkflowScope,
  report: Report,
  facts?: readonly Fact[],
): void {
  const scope = { own, target: own, exists: true, other: facts && { facts } };
  for (const name of Object.keys(set)) {
    const refusal = elsewhere.get(name);
    if (refusal === undefined) checkSetting(set, name, scope, report);
    else report(set, name, refusal);
  }
}

const elsewhere: ReadonlyMap<string, string> = new Map([
  ['Stage', 'is set by a step of type move_to_stage'],
  ['Assigned To', 'is set by a step of type assign'],
]);

/** The task whose values are set, and the data that the values may read. */
interface SetScope {
  /** The workflow of the task that the values read. */
  readonly own: WorkflowScope;
  /** The workflow of the task whose values are set. */
  readonly target: WorkflowScope;
  /** False if the values are those of a new task. */
  readonly exists: boolean;
  /** What expressions may read in addition to the task. */
  readonly other?: OtherScope | undefined;
  /** Whether expressions and templates have no task to read. */
  readonly hasNoTask?: true;
}

/** Reports errors in the values of an existing or new task. */
export function checkSet(set: SetDefinition, scope: SetScope, report: Report): void {
  for (const name of Object.keys(set)) checkSetting(set, name, scope, report);
}

/** Returns the required fields that a new task with these values would leave blank. */
export function fieldsLeftOut(
  set: Readonly<Record<string, unknown>>,
  { workflow }: WorkflowScope,
): FieldDefinition[] {
  return workflow.fields.filter((field) => {
    const given = Object.hasOwn(set, field.name) ? set[field.name] : field.default;
    const isFilled = isNumbered(field) || fieldTypes.get(field.type)?.blank === false;
    return field.required && !isFilled && ((given ?? null) === null || isBlankText(given));
  });
}

export function checkRequired(
  holder: object,
  key: string,
  set: SetDefinition,
  scope: WorkflowScope,
  report: Report,
): void {
  // Ignores file fields, which no step can set. The execution reports missing files.
  for (const { name } of fieldsLeftOut(set, scope).filter(({ type }) => storageOf(type) !== 'blobs'))
    report(holder, key, leftOut(name, scope));
}

export const leftOut = (field: string, { workflow: { id } }: WorkflowScope): string =>
  `leaves out ${field}, which is required for tasks of workflow ${id}`;

function checkSetting(set: SetDefinition, name: string, scope: SetScope, report: Report): void {
  const { target, exists } = scope;
  const value = set[name] ?? null;
  const isConstant = checkReads(value, scope, report.at(set, name), report);
  const field = target.fields.get(name);
  if (!field && !changeableBuiltIns.has(name)) checkField(name, target, report.at(set, name));
  else if (field && storageOf(field.type) === 'blobs')
    report(set, name, 'is a file field, which a step cannot set');
  else if (exists && field?.editable === false) report(set, name, isFixed);
  else if (isConstant && !isFormula(value)) checkConstantSetting(value, name, target, report.at(set, name));
}

/** Reports errors in an expression or a template; returns whether the value is a constant. */
function checkReads(
  value: SetValue,
  { own, other, hasNoTask }: SetScope,
  tell: Tell,
  report: Report,
): boolean {
  if (isFormula(value)) {
    const tellOfFormula = report.at(value, 'expression');
    const expression = checkExpression(value.expression, own, tellOfFormula, other);
    if (hasNoTask && expression && expression.fields.size + expression.linked.size > 0)
      tellOfFormula(`reads a task, but there is none yet: read ${other?.facts?.join(' or ')}`);
    return false;
  }
  if (typeof value !== 'string' || hasNoTask) return true;
  const template = checkTemplate(value, own, tell);
  return template !== undefined && template.names.size + template.secrets.size === 0;
}

const isFixed =
  'is a field with editable: false, which nothing can change after the task is created. If only actions may change the field, write change: by_actions in its definition instead';

/** Reports why a constant is invalid. Suggests an expression if the constant looks like one. */
function checkConstantSetting(value: Constant, name: string, target: WorkflowScope, tell: Tell): void {
  const isMeant = typeof value === 'string' && looksLikeExpression(value);
  const hint = isMeant ? `: if it is an expression, write { expression: '${excerpt(value)}' }` : '';
  checkConstant(value, name, target, (message) => {
    tell(english(message) + hint);
  });
}

type Constant = Exclude<SetValue, { expression: string }>;

/** Reports why a constant is not a valid value of a field or a built-in key. */
export function checkConstant(value: Constant, name: string, target: WorkflowScope, tell: Tell): void {
  const field = target.fields.get(name);
  if (field) checkValue(value, field, target.workspace.users, tell);
  else if (name === 'Stage')
    if (typeof value === 'string') checkStage(value, target, tell);
    else tell('is not the name of a stage');
  else if (value !== null && !isBlankText(value))
    if (typeof value === 'string') checkUser(value, target.workspace, tell);
    else tell('is not the e-mail of a user');
}
