import { changeableBuiltIns } from '../../workflows/fields/properties/built-ins.js';
import { excerpt } from '../../common/wording.js';
import { type Fact } from '../../workflows/expressions/scope.js';
import { fieldTypes, isNumbered, storageOf } from '../../workflows/fields/field-types.js';
import { type FieldDefinition } from '../../workflows/model/field-definition.js';
import { type SetDefinition, type SetValue } from '../../workflows/model/schema-parts.js';
import { isFormula } from '../step-values.js';
import { misfit, resultOf, type Variable } from './fits.js';
import {
  checkExpression,
  checkTemplate,
  looksLikeExpression,
  type OtherScope,
  warnOfTemplate,
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
import { english, type Message } from '../../common/message.js';
import { isBlankText } from '../../common/text.js';

/** Reports faults in the values that a step of `own` sets on its own task. Expressions may also read these facts. */
export function checkOwnSet(
  set: SetDefinition,
  own: WorkflowScope,
  report: Report,
  facts?: readonly Fact[],
): void {
  const scope = { own, target: own, exists: true, other: facts && { facts } };
  for (const [name, value] of Object.entries(set)) {
    const setting = readSetting(set, name, value, scope, report);
    const refusal = elsewhere.get(name);
    if (refusal !== undefined) report(set, name, refusal);
    else checkSetting(set, name, setting, scope, report);
    const [only, ...others] = setting.values;
    const isSame = only?.is === 'field' && only.name === name && others.length === 0;
    if (isSame) setting.tell(same, 'warning');
  }
}

const same = 'sets the value that the field already has: set another value, or omit it';

const elsewhere: ReadonlyMap<string, string> = new Map([
  ['Stage', 'is set by a step of type move_to_stage'],
  ['Assigned To', 'is set by a step of type assign'],
]);

export function warnOfEmptySet(step: { readonly set: SetDefinition }, report: Report): void {
  if (Object.keys(step.set).length === 0)
    report(step, 'set', 'sets nothing: name the fields to set, or remove the step', 'warning');
}

/** Where a set of values applies, and what the values may read. */
interface SetScope {
  /** The workflow of the task that the values read. */
  readonly own: WorkflowScope;
  /** The workflow of the task whose values are set. */
  readonly target: WorkflowScope;
  /** Whether the tasks exist already. */
  readonly exists: boolean;
  /** What expressions may read besides the task. */
  readonly other?: OtherScope | undefined;
  /** Whether there is no task that expressions and templates could read. */
  readonly hasNoTask?: true;
}

/** Reports faults in the values of an existing or new task. */
export function checkSet(set: SetDefinition, scope: SetScope, report: Report): void {
  for (const [name, value] of Object.entries(set))
    checkSetting(set, name, readSetting(set, name, value, scope, report), scope, report);
}

/** The required fields that a new task with these values leaves blank. */
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
  // No step can set files, so the execution reports missing ones.
  for (const { name } of fieldsLeftOut(set, scope).filter(({ type }) => storageOf(type) !== 'blobs'))
    report(holder, key, leftOut(name, scope));
}

export const leftOut = (field: string, { workflow: { id } }: WorkflowScope): string =>
  `leaves out ${field}, which is required for tasks of workflow ${id}`;

/** What a set gives one key: all values that this can be, and how to report on them. */
interface Setting {
  readonly tell: Tell;
  /** Whether an expression gives the values. */
  readonly isComputed: boolean;
  readonly values: readonly (Constant | Variable)[];
}

interface Constant {
  readonly is: 'constant';
  readonly value: Exclude<SetValue, { expression: string }>;
}

function readSetting(
  set: SetDefinition,
  name: string,
  value: SetValue,
  { own, other, hasNoTask }: SetScope,
  report: Report,
): Setting {
  if (isFormula(value)) {
    const tell = report.at(value, 'expression');
    const expression = checkExpression(value.expression, own, tell, other);
    if (hasNoTask && expression && expression.fields.size + expression.linked.size > 0)
      tell(`reads a task, but there is none yet: read ${other?.facts?.join(' or ')}`);
    return { tell, isComputed: true, values: expression?.results ?? [] };
  }
  const values: Setting['values'] = [{ is: 'constant', value }];
  const tell = report.at(set, name);
  const constant = { tell, isComputed: false, values };
  if (typeof value !== 'string') return constant;
  if (hasNoTask) {
    warnOfTemplate(value, tell);
    return constant;
  }
  const template = checkTemplate(value, own, tell);
  if (!template || template.secrets.size > 0) return { ...constant, values: [] };
  return template.names.size === 0 ? constant : { ...constant, values: [resultOf(template)] };
}

function checkSetting(
  set: SetDefinition,
  name: string,
  setting: Setting,
  { own, target, exists }: SetScope,
  report: Report,
): void {
  const field = target.fields.get(name);
  if (!field && !changeableBuiltIns.has(name)) checkField(name, target, report.at(set, name));
  else if (field && storageOf(field.type) === 'blobs')
    report(set, name, 'is a file field, which a step cannot set');
  else if (exists && field?.editable === false) report(set, name, isFixed);
  else
    for (const result of setting.values) {
      const message = result.is === 'constant' ? undefined : misfit(result, own, name, target);
      if (result.is === 'constant') checkConstantSetting(result, setting, name, target);
      else if (message !== undefined) setting.tell(message);
    }
}

const isFixed =
  'is a field with editable: false, which nothing can change once its task exists; write change: by_actions there instead, so that only actions change it';

/** Reports why a constant cannot be set, and warns if it was probably meant as an expression. */
function checkConstantSetting(
  { value }: Constant,
  { tell, isComputed }: Setting,
  name: string,
  target: WorkflowScope,
): void {
  const isMeant = !isComputed && typeof value === 'string' && looksLikeExpression(value);
  const said = isComputed ? `may give ${excerpt(String(value))}, which ` : '';
  const hint = isMeant ? `: if it is an expression, write { expression: '${excerpt(value)}' }` : '';
  const refusals: Message[] = [];
  checkConstant(value, name, target, (message) => refusals.push(message));
  for (const message of refusals) tell(said + english(message) + hint);
  if (refusals.length === 0 && isMeant) tell(`is set unchanged${hint}`, 'warning');
}

/** Reports why a field or another key of a task cannot have this value. */
export function checkConstant(
  value: Constant['value'],
  name: string,
  target: WorkflowScope,
  tell: Tell,
): void {
  const field = target.fields.get(name);
  if (field) checkValue(value, field, target.workspace.users, tell);
  else if (name === 'Stage')
    if (typeof value === 'string') checkStage(value, target, tell);
    else tell('is not the name of a stage');
  else if (value !== null && !isBlankText(value))
    if (typeof value === 'string') checkUser(value, target.workspace, tell);
    else tell('is not the e-mail of a user');
}
