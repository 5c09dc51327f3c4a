import { type FollowerTurn } from '../../events/follower.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type Rule } from './compiled-rules.js';
import { type HookSubject } from './hooks/hook-subject.js';
import { type Action } from '../../actions/action.js';
import { type Given, readGiven } from '../../workflows/model/given.js';
import { expressionIfAny, expressionOf } from '../../actions/linked-reads.js';
import { reasonOfFailure } from '../../actions/step.js';
import { isFormula } from '../../actions/step-values.js';
import { taskAtEvent } from '../../events/task-at-event.js';
import { TimeAllowed } from '../../workflows/expressions/time-allowed.js';
import { type Message } from '../../common/message.js';
import { toJson } from '../../../packages/exact-json/json.js';
import { blankTask } from '../../workflows/fields/task-view.js';
import { type SetDefinition, type SetValue } from '../../workflows/model/schema-parts.js';
import { type Scope } from '../../workflows/model/scope.js';
import { eventExpression } from './compiled-rules.js';
import { factsOf } from './facts.js';
import { evaluateAtEvent, fieldIdsOf } from './judge-event.js';
import { triggerTypes } from './trigger-types.js';

/** A rule that an event has triggered. */
export interface MetByEvent extends Pick<FollowerTurn, 'tx' | 'workspace' | 'names'> {
  readonly event: RecordedEvent;
  readonly workflow: Workflow;
  readonly rule: Rule;
  /** The hook request, if the rule has a hook. */
  readonly hook?: HookSubject | undefined;
}

/** The values that a rule gives to its action, from the task as the event left it; or why it cannot. */
export async function givenByRule(
  met: MetByEvent,
  { scope, action }: { readonly scope: Scope; readonly action: Action },
): Promise<{ readonly given: Given | null } | { readonly because: Message }> {
  const { fields } = met.rule.definition;
  if (!fields && action.asked.length === 0) return { given: null };
  try {
    const values = new Map(
      Object.entries(await valuesAtEvent(met, fields ?? {})).map(([name, value]) => [name, toJson(value)]),
    );
    return { given: await readGiven(scope, action, values, blankTask) };
  } catch (error) {
    const because = reasonOfFailure(error);
    if (because === undefined) throw error;
    return { because };
  }
}

async function valuesAtEvent(
  { tx, workspace, event, workflow, rule, names, hook }: MetByEvent,
  fields: SetDefinition,
): Promise<Record<string, unknown>> {
  const facts = factsOf(triggerTypes.get(rule.definition.on));
  const { schema } = workflow;
  const read = Object.values(fields).flatMap((value) => {
    const expression = isFormula(value)
      ? expressionIfAny(schema, value.expression, 'before', facts)
      : undefined;
    return expression ? fieldIdsOf(workflow, expression) : [];
  });
  const task = await taskAtEvent(tx, workspace.id, event, [...new Set(read)]);
  const timeAllowed = new TimeAllowed();
  const valueOf = (value: SetValue): unknown => {
    if (!isFormula(value)) return value;
    const expression = expressionOf(schema, value.expression, 'before', facts);
    const judged = { db: tx, event, workflow, names, hook };
    const at = task ?? { after: { ...blankTask, stageId: schema.stages.initial.id }, before: undefined };
    return evaluateAtEvent(eventExpression(value.expression, expression), judged, at, timeAllowed);
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, valueOf(value)]));
}
