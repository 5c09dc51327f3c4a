import { evaluateAtEvent, fieldIdsOf } from '../../actions/at-event.js';
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

/** Whether the event triggers the rule, and why or why not. */
export async function judgeEvent(rule: Rule, facts: EventFacts): Promise<Verdict> {
  const { event, workflow, db } = facts;
  if (!rule.types.some((type) => type === event.type))
    return {
      isMet: false,
      because: say`the event is ${event.type}; the rule waits for ${rule.types.join(', ')}`,
    };
  const verdict = await rule.judge(facts);
  const { condition } = rule;
  if (!verdict.isMet || !condition) return verdict;
  const { hook } = verdict;
  const about = hook?.event ?? event;
  const task =
    (await taskAtEvent(db, workflow.workspaceId, about, fieldIdsOf(workflow, condition.expression))) ??
    (hook && blankTaskIn(workflow));
  if (!task) return { isMet: false, because: 'the task no longer exists' };
  const failed = whyFalse(condition, { ...facts, hook }, task);
  return failed === undefined ? verdict : { isMet: false, because: failed };
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
  // Facts are loaded only for expressions that read them, because loading is slower than evaluating.
  const told = /\b(?:actor|comment|item|execution|approval)\b/.test(source) ? factsIn(event, names) : [];
  const facts = new Map([...told, ['body', hook?.body ?? null]]);
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
