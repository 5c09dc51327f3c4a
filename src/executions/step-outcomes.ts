import { type EffectAnswer } from '../actions/effect.js';
import { notReached, type StepOutcome } from '../actions/step.js';
import { effectKindOf } from '../actions/step-types.js';
import { type StepDefinition } from '../workspace/definition.js';

/** The answers to calls, by the places of their steps. */
export type Answers = Readonly<Record<string, EffectAnswer>>;

/** What became of the steps of an execution that fails: a call that was answered has been made, whatever came after it. */
export function withAnswered(outcomes: readonly StepOutcome[], answers: Answers): StepOutcome[] {
  return outcomes.map((outcome, at) => {
    const answer = outcome.status === 'Skipped' ? answers[at] : undefined;
    return answer ? { name: outcome.name, ...answeredAs(answer) } : outcome;
  });
}

/** What became of a call that has this answer. */
export function answeredAs(answer: EffectAnswer): Omit<StepOutcome, 'name'> {
  return answer.failed === undefined ? { status: 'Success' } : { status: 'Fail', because: answer.failed };
}

/** What became of the steps of an execution that was given up: the next call may have been sent, but has no answer. */
export function givenUp(steps: readonly StepDefinition[], answers: Answers): StepOutcome[] {
  const next = steps.findIndex((step, at) => effectKindOf(step) && !answers[at]);
  const outcomes = steps.map(({ name }, at): StepOutcome =>
    at === next ? { name, status: 'Fail' } : notReached(name),
  );
  return withAnswered(outcomes, answers);
}
