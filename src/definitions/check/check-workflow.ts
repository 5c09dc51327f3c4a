import { builtInNames } from '../../schema/properties/built-ins.js';
import {
  checkDistinct,
  checkName,
  checkStage,
  checkValue,
  type Report,
  type Use,
  warnOfCase,
  type WorkflowScope,
} from '../../workspace/check/kit.js';
import {
  type FieldDefinition,
  fieldSettings,
  MAX_INDEXES,
  missingSettings,
  typesWith,
} from '../../workspace/field-definition.js';
import { startedByRules } from '../../workspace/action-settings.js';
import { rolesNamed } from '../../workspace/role-definition.js';
import { fieldTypes, storageOf } from '../../schema/field-types.js';

/** Reports what is wrong with the stages of a workflow. */
export function checkStages(scope: WorkflowScope, report: Report): void {
  const { stages, removed_stages = [] } = scope.workflow;
  if (stages.length === 0) report(scope.workflow, 'stages', 'needs at least one stage');
  for (const stage of stages) {
    checkName(stage, 'name', stage.name, report);
    if (stage.outcome && !stage.end) report(stage, 'outcome', 'is for end stages only: add end: true');
  }
  const names = [...stages, ...removed_stages].map((holder) => ({ holder, key: 'name', text: holder.name }));
  checkDistinct(names, 'is the name of another stage', report);
  for (const stage of stages.filter(({ initial }) => initial).slice(1)) {
    report(stage, 'initial', 'is already set on another stage');
  }
  for (const holder of [scope.workflow, ...removed_stages]) {
    const target = holder.move_tasks_to;
    if (target !== undefined) checkStage(holder, 'move_tasks_to', target, scope, report);
  }
}

/** Reports what is wrong with the template items of a workflow. */
export function checkChecklist(scope: WorkflowScope, report: Report): void {
  const { checklist } = scope.workflow;
  for (const item of checklist) checkName(item, 'title', item.title, report, 500);
  const titles = checklist.map((holder) => ({
    holder,
    key: 'title',
    text: `${holder.stage}\n${holder.title}`,
  }));
  checkDistinct(titles, 'is the title of another item of that stage', report);
}

/** Reports settings that the type of the field does not allow, requires, or expects in another form. */
function checkSettings(field: FieldDefinition, report: Report): void {
  for (const key of fieldSettings.keys()) {
    const types = typesWith(key);
    if (field[key] !== undefined && !types.includes(field.type))
      report(field, key, `is only for ${types.join(', ').replace(/, (?=[^,]*$)/, ' and ')}`);
  }
  const missing = missingSettings(field);
  for (const key of missing) report(field, key, 'is required');
  const faults = missing.length > 0 ? [] : (fieldTypes.get(field.type)?.settingFaults?.(field) ?? []);
  for (const { key, index, message } of faults) {
    const list = field[key];
    if (index !== undefined && Array.isArray(list)) report(list, index, message);
    else report(field, key, message);
  }
  const { options } = field;
  if (Array.isArray(options))
    warnOfCase(
      options.flatMap((text, key) => (typeof text === 'string' ? { holder: options, key, text } : [])),
      'is another option',
      report,
    );
}

/** Reports faults of the fields of a workflow, and of the relationships, which share the keys of its tasks. */
export function checkFields(scope: WorkflowScope, report: Report): void {
  checkKeys(scope, report);
  for (const field of scope.workflow.fields) checkField(field, scope, report);
  for (const field of scope.workflow.fields.filter(({ index }) => index === true).slice(MAX_INDEXES))
    report(field, 'index', `is already set on ${MAX_INDEXES} other fields`);
  for (const field of scope.workflow.fields.filter(({ type }) => storageOf(type) === 'column').slice(1)) {
    report(field, 'type', `is already the type of another field: a workflow can have only one ${field.type}`);
  }
}

function checkField(field: FieldDefinition, { workspace }: WorkflowScope, report: Report): void {
  if (fieldTypes.has(field.type)) checkSettings(field, report);
  else report(field, 'type', `is not a type of field: ${field.type}`);
  if (field.index === true && fieldTypes.has(field.type) && !fieldTypes.get(field.type)?.indexedAs)
    report(field, 'index', `is not for ${field.type}`);
  if (field.change !== undefined && storageOf(field.type) === 'column')
    report(field, 'change', `is not for ${field.type}`);
  if (field.default === undefined) return;
  if (fieldTypes.get(field.type)?.takesDefault === false)
    report(field, 'default', `is not for ${field.type}`);
  else checkValue(field, 'default', field.default, field, workspace.users, report);
}

/** Reports names of fields and relationships that cannot be keys of tasks. */
function checkKeys({ workflow, workspace }: WorkflowScope, report: Report): void {
  const sides = workspace.definition.relationships.flatMap(({ from, to }) => [from, to]);
  const own = sides.filter((side) => side.workflow === workflow.id);
  // Relationships come first, so that for a field and a relationship of the same name the field is reported.
  const keys = [...own, ...workflow.fields].map((holder): Use => ({
    holder,
    key: 'name',
    text: holder.name,
  }));
  for (const { holder, key, text } of keys) {
    checkName(holder, key, text, report);
    checkReserved(holder, key, text, report);
  }
  checkDistinct(keys, 'is the name of another field or relationship', report);
}

function checkReserved(holder: object, key: string | number, name: string, report: Report): void {
  if (builtInNames.has(name)) report(holder, key, 'is the name of a built-in');
  if (name === 'base') report(holder, key, 'is reserved for errors that belong to no field');
  if (name.startsWith('_')) report(holder, key, 'begins with _, as parameters of lists do');
}

/** Reports what is wrong with the members of a workflow. */
export function checkMembers(scope: WorkflowScope, report: Report): void {
  const { members } = scope.workflow;
  for (const member of members) {
    const uses = rolesNamed(member).map((text, index): Use => {
      const { role } = member;
      return typeof role === 'string'
        ? { holder: member, key: 'role', text }
        : { holder: role, key: index, text };
    });
    checkDistinct(uses, 'is already named', report);
  }
  const emails = members.map((holder) => ({ holder, key: 'email', text: holder.email.toLowerCase() }));
  checkDistinct(emails, 'already has a role in this workflow', report);
}

/** Reports what is wrong with the roles of a workflow. */
export function checkRoles(scope: WorkflowScope, report: Report): void {
  const { roles, actions } = scope.workflow;
  const known = new Map(actions.map((action) => [action.id, action]));
  for (const role of roles) {
    checkName(role, 'name', role.name, report);
    role.actions.forEach((action, index) => {
      if (known.get(action)?.start === 'by_rules')
        report(role.actions, index, `${startedByRules}, and by no role: ${action}`);
    });
  }
  const ids = roles.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another role', report);
}
