import { type RequirementsColumn } from '../entities/json-columns.js';
import { type Situation } from './situation.js';

/** Something that must hold before an action may begin: says what is missing, a message for each; nothing when it holds. */
export type Requirement = (situation: Situation) => readonly string[];

/** One kind of requirement. Add one: a file in requirements/, and a line in requirement-types.ts. */
export type RequirementType = (wanted: RequirementsColumn) => Requirement | undefined;
