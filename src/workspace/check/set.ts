import { excerpt } from '../../lib/quote.js';
import { storageOf } from '../../schema/field-types.js';
import { type SetDefinition, type SetValue } from '../schema-parts.js';
import { misfit, resultOf, type Variable } from './fits.js';
import { checkExpression, checkTemplate } from './formulas.js';
import { checkField, checkStage, checkUser, type Report, type WorkflowScope, checkValue } from './kit.js';

/** Reports what is wrong with the values that a step of `own` sets on its own task. */
export function checkOwnSet(set: SetDefinition, own: WorkflowScope, report: Report): void {
  for (const [name, value] of Object.entries(set)) {
    const found = checkFormula(set, name, value, own, report);
    if (name === 'Stage') report(set, name, 'is set by a step of type move_to_stage');
    else if (name === 'Assigned To') report(set, name, 'is set by a step of type assign');
    else checkSetting({ set, name, own, target: own, report }, found);
  }
}

/** Reports what is wrong with the values that a step of `own` sets on tasks of `target`, which are there already or not. */
export function checkLinkedSet(
  set: SetDefinition,
  own: WorkflowScope,
  target: WorkflowScope,
  report: Report,
  hasLinked: boolean,
): void {
  for (const [name, value] of Object.entries(set)) {
    const found = checkFormula(set, name, value, own, report, hasLinked ? target : undefined);
    checkSetting({ set, name, own, target, report }, found);
  }
}

/** What a value of `set` may be when it is set, and where that stands. */
interface Found {
  readonly holder: object;
  readonly key: string;
  /** Said before what is wrong with a constant; empty where it is the value itself. */
  readonly giving: boolean;
  readonly values: readonly (Constant | Variable)[];
}

interface Constant {
  readonly is: 'constant';
  readonly value: Exclude<SetValue, { expression: string }>;
}

/** Checks the expression or the template that a value is, if it is one. */
function checkFormula(
  set: SetDefinition,
  name: string,
  value: SetValue,
  own: WorkflowScope,
  report: Report,
  linked?: WorkflowScope,
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
  const expression = checkExpression(value, 'expression', value.expression, own, report, linked);
  return { holder: value, key: 'expression', giving: true, values: expression?.results ?? [] };
}

/** A value that a step of `own` sets on tasks of `target`, under a name. */
interface Setting {
  readonly set: SetDefinition;
  readonly name: string;
  readonly own: WorkflowScope;
  readonly target: WorkflowScope;
  readonly report: Report;
}

function checkSetting({ set, name, own, target, report }: Setting, found: Found): void {
  const { holder, key, giving, values } = found;
  const field = target.fields.get(name);
  if (!field && !['Stage', 'Assigned To'].includes(name)) {
    checkField(set, name, name, target, report);
    return;
  }
  if (field && storageOf(field.type) === 'blobs') {
    report(set, name, 'is a file field, which a step cannot set');
    return;
  }
  for (const result of values) {
    if (result.is === 'constant') {
      const said = giving ? `may give ${excerpt(String(result.value))}, which ` : '';
      checkConstant(result.value, name, target, (message) => {
        report(holder, key, said + message);
      });
    } else {
      const message = misfit(result, own, name, target);
      if (message !== undefined) report(holder, key, message);
    }
  }
}

/** Tells what is wrong with a constant as the value of this key of a task. */
function checkConstant(
  value: Constant['value'],
  name: string,
  target: WorkflowScope,
  tell: (message: string) => void,
): void {
  const field = target.fields.get(name);
  const report: Report = (_holder, _key, message) => {
    tell(message);
  };
  if (field) checkValue(target, name, value, field, target.workspace.users, report);
  else if (name === 'Stage')
    if (typeof value === 'string') checkStage(target, name, value, target, report);
    else tell('is not the name of a stage');
  else if (value !== null && value !== '')
    if (typeof value === 'string') checkUser(target, name, value, target.workspace, report);
    else tell('is not the e-mail of a user');
}
