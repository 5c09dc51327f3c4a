import { type StepAnswer, type StepOutcome } from '../actions/step.js';
import { type StepDefinition } from '../workspace/definition.js';
import { Failure, notBegun, type ApiCall, type Run, reasonOf } from '../actions/step.js';
import { runStep } from '../actions/step-types.js';

/** Does the steps one after another; throws a `Failure` with the first one that cannot be done. */
export async function walk(
  steps: readonly StepDefinition[],
  run: Run,
  call: (index: number, request: ApiCall) => Promise<StepAnswer>,
): Promise<StepOutcome[]> {
  const done: StepOutcome[] = [];
  for (const [index, step] of steps.entries()) {
    run.call = (request) => call(index, request);
    try {
      await runStep(step, run);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      const failed: StepOutcome = { name: step.name, status: 'Fail' };
      throw new Failure([`${step.name}: ${reason}`], [...done, failed, ...notBegun(steps.slice(index + 1))]);
    }
    done.push({ name: step.name, status: 'Success' });
  }
  return done;
}
