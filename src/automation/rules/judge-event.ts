import { evaluateAtEvent } from '../../actions/at-event.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { type EventNames } from '../../events/event-names.js';
import { type TaskAtEvent, taskAtEvent } from '../../events/task-at-event.js';
import { TimeAllowed } from '../../workflows/expressions/time-allowed.js';
import { type ExpressionFacts, type FactValue } from '../../workflows/expressions/expression.js';
import { ExpressionError } from '../../workflows/expressions/expression-error.js';
import { type Message, say } from '../../common/message.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { blankTask } from '../../workflows/fields/task-view.js';
import { type EventExpression, type Rule } from './compiled-rules.js';
import { type EventFacts, type Verdict } from './trigger.js';
import { factKeys } from '../../workflows/expressions/scope.js';
import { serializeEvent } from '../../events/serialize-event.js';

/** Whether and why an event triggers a rule. Returns a promise only if judging may need a query. */
export function judgeEvent(rule: Rule, facts: EventFacts): Verdict | Promise<Verdict> {
  const { type } = facts.event;
  if (!rule.types.includes(type))
    return { isMet: false, because: say`the event is ${type}; the rule waits for ${rule.types.join(', ')}` };
  const verdict = rule.judge(facts);
  return verdict instanceof Promise
    ? verdict.then((known) => judgeWhen(rule, facts, known))
    : judgeWhen(rule, facts, verdict);
}

/** Judges `when` if the trigger matches. */
function judgeWhen({ condition }: Rule, facts: EventFacts, verdict: Verdict): Verdict | Promise<Verdict> {
  if (!verdict.isMet || !condition) return verdict;
  const { event, workflow, db } = facts;
  const { hook } = verdict;
  const subject = hook ? { ...facts, hook } : facts;
  const judge = (found: TaskAtEvent | undefined): Verdict => {
    const task = found ?? (hook && blankTaskIn(workflow));
    const failed = task ? whyFalse(condition, subject, task) : 'the task no longer exists';
    return failed === undefined ? verdict : { isMet: false, because: failed };
  };
  const task = taskAtEvent(db, workflow.workspaceId, hook?.event ?? event, condition.fieldIds);
  return task instanceof Promise ? task.then(judge) : judge(task);
}

/** A blank task, for an event whose task does not exist. */
export function blankTaskIn({ schema }: Workflow): TaskAtEvent {
  return { after: { ...blankTask, stageId: schema.stages.initial.id }, before: undefined };
}

/** Why `when` is not true; undefined if `when` is true. */
function whyFalse(
  condition: EventExpression,
  subject: JudgedSubject,
  task: TaskAtEvent,
): Message | undefined {
  const { source } = condition;
  try {
    return evaluatePart(condition, subject, task) === true ? undefined : say`${source} is not true`;
  } catch (error) {
    if (error instanceof ExpressionError) return say`${source} could not be evaluated: ${error.message}`;
    throw error;
  }
}

/** The value of an expression for the task after the event. */
export function evaluatePart(
  { source, expression }: EventExpression,
  { workflow, event, names, hook }: JudgedSubject,
  task: TaskAtEvent,
  timeAllowed = new TimeAllowed(),
): unknown {
  // Facts are loaded only for expressions that may read them, because loading is slower than evaluating.
  const isTold = /\b(?:actor|comment|item|execution|approval|body)\b/.test(source);
  const facts = isTold ? new Map([...factsIn(event, names), ['body', hook?.body ?? null]]) : undefined;
  return evaluateAtEvent(expression, { workflow, event, task, facts }, timeAllowed);
}

type JudgedSubject = Omit<EventFacts, 'db'> & Pick<Verdict, 'hook'>;

/** The facts of an event, other than its task, by their names in `when`. */
function factsIn(event: RecordedEvent, names: EventNames): ExpressionFacts {
  const { data } = JSON.parse(serializeEvent(event, names).json) as {
    data: Readonly<Record<string, unknown>>;
  };
  return new Map(
    Array.from(factKeys, ([name, keys]) => {
      const told = data[name === 'item' ? 'checklist_item' : name];
      // A missing key is blank, so that an expression can read it without an error.
      const blank = Object.fromEntries(keys.map((key) => [key, null]));
      return [name, factOf(typeof told === 'object' && told !== null ? { ...blank, ...told } : told)];
    }),
  );
}

function factOf(value: unknown): FactValue {
  if (Array.isArray(value)) return value.map(factOf);
  if (typeof value === 'object' && value !== null)
    return new Map(Object.entries(value).map(([key, inner]) => [key, factOf(inner)]));
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return typeof value === 'number' ? String(value) : null;
}
