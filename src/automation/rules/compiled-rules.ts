import { factsOf, type Judge, type TriggerType } from './trigger.js';
import { foundOnce } from '../../workflows/model/check/kit.js';
import { type Expression } from '../../workflows/expressions/expression.js';
import { expressionOf } from '../../actions/linked-reads.js';
import { fieldIdsOf } from '../../actions/at-event.js';
import { rules } from './rules.kind.js';
import { type RuleDefinition, defaultRates, type Rate, rateOf } from './rule-definition.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type Link } from '../../workflows/fields/task-schema.js';
import { triggerTypes } from './trigger-types.js';

export interface Rule {
  readonly definition: RuleDefinition;
  readonly types: readonly string[];
  readonly judge: Judge;
  readonly condition: (EventExpression & { readonly fieldIds: readonly string[] }) | undefined;
  /** The relationship and direction that `of` names; undefined if the action runs on the task itself. */
  readonly side: string | undefined;
  /** The internal id of the workflow whose action the rule starts. */
  readonly targetId: number;
  readonly perRule: Rate;
  readonly perTask: Rate;
}

export interface EventExpression {
  readonly source: string;
  readonly expression: Expression;
}

/** The compiled rules of a workflow. Leaves out stored rules that this service version cannot compile. */
export const rulesIn = foundOnce((workflow: Workflow): readonly Rule[] =>
  rules.in(workflow).flatMap((definition) => compileRule(definition, workflow) ?? []),
);

/** The rules of a workflow by the types of events that may trigger them, in the order of the definition. */
export const rulesByType = foundOnce((workflow: Workflow): ReadonlyMap<string, readonly Rule[]> => {
  const all = rulesIn(workflow);
  const types = new Set(all.flatMap((rule) => rule.types));
  return new Map(Array.from(types, (type) => [type, all.filter((rule) => rule.types.includes(type))]));
});

/** Returns undefined for a trigger that only a newer version of the service knows. */
function compileRule(definition: RuleDefinition, workflow: Workflow): Rule | undefined {
  const { on, when, limit } = definition;
  const trigger = triggerTypes.get(on);
  const link = linkOf(workflow, definition.of);
  return (
    trigger && {
      definition,
      types: trigger.types,
      judge: trigger.compile(definition, workflow),
      condition: when === undefined ? undefined : conditionOf(when, workflow, trigger),
      side: link?.side,
      targetId: link?.otherWorkflowId ?? workflow.id,
      perRule: limit?.per_rule === undefined ? defaultRates.perRule : rateOf(limit.per_rule),
      perTask: limit?.per_task === undefined ? defaultRates.perTask : rateOf(limit.per_task),
    }
  );
}

function conditionOf(source: string, workflow: Workflow, trigger: TriggerType): Rule['condition'] {
  const expression = expressionOf(workflow.schema, source, 'before', factsOf(trigger));
  return { source, expression, fieldIds: fieldIdsOf(workflow, expression) };
}

/** Finds the link that `of` names, either by the link's key in tasks or by the id of its relationship. */
function linkOf({ schema }: Workflow, of: string | undefined): Link | undefined {
  const side = of === undefined ? undefined : schema.byName.get(of)?.links?.side;
  if (side !== undefined) return schema.links.get(side);
  return [...schema.links.values()].find(({ relationshipId }) => relationshipId === of);
}
