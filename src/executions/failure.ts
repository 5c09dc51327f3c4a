import { type StepDefinition } from '../definitions/step-definition.js';
import { type StepOutcome } from './ledger.js';

/** An execution ends as `Fail`, with these errors. */
export class Failure extends Error {
  constructor(
    readonly errors: readonly string[],
    readonly outcomes: readonly StepOutcome[],
  ) {
    super('the execution fails');
  }
}

/** The outcomes of steps of which none was begun. */
export function notBegun(steps: readonly StepDefinition[]): StepOutcome[] {
  return steps.map(({ name }) => ({ name, status: 'Skipped' }));
}
