import { storageOf } from '../../workflows/fields/field-types.js';
import { checkDistinct, type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { type ActionDefinition } from '../../workflows/model/action-definition.js';

/** Reports what is wrong with the fields that an action asks for. */
export function checkAsked(
  { fields = [] }: Pick<ActionDefinition, 'fields'>,
  scope: WorkflowScope,
  report: Report,
): void {
  for (const asked of fields) {
    const known = scope.fields.get(asked.field);
    if (!known) continue;
    if (storageOf(known.type) !== 'values')
      report(asked, 'field', `is a ${known.type} field, which no action can ask for: ${asked.field}`);
    else if (!known.editable)
      report(asked, 'field', `has editable: false, so nothing can change it: ${asked.field}`);
  }
  const names = fields.map((holder) => ({ holder, key: 'field', text: holder.field }));
  checkDistinct(names, 'is already asked for', report);
}
