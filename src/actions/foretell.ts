import { type EntityManager } from 'typeorm';
import { type Message, say, sentence } from '../common/message.js';
import { pauses } from '../../packages/fair/turn.js';
import { type User } from '../workflows/fields/field-type.js';
import { emptyChange } from '../workflows/fields/task-change.js';
import { type TaskRow } from '../tasks/store/task-row.js';
import { type Known, knownMessage } from '../workflows/model/known.js';
import { type Scope } from '../workflows/model/scope.js';
import { type Action } from './action.js';
import { compileInTurns } from './linked-reads.js';
import { readContext } from './read-context.js';
import { type Foretold, reasonOfFailure, type Run } from './step.js';
import { readsOf } from './step-values.js';
import { aboutStep, effectKindOf, rehearseStep, stepTypes } from './step-types.js';

interface ForetoldAction {
  readonly action: Action;
  readonly task: TaskRow;
  readonly performer: User | undefined;
  readonly workflowOf: Run['workflowOf'];
  readonly write: Foretold['write'];
  /** The workflows that the reader may be told about. */
  readonly known: Known;
}

/**
 * Forecasts the effects of an action, with a message for each step. The steps are rehearsed on a copy of the task,
 * without calling other systems. Answers of other systems and the asked fields are unknown: it leaves out values that
 * depend on them, and marks conditions on them as open.
 */
export async function foretell(
  db: EntityManager,
  scope: Scope,
  { action, task, performer, workflowOf, write, known }: ForetoldAction,
): Promise<Forecast> {
  const { steps } = action;
  const evaluated = steps.map((step) => readsOf(step, scope.workflow.schema));
  const expressions = await compileInTurns(evaluated, pauses(scope));
  const context = await readContext(db, scope, task, { performer, actions: [], expressions });
  const run = { ...rehearsal, reads: db, context: { ...context, task }, change: emptyChange(scope.workflow.schema, 'action'), action, workflowOf }; // prettier-ignore
  const told: Message[] = [];
  let isKnown = action.asked.length === 0;
  for (const step of steps) {
    const toldOf = (said: Message): Message => knownMessage(aboutStep(step, scope.workflow, said), known);
    try {
      const isSure = isKnown || step.when === undefined;
      if (isSure && !(await rehearseStep(step, run))) continue;
      const foretold = { run, write: isKnown ? write : undefined };
      const what = (await stepTypes.get(step.type)?.foretell?.(step, foretold)) ?? step.name;
      told.push(isSure ? toldOf(what) : say`${sentence(toldOf(what))} if its condition holds`);
      isKnown &&= effectKindOf(step) === undefined;
    } catch (error) {
      const reason = reasonOfFailure(error);
      if (reason === undefined) throw error;
      const failure = isKnown ? say`${step.name} would fail: ${sentence(toldOf(reason))}` : undefined;
      if (failure) return { told, failure };
      told.push(step.name);
    }
  }
  return { told };
}

interface Forecast {
  readonly told: readonly Message[];
  readonly failure?: Message;
}

const never = (): never => {
  throw new Error('a step that is rehearsed does nothing outside');
};

const rehearsal = {
  execution: '',
  step: 0,
  messages: [],
  effect: never,
  textOf: never,
  secret: never,
  address: '',
  tx: undefined,
  isTouched: false,
  isDeleted: false,
};
