import { expressionInput } from './action-context.js';
import { todayIn } from '../common/calendar.js';
import { type RecordedEvent } from '../events/events.repository.js';
import { type TaskAtEvent } from '../events/task-at-event.js';
import { type Expression, type ExpressionFacts } from '../workflows/expressions/expression.js';
import { TimeAllowed } from '../workflows/expressions/time-allowed.js';
import { Scope } from '../workflows/model/scope.js';
import { type Workflow } from '../workflows/model/workspace.js';

interface AtEvent {
  readonly workflow: Workflow;
  readonly event: Pick<RecordedEvent, 'happenedAt'>;
  readonly task: TaskAtEvent;
  readonly facts?: ExpressionFacts;
}

/** Evaluates an expression on a task as it was after an event. Values before the task existed are blank. */
export function evaluateAtEvent(
  expression: Expression,
  { workflow, event: { happenedAt }, task: { after, before }, facts }: AtEvent,
  timeAllowed = new TimeAllowed(),
): unknown {
  const context = {
    scope: new Scope(workflow),
    task: after,
    linked: new Map(),
    performer: undefined,
    today: todayIn(workflow.timezone, happenedAt),
    now: happenedAt,
    timeAllowed,
  };
  const input = expressionInput(context, expression, before && { schema: workflow.schema, task: before });
  const blank = new Map(Array.from(expression.ofOther, (name) => [name, null]));
  return expression.evaluate({ ...input, other: input.other ?? blank, ...(facts && { facts }) }, timeAllowed);
}

export function fieldIdsOf({ schema }: Workflow, { fields, ofOther }: Expression): string[] {
  return [...fields, ...ofOther].flatMap((name) => schema.byName.get(name)?.fieldId ?? []);
}
