import { type SetDefinition } from './step-definition.js';

/** How names that a step uses have changed; a name that has not is given back as it is. */
export interface StepRenames {
  stage(name: string): string;
  user(email: string): string;
  /** Values by the names of this workflow's fields. */
  set(set: SetDefinition): SetDefinition;
  /** Values by the names of the fields at the other end of a relationship. */
  linkedSet(relationship: string, set: SetDefinition): SetDefinition;
}
