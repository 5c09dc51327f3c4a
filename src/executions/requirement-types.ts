import { type RequirementsColumn } from '../entities/json-columns.js';
import { type Requirement, type RequirementType } from './requirement.js';
import { assigned } from './requirements/assigned.js';
import { checklist } from './requirements/checklist.js';
import { conditions } from './requirements/conditions.js';
import { requiredFields } from './requirements/required-fields.js';

/** Every kind of requirement, in the order of its messages; a confirmation is asked for by user interfaces alone. */
const requirementTypes: readonly RequirementType[] = [requiredFields, checklist, assigned, conditions];

/** The requirements of an action, compiled. */
export function compileRequirements(wanted: RequirementsColumn): Requirement[] {
  return requirementTypes.flatMap((type) => type(wanted) ?? []);
}
