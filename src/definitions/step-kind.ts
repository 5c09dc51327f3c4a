import { type Report } from './checks/report.js';
import { type WorkflowScope } from './checks/scope.js';
import { type JsonMapping } from './json-value.js';
import {
  type SetDefinition,
  type StepDefinition,
  type StepShapes,
  type StepType,
} from './step-definition.js';

/** What a definition needs to know about one type of step. Add a type: one file in steps/, one line in step-kinds.ts. */
export interface StepKind<T extends StepType> {
  /** Reads what the step says beyond its name and type; the schema has judged its form. */
  read(raw: JsonMapping): StepShapes[T];
  /** Reports what does not fit the workflow. */
  check(step: StepDefinition<T>, scope: WorkflowScope, report: Report): void;
  /** The step after stages, fields and users were renamed; the step itself if it names none. */
  rename(step: StepDefinition<T>, renames: StepRenames): StepDefinition<T>;
}

/** How names that a step uses have changed; a name that has not is given back as it is. */
export interface StepRenames {
  readonly stage: (name: string) => string;
  readonly user: (email: string) => string;
  /** Values by the names of this workflow's fields. */
  readonly set: (set: SetDefinition) => SetDefinition;
  /** Values by the names of the fields at the other end of a relationship. */
  readonly linkedSet: (relationship: string, set: SetDefinition) => SetDefinition;
}
