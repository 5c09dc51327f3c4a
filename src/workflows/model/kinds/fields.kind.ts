import { FieldEntity } from '../entities/field.entity.js';
import { randomText } from '../../../common/random-id.js';
import { builtInNames } from '../../fields/properties/built-ins.js';
import { fieldTypes, storageOf, typesWhere } from '../../fields/field-types.js';
import { checkName, checkValue, type Report, type WorkflowScope } from '../check/kit.js';
import {
  field,
  type FieldDefinition,
  fieldSettings,
  MAX_INDEXES,
  missingSettings,
} from '../field-definition.js';
import { kind } from '../kind.js';
import { tableOf } from '../stored-rows.js';
import { listSetting, opaque } from '../schema-parts.js';

export const fields = kind({
  name: 'field',
  list: 'fields',
  of: 'workflow',
  key: ['name'],
  schema: listSetting(opaque<FieldDefinition>(field), {
    title: 'Fields',
    description: 'The fields, in the order in which tasks show them.',
    maxItems: 1000,
  }),
  rows: tableOf({
    entity: FieldEntity,
    // The id is short, because each task and each of its events repeats the ids of the fields.
    newId: () => `f${randomText(5)}`,
    columns: { name: 'name', type: 'type', required: 'required', editable: 'editable' },
    others: 'settings',
  }),
  check(one, within, report) {
    checkKey(one, one.name, report);
    checkType(one, within, report);
    checkAmongOthers(one, within, report);
  },
});

/** Reports a field or relationship if its name cannot be a key of a task's JSON. */
export function checkKey(holder: object, name: string, report: Report): void {
  checkName(name, report.at(holder, 'name'));
  if (builtInNames.has(name)) report(holder, 'name', 'is the name of a built-in key');
  if (name === 'base') report(holder, 'name', 'is reserved for errors that belong to no field');
  if (name.startsWith('_')) report(holder, 'name', 'begins with _, as parameters of lists do');
}

function checkType(one: FieldDefinition, { workspace }: WorkflowScope, report: Report): void {
  const type = fieldTypes.get(one.type);
  if (type) checkSettings(one, report);
  else report(one, 'type', `is not a type of field: ${one.type}`);
  if (one.index === true && type && !type.indexedAs)
    report(one, 'index', `cannot be set for the type ${one.type}`);
  if (one.change !== undefined && storageOf(one.type) === 'column')
    report(one, 'change', `cannot be set for the type ${one.type}`);
  if (one.default === undefined) return;
  if (type?.takesDefault === false) report(one, 'default', `cannot be set for the type ${one.type}`);
  else checkValue(one.default, one, workspace.users, report.at(one, 'default'));
}

/** Reports missing settings, settings that the type of the field does not allow, and wrong values. */
function checkSettings(one: FieldDefinition, report: Report): void {
  for (const key of fieldSettings.keys()) {
    const types = typesWhere(({ settings }) => key in settings.properties);
    if (one[key] !== undefined && !types.includes(one.type))
      report(one, key, `is only for ${types.join(', ').replace(/, (?=[^,]*$)/, ' and ')}`);
  }
  const missing = missingSettings(one);
  for (const key of missing) report(one, key, 'is required');
  const faults = missing.length > 0 ? [] : (fieldTypes.get(one.type)?.settingFaults?.(one) ?? []);
  for (const { key, index, message } of faults) {
    const list = one[key];
    if (index !== undefined && Array.isArray(list)) report(list, index, message);
    else report(one, key, message);
  }
}

/** Reports an index beyond the limit, and a second Unique ID in a workflow. */
function checkAmongOthers(one: FieldDefinition, { workflow }: WorkflowScope, report: Report): void {
  const isMore = (than: number, is: (field: FieldDefinition) => boolean): boolean =>
    is(one) && workflow.fields.filter(is).indexOf(one) >= than;
  if (isMore(MAX_INDEXES, ({ index }) => index === true))
    report(one, 'index', `is already set on ${MAX_INDEXES} other fields`);
  if (isMore(1, ({ type }) => storageOf(type) === 'column'))
    report(one, 'type', `is already the type of another field: a workflow can have only one ${one.type}`);
}
