import { type EntityManager } from 'typeorm';
import { expressionInput } from '../../actions/action-context.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { type EventNames } from '../../events/event-names.js';
import { type TaskAtEvent, taskAtEvent } from '../../events/task-at-event.js';
import { TimeAllowed } from '../../workflows/expressions/time-allowed.js';
import { type Expression } from '../../workflows/expressions/expression.js';
import { ExpressionError } from '../../workflows/expressions/expression-error.js';
import { todayIn } from '../../common/calendar.js';
import { type Message, say, sentence } from '../../common/message.js';
import { Scope } from '../../workflows/model/scope.js';
import { type RuleDefinition } from './rule-definition.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { blankTask, type TaskView } from '../../workflows/fields/task-view.js';
import { type EventExpression, type Rule } from './compiled-rules.js';
import { factsIn } from './facts.js';
import { type HookSubject } from './hooks/hook-subject.js';
import { type Verdict } from './trigger.js';
import { toldValue } from './triggers/field-changed.js';

/** An event of a task, with the task's workflow. */
export interface JudgedEvent {
  readonly db: EntityManager;
  readonly event: RecordedEvent;
  readonly workflow: Workflow;
  readonly names: EventNames;
}

/** A judged event with its hook request, if there is one. */
export interface JudgedSubject extends JudgedEvent {
  readonly hook: HookSubject | undefined;
}

/** Whether the event triggers the rule, and why or why not. */
export async function judgeEvent(rule: Rule, judged: JudgedEvent): Promise<Verdict> {
  const { event, workflow, names, db } = judged;
  if (!rule.types.some((type) => type === event.type))
    return {
      isMet: false,
      because: say`the event is ${event.type}; the rule waits for ${rule.types.join(', ')}`,
    };
  const verdict = await rule.judge({ event, workflow, names, db });
  const { condition, definition } = rule;
  if (!verdict.isMet) return told(verdict, definition);
  if (!condition) return verdict;
  const { hook } = verdict;
  const about = hook?.event ?? event;
  const task =
    (await taskAtEvent(db, workflow.workspaceId, about, fieldIdsOf(workflow, condition))) ??
    (hook && { after: blankTaskIn(workflow), before: undefined });
  if (!task) return { isMet: false, because: 'the task no longer exists' };
  const failed = failedPart(rule, { ...judged, hook }, task);
  return failed === undefined ? verdict : { isMet: false, because: failed };
}

/** Stands for the task of a hook that matches none yet. */
function blankTaskIn({ schema }: Workflow): TaskView {
  return { ...blankTask, stageId: schema.stages.initial.id };
}

/** Adds what the rule waits for to the reason why the event does not trigger it. */
function told({ isMet, because }: Verdict, definition: RuleDefinition): Verdict {
  const settings = new Map<string, unknown>(Object.entries(definition));
  const narrowed = ['from', 'to', 'stage', 'stages', 'relationship', 'action'].flatMap((key) => {
    const wanted = settings.get(key);
    if (wanted === undefined) return [];
    return [`${key} ${[wanted].flat().map(toldValue).join(' or ')}`];
  });
  return {
    isMet,
    because: say`${sentence(because)}; the rule waits for ${[definition.on, ...narrowed].join(' ')}`,
  };
}

/** The ids of the task's fields that an expression reads. */
export function fieldIdsOf({ schema }: Workflow, { fields, ofOther }: Expression): string[] {
  return [...fields, ...ofOther].flatMap((name) => schema.byName.get(name)?.fieldId ?? []);
}

/** Why `when` is not true: its first part that is false; undefined if all are true. */
function failedPart({ parts }: Rule, judged: JudgedSubject, task: TaskAtEvent): Message | undefined {
  const timeAllowed = new TimeAllowed();
  for (const part of parts) {
    try {
      if (evaluateAtEvent(part, judged, task, timeAllowed) !== true) return say`${part.source} is not true`;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return say`${part.source} could not be evaluated: ${error.message}`;
    }
  }
  return undefined;
}

/** The value of an expression about a task as an event left it. */
export function evaluateAtEvent(
  { expression, readsFacts }: EventExpression,
  { workflow, event, names, hook }: JudgedSubject,
  { after, before }: TaskAtEvent,
  timeAllowed: TimeAllowed,
): unknown {
  const { happenedAt } = event;
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
  const told = readsFacts ? factsIn(event, names) : [];
  const facts = new Map([...told, ['body', hook?.body ?? null]]);
  return expression.evaluate({ ...input, other: input.other ?? blank, facts }, timeAllowed);
}
