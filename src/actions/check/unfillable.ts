import { wantedRequirements } from '../requirement-types.js';
import { type ActionDefinition } from '../../workflows/model/action-definition.js';
import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { type FieldDefinition } from '../../workflows/model/field-definition.js';
import { type StageDefinition } from '../../workflows/model/stage-definition.js';

/** Warns of required fields that nothing sets and that locks keep from being filled. */
export function warnOfUnfillable(
  { requirements }: ActionDefinition,
  { workspace, fields, workflow }: WorkflowScope,
  report: Report,
): void {
  const [, , names] = wantedRequirements(requirements).find(([key]) => key === 'required_fields') ?? [];
  if (!Array.isArray(names)) return;
  names.forEach((name: unknown, index) => {
    const field = fields.get(String(name));
    if (field && !workspace.uses.isSet(workflow.id, field.name) && !isFilledByHand(field, workflow.stages))
      report(names, index, `cannot be filled anywhere: ${field.name}; ${remedy}`, 'warning');
  });
}

const remedy = 'let an action ask for it (fields) or set it, or a stage leave it open (change)';

/** Whether a payload may set the field, in a new task or in one of the stages. */
function isFilledByHand(field: FieldDefinition, stages: readonly StageDefinition[]): boolean {
  if (field.default !== undefined) return true;
  if (field['change'] === 'by_actions') return false;
  if (field.required || !field.editable) return true;
  return stages.some(({ change }) => change === undefined || change.includes(field.name));
}
