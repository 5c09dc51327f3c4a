import {
  causeOf,
  Failure,
  notBegun,
  reasonOfFailure,
  type Run,
  type StepOutcome,
  notReached,
} from '../actions/step.js';
import { type EffectAnswer } from '../actions/effect.js';
import { aboutStep, effectKindOf, runStep } from '../actions/step-types.js';
import { say, sentence } from '../common/message.js';
import { type StepDefinition } from '../workflows/model/action-definition.js';

export type AnswerCall = (index: number, request: () => Promise<unknown>) => Promise<EffectAnswer>;

/** Runs the steps in order. Throws a `Failure` when a step fails. */
export async function runSteps(
  steps: readonly StepDefinition[],
  run: Run,
  call: AnswerCall,
): Promise<StepOutcome[]> {
  const done: StepOutcome[] = [];
  for (const [index, step] of steps.entries()) {
    run.step = index;
    run.effect = (request) => call(index, request);
    try {
      done.push(await runStep(step, run));
    } catch (error) {
      const said = reasonOfFailure(error);
      if (said === undefined) throw error;
      const reason = aboutStep(step, run.context.scope.workflow, said);
      const outcomes: StepOutcome[] = [
        ...done.map((outcome, at) => rolledBack(outcome, steps[at])),
        { name: step.name, status: 'Fail' },
        ...notBegun(steps.slice(index + 1)),
      ];
      throw new Failure([say`${step.name}: ${sentence(reason)}`], outcomes, [
        `${step.name}: ${causeOf(error)}`,
      ]);
    }
  }
  return done;
}

/** The outcome of a step after a later step has failed. A call to another system cannot be rolled back. */
function rolledBack(outcome: StepOutcome, step: StepDefinition | undefined): StepOutcome {
  const isUndone = !effectKindOf(step) && outcome.status !== 'Skipped';
  return isUndone ? { ...outcome, status: 'Undone' } : outcome;
}

export type Answers = Readonly<Record<string, EffectAnswer>>;

/** The outcomes of a failed execution. A call that was answered counts as made, whatever failed later. */
export function withAnswered(outcomes: readonly StepOutcome[], answers: Answers): StepOutcome[] {
  return outcomes.map((outcome, at) => {
    const answer = outcome.status === 'Skipped' ? answers[at] : undefined;
    return answer ? { name: outcome.name, status: 'Success' } : outcome;
  });
}

/**
 * The outcomes of an execution that was given up. The first call without an answer counts as failed, because
 * it may have been sent.
 */
export function givenUp(steps: readonly StepDefinition[], answers: Answers): StepOutcome[] {
  const next = steps.findIndex((step, at) => effectKindOf(step) && !answers[at]);
  const outcomes = steps.map(({ name }, at): StepOutcome =>
    at === next ? { name, status: 'Fail' } : notReached(name),
  );
  return withAnswered(outcomes, answers);
}
