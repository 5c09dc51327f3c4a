import { type EffectAnswer } from '../actions/effect.js';
import { notReached, type StepOutcome } from '../actions/step.js';
import { effectKindOf } from '../actions/step-types.js';
import { type StepDefinition } from '../workflows/model/action-definition.js';

/** The answers to calls, by the index of the step. */
export type Answers = Readonly<Record<string, EffectAnswer>>;

/** The outcomes of a failed execution. A call with an answer was made, whatever failed later. */
export function withAnswered(outcomes: readonly StepOutcome[], answers: Answers): StepOutcome[] {
  return outcomes.map((outcome, at) => {
    const answer = outcome.status === 'Skipped' ? answers[at] : undefined;
    return answer ? { name: outcome.name, ...answeredAs(answer) } : outcome;
  });
}

export function answeredAs(answer: EffectAnswer): Omit<StepOutcome, 'name'> {
  return answer.failed === undefined ? { status: 'Success' } : { status: 'Fail', because: answer.failed };
}

/** The outcomes of an execution that was given up. The next call may have been sent, but has no answer. */
export function givenUp(steps: readonly StepDefinition[], answers: Answers): StepOutcome[] {
  const next = steps.findIndex((step, at) => effectKindOf(step) && !answers[at]);
  const outcomes = steps.map(({ name }, at): StepOutcome =>
    at === next ? { name, status: 'Fail' } : notReached(name),
  );
  return withAnswered(outcomes, answers);
}
