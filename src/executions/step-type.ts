import { type StepDefinition, type StepType as StepName } from '../definitions/step-definition.js';
import { type Run } from './run.js';

/** How one type of step is done. Add one: a file in steps/, and a line in step-types.ts. */
export type StepType<T extends StepName> = (step: StepDefinition<T>, run: Run) => Promise<void> | void;
