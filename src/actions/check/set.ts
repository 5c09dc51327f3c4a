import { changeableBuiltIns } from '../../workflows/fields/properties/built-ins.js';
import { excerpt } from '../../common/wording.js';
import { type Fact } from '../../workflows/expressions/scope.js';
import { fieldTypes, isNumbered, storageOf } from '../../workflows/fields/field-types.js';
import { type SetDefinition, type SetValue } from '../../workflows/model/schema-parts.js';
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
  type WorkflowScope,
  checkValue,
} from '../../workflows/model/check/kit.js';
import { english } from '../../common/message.js';
import { isBlankText } from '../../common/text.js';

/** Reports faults in the values that a step of `own` sets on its own task. Expressions may also read these facts. */
export function checkOwnSet(
  set: SetDefinition,
  own: WorkflowScope,
  report: Report,
  facts?: readonly Fact[],
): void {
  for (const [name, value] of Object.entries(set)) {
    const found = checkFormula(set, name, value, own, report, facts && { facts });
    const refusal = elsewhere.get(name);
    if (refusal !== undefined) report(set, name, refusal);
    else checkSetting({ set, name, own, target: own, exists: true, report }, found);
    const [only, ...others] = found.values;
    if (only?.is === 'field' && only.name === name && others.length === 0)
      report(
        found.holder,
        found.key,
        'sets the value that the field already has: set another value, or omit it',
        'warning',
      );
  }
}

const elsewhere: ReadonlyMap<string, string> = new Map([
  ['Stage', 'is set by a step of type move_to_stage'],
  ['Assigned To', 'is set by a step of type assign'],
]);

export function warnOfEmptySet(step: { readonly set: SetDefinition }, report: Report): void {
  if (Object.keys(step.set).length === 0)
    report(step, 'set', 'sets nothing: name the fields to set, or remove the step', 'warning');
}

/** Reports faults in the values that a step of `own` sets on existing or new tasks of `target`. */
export function checkLinkedSet(
  set: SetDefinition,
  own: WorkflowScope,
  target: WorkflowScope,
  report: Report,
  hasLinked: boolean,
): void {
  for (const [name, value] of Object.entries(set)) {
    const linked = { name: 'linked', workflow: target } as const;
    const found = checkFormula(set, name, value, own, report, hasLinked ? linked : undefined);
    checkSetting({ set, name, own, target, exists: hasLinked, report }, found);
  }
}

/** Reports faults in the values of a new task whose expressions read these facts only. */
export function checkNewSet(
  set: SetDefinition,
  own: WorkflowScope,
  report: Report,
  facts: readonly Fact[],
): void {
  for (const [name, value] of Object.entries(set)) {
    if (typeof value === 'string') warnOfTemplate(set, name, value, report);
    const found = checkFactual(set, name, value, own, report, facts);
    checkSetting({ set, name, own, target: own, exists: false, report }, found);
  }
}

function checkFactual(
  set: SetDefinition,
  name: string,
  value: SetValue,
  own: WorkflowScope,
  report: Report,
  facts: readonly Fact[],
): Found {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { holder: set, key: name, giving: false, values: [{ is: 'constant', value }] };
  const expression = checkExpression(value, 'expression', value.expression, own, report, { facts });
  if (expression && expression.fields.size + expression.linked.size > 0)
    report(value, 'expression', `reads a task, but there is none yet: read ${facts.join(' or ')}`);
  return { holder: value, key: 'expression', giving: true, values: expression?.results ?? [] };
}

export function checkRequired(
  holder: object,
  key: string,
  set: SetDefinition,
  { workflow }: WorkflowScope,
  report: Report,
): void {
  for (const field of workflow.fields) {
    const { name, type, required } = field;
    // No step can set files, so the execution reports missing ones.
    const isFilled =
      isNumbered(field) || fieldTypes.get(type)?.blank === false || storageOf(type) === 'blobs';
    if (!required || isFilled || !isBlank(Object.hasOwn(set, name) ? set[name] : field.default)) continue;
    report(holder, key, `leaves out ${name}, which is required for tasks of workflow ${workflow.id}`);
  }
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || isBlankText(value);
}

interface Found {
  readonly holder: object;
  readonly key: string;
  /** Whether the values come from expressions. */
  readonly giving: boolean;
  readonly values: readonly (Constant | Variable)[];
}

interface Constant {
  readonly is: 'constant';
  readonly value: Exclude<SetValue, { expression: string }>;
}

function checkFormula(
  set: SetDefinition,
  name: string,
  value: SetValue,
  own: WorkflowScope,
  report: Report,
  other?: OtherScope,
): Found {
  const itself = { holder: set, key: name, giving: false };
  if (typeof value === 'string') {
    const template = checkTemplate(set, name, value, own, report);
    if (!template || template.secrets.size > 0) return { ...itself, values: [] };
    return {
      ...itself,
      values: [template.names.size === 0 ? { is: 'constant', value } : resultOf(template)],
    };
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { ...itself, values: [{ is: 'constant', value }] };
  const expression = checkExpression(value, 'expression', value.expression, own, report, other);
  return { holder: value, key: 'expression', giving: true, values: expression?.results ?? [] };
}

interface Setting {
  readonly set: SetDefinition;
  readonly name: string;
  readonly own: WorkflowScope;
  readonly target: WorkflowScope;
  /** Whether the tasks exist before the step. */
  readonly exists: boolean;
  readonly report: Report;
}

function checkSetting(setting: Setting, found: Found): void {
  const { set, name, own, target, exists, report } = setting;
  const field = target.fields.get(name);
  if (!field && !changeableBuiltIns.has(name)) checkField(set, name, name, target, report);
  else if (field && storageOf(field.type) === 'blobs')
    report(set, name, 'is a file field, which a step cannot set');
  else if (exists && field?.editable === false) report(set, name, isFixed);
  else
    for (const result of found.values) {
      const message = result.is === 'constant' ? undefined : misfit(result, own, name, target);
      if (result.is === 'constant') checkFound(result, setting, found);
      else if (message !== undefined) report(found.holder, found.key, message);
    }
}

const isFixed =
  'is a field with editable: false, which nothing can change once its task exists; write change: by_actions there instead, so that only actions change it';

/** Reports why a constant cannot be set, and warns if it was probably meant as an expression. */
function checkFound(
  { value }: Constant,
  { name, target, report }: Setting,
  { holder, key, giving }: Found,
): void {
  const isMeant = !giving && typeof value === 'string' && looksLikeExpression(value);
  const said = giving ? `may give ${excerpt(String(value))}, which ` : '';
  const hint = isMeant ? `: if it is an expression, write { expression: '${excerpt(value)}' }` : '';
  const messages: string[] = [];
  checkConstant(value, name, target, (message) => messages.push(message));
  for (const message of messages) report(holder, key, said + message + hint);
  if (messages.length === 0 && isMeant) report(holder, key, `is set unchanged${hint}`, 'warning');
}

export function checkConstant(
  value: Constant['value'],
  name: string,
  target: WorkflowScope,
  tell: (message: string) => void,
): void {
  const field = target.fields.get(name);
  const report: Report = (_holder, _key, message) => {
    tell(english(message));
  };
  if (field) checkValue(target, name, value, field, target.workspace.users, report);
  else if (name === 'Stage')
    if (typeof value === 'string') checkStage(target, name, value, target, report);
    else tell('is not the name of a stage');
  else if (value !== null && !isBlankText(value))
    if (typeof value === 'string') checkUser(target, name, value, target.workspace, report);
    else tell('is not the e-mail of a user');
}
