import { fieldTypes } from '../../schema/field-types.js';
import { type FieldDefinition } from '../definition.js';
import { checkSettings } from './field-settings.js';
import { checkKeys } from './keys.js';
import { type Report } from './report.js';
import { type WorkflowScope } from './scope.js';
import { checkValue } from './value.js';

/** Reports what is wrong with the fields of a workflow, and with the relationships that share its tasks' keys. */
export function checkFields(scope: WorkflowScope, report: Report): void {
  checkKeys(scope, report);
  for (const field of scope.workflow.fields) checkField(field, scope, report);
  for (const field of scope.workflow.fields.filter(({ type }) => type === 'uniqueId').slice(1)) {
    report(field, 'type', 'is the type of another field already: a workflow has one uniqueId');
  }
}

function checkField(field: FieldDefinition, { workspace }: WorkflowScope, report: Report): void {
  if (!fieldTypes.has(field.type)) report(field, 'type', `is not a type of field: ${field.type}`);
  checkSettings(field, report);
  if (field.default === undefined) return;
  if (field.type === 'uniqueId' || field.type === 'file')
    report(field, 'default', `is not for ${field.type}`);
  else checkValue(field, 'default', field.default, field, workspace.users, report);
}
