import { valueIn } from './action-context.js';
import { todayIn } from '../common/calendar.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { type TaskAtEvent } from '../events/task-at-event.js';
import {
  type Expression,
  type ExpressionFacts,
  type ExpressionValue,
} from '../workflows/expressions/expression.js';
import { TimeAllowed } from '../workflows/expressions/time-allowed.js';
import { type Workflow } from '../workflows/model/workspace.js';

interface AtEvent {
  readonly workflow: Workflow;
  readonly event: Pick<RecordedEvent, 'happenedAt'>;
  readonly task: TaskAtEvent;
  readonly facts?: ExpressionFacts | undefined;
}

/**
 * Evaluates an expression on a task as it was after an event. If the event created the task, its
 * values before the event are blank.
 */
export function evaluateAtEvent(
  expression: Expression,
  { workflow: { schema, timezone }, event: { happenedAt }, task, facts }: AtEvent,
  timeAllowed = new TimeAllowed(),
): unknown {
  const known = inputs.get(task) ?? inputAt(happenedAt, timezone);
  inputs.set(task, known);
  const { task: own, other } = known;
  const { after, before } = task;
  const { fields, ofOther } = expression;
  for (const name of fields) if (!own.has(name)) own.set(name, valueIn(schema.byName.get(name), after));
  for (const name of ofOther)
    if (!other.has(name)) other.set(name, before ? valueIn(schema.byName.get(name), before) : null);
  return expression.evaluate(facts ? { ...known, facts } : known, timeAllowed);
}

// All expressions on one `TaskAtEvent` share the input, so that each value is read only once.
const inputs = new WeakMap<TaskAtEvent, ReturnType<typeof inputAt>>();

const inputAt = (happenedAt: Date, timezone: string) => ({
  task: new Map<string, ExpressionValue>(),
  other: new Map<string, ExpressionValue>(),
  performer: null,
  today: todayIn(timezone, happenedAt),
  now: happenedAt.toISOString(),
});

export function fieldIdsOf({ schema }: Workflow, { fields, ofOther }: Expression): string[] {
  return [...fields, ...ofOther].flatMap((name) => schema.byName.get(name)?.fieldId ?? []);
}
