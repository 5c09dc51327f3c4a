import { type RequirementsDefinition } from '../workflows/model/action-definition.js';
import { type TaskSchema } from '../workflows/fields/task-schema.js';
import { type Requirement, type RequirementType } from './requirement.js';
import { approvals } from './requirements/approvals.js';
import { assigned } from './requirements/assigned.js';
import { checklist } from './requirements/checklist.js';
import { conditions } from './requirements/conditions.js';
import { confirmation } from './requirements/confirmation.js';
import { requiredFields } from './requirements/required-fields.js';

/** Maps the key of a requirement in definitions to its type. Unmet requirements are listed in this order. */
export const requirementTypes: ReadonlyMap<string, RequirementType> = new Map([
  ['required_fields', requiredFields],
  ['checklist', checklist],
  ['assigned', assigned],
  ['conditions', conditions],
  ['approvals', approvals],
  ['confirmation', confirmation],
]);

export function wantedRequirements(wanted: RequirementsDefinition): [string, RequirementType, unknown][] {
  return [...requirementTypes].flatMap(([key, type]): [string, RequirementType, unknown][] =>
    wanted[key] === undefined ? [] : [[key, type, wanted[key]]],
  );
}

export interface CompiledRequirement {
  readonly type: RequirementType;
  readonly settings: unknown;
  readonly unmet: Requirement;
}

export function compileRequirements(
  wanted: RequirementsDefinition,
  schema: TaskSchema,
  actionId: string,
): CompiledRequirement[] {
  return wantedRequirements(wanted).flatMap(([, type, settings]) => {
    const unmet = type.compile(settings, schema, actionId);
    return unmet ? [{ type, settings, unmet }] : [];
  });
}
