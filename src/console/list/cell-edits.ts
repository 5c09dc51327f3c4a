import { type AskedField } from '../../schema/field-type.js';
import { type ListedProperty } from '../../schema/property.js';
import { type TaskRow } from '../../task-store/task-row.js';
import { mayEdit, mayEditSome } from '../../workspace/allowed.js';
import { type Scope } from '../../workspace/scope.js';
import { askedBy, guardOf, keptOf, placeOfTask } from '../task/task-view.js';

// Scripts are told which cells can be edited by the heads of columns and by those tasks that keep some of these: a link
// in each cell would make lists half as long again.

/** Where the page of a task asks for the value that a column shows; undefined where nobody like the reader can change it. */
export function editMark(scope: Scope, { name }: ListedProperty): string | undefined {
  const { schema } = scope.workflow;
  const property = schema.byName.get(name);
  if (!property || !mayEditSome(scope) || !askedBy(property, scope) || guardOf(schema, property)?.changing)
    return undefined;
  return `${encodeURIComponent(name)}#${placeOfTask(property)}`;
}

/** The fields that the reader may set on some of the tasks, by their names, and by what each is asked for. */
export function settableFields(scope: Scope): ReadonlyMap<string, AskedField> {
  const fields = new Map<string, AskedField>();
  for (const property of scope.workflow.schema.properties) {
    const ask = property.fieldId && editMark(scope, property) && askedBy(property, scope);
    if (ask) fields.set(property.name, ask);
  }
  return fields;
}

/** The places of such columns whose values the reader may not change of this task; undefined where there are none. */
export function keptColumns(
  scope: Scope,
  task: TaskRow,
  columns: readonly (ListedProperty | undefined)[],
): string | undefined {
  const kept = columns.flatMap((column, at) => {
    const property = column && editMark(scope, column) && scope.workflow.schema.byName.get(column.name);
    const isKept = property && !(mayEdit(scope, task) && askedBy(property, scope, task) && !keptOf({ scope, task }, property)); // prettier-ignore
    return isKept ? [at] : [];
  });
  return kept.length > 0 ? kept.join(' ') : undefined;
}
