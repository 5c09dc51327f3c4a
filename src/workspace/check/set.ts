import { storageOf } from '../../schema/field-types.js';
import { type SetDefinition, type SetValue } from '../schema-parts.js';
import { checkExpression, checkTemplate } from './formulas.js';
import { checkField, checkStage, checkUser, type Report, type WorkflowScope, checkValue } from './kit.js';

/** Reports what is wrong with the values that a step of `own` sets on its own task. */
export function checkOwnSet(set: SetDefinition, own: WorkflowScope, report: Report): void {
  for (const [name, value] of Object.entries(set)) {
    const isConstant = checkFormula(set, name, value, own, report);
    if (name === 'Stage') report(set, name, 'is set by a step of type move_to_stage');
    else if (name === 'Assigned To') report(set, name, 'is set by a step of type assign');
    else checkFieldValue({ set, name, isConstant, target: own, report });
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
    const isConstant = checkFormula(set, name, value, own, report, hasLinked ? target : undefined);
    const setting = { set, name, isConstant, target, report };
    if (name === 'Stage') checkStageValue(setting);
    else if (name === 'Assigned To') checkAssignee(setting);
    else checkFieldValue(setting);
  }
}

/** Whether the value is a constant: neither an expression nor a template, which are checked here. */
function checkFormula(
  set: SetDefinition,
  name: string,
  value: SetValue,
  own: WorkflowScope,
  report: Report,
  linked?: WorkflowScope,
): boolean {
  if (typeof value === 'string') {
    const template = checkTemplate(set, name, value, own, report);
    return template?.names.size === 0 && template.secrets.size === 0;
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return true;
  checkExpression(value, 'expression', value.expression, own, report, linked);
  return false;
}

/** A value that a step sets on tasks of `target`, under a name. */
interface Setting {
  readonly set: SetDefinition;
  readonly name: string;
  readonly isConstant: boolean;
  readonly target: WorkflowScope;
  readonly report: Report;
}

function checkFieldValue({ set, name, isConstant, target, report }: Setting): void {
  const field = target.fields.get(name);
  const value = set[name] ?? null;
  if (!field) checkField(set, name, name, target, report);
  else if (storageOf(field.type) === 'blobs') report(set, name, 'is a file field, which a step cannot set');
  else if (isConstant) checkValue(set, name, value, field, target.workspace.users, report);
}

function checkStageValue({ set, name, isConstant, target, report }: Setting): void {
  const value = set[name];
  if (typeof value !== 'string') {
    if (isConstant) report(set, name, 'is not the name of a stage');
  } else if (isConstant) checkStage(set, name, value, target, report);
}

function checkAssignee({ set, name, isConstant, target, report }: Setting): void {
  const value = set[name];
  if (!isConstant || value === null || value === '') return;
  if (typeof value === 'string') checkUser(set, name, value, target.workspace, report);
  else report(set, name, 'is not the e-mail of a user');
}
