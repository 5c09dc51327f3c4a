import { type RequirementType } from '../requirement.js';

/** Fields that must not be blank, by their names. */
export const requiredFields: RequirementType = ({ required_fields }) =>
  required_fields &&
  (({ workflow, task }) =>
    required_fields
      .filter((name) => workflow.schema.byName.get(name)?.isBlank?.(task) ?? true)
      .map((name) => `${name} is required`));
