import { factsOf, type Judge } from './trigger.js';
import { type Expression } from '../../workflows/expressions/expression.js';
import { expressionOf } from '../../actions/linked-reads.js';
import { rules } from './rules.kind.js';
import { type RuleDefinition, defaultRates, type Rate, rateOf } from './rule-definition.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type Link } from '../../workflows/fields/task-schema.js';
import { triggerTypes } from './trigger-types.js';

export interface Rule {
  readonly definition: RuleDefinition;
  readonly types: readonly string[];
  readonly judge: Judge;
  readonly condition: EventExpression | undefined;
  /** The side of the relationship in `of`; undefined if the action runs on the task itself. */
  readonly side: string | undefined;
  /** The internal id of the workflow whose action it starts. */
  readonly targetId: number;
  readonly perRule: Rate;
  readonly perTask: Rate;
}

export interface EventExpression {
  readonly source: string;
  readonly expression: Expression;
  /** Whether it reads facts of the event besides its task: loading them takes longer than judging the event. */
  readonly readsFacts: boolean;
}

export function eventExpression(source: string, expression: Expression): EventExpression {
  return {
    source,
    expression,
    readsFacts: /\b(?:actor|comment|item|execution|approval)\b/.test(source),
  };
}

export function rulesIn(workflow: Workflow): readonly Rule[] {
  const own = rules.in(workflow);
  const known = compiled.get(own);
  if (known) return known;
  const made = own.flatMap((definition) => compileRule(definition, workflow) ?? []);
  compiled.set(own, made);
  return made;
}

const compiled = new WeakMap<readonly RuleDefinition[], readonly Rule[]>();

/** Undefined if a newer version has stored a trigger that this version does not know. */
function compileRule(definition: RuleDefinition, workflow: Workflow): Rule | undefined {
  const { on, when, limit } = definition;
  const trigger = triggerTypes.get(on);
  const link = linkOf(workflow, definition.of);
  return (
    trigger && {
      definition,
      types: trigger.types,
      judge: trigger.compile(definition, workflow),
      condition:
        when === undefined
          ? undefined
          : eventExpression(when, expressionOf(workflow.schema, when, 'before', factsOf(trigger))),
      side: link?.side,
      targetId: link?.otherWorkflowId ?? workflow.id,
      perRule: limit?.per_rule === undefined ? defaultRates.perRule : rateOf(limit.per_rule),
      perTask: limit?.per_task === undefined ? defaultRates.perTask : rateOf(limit.per_task),
    }
  );
}

/** The link that a rule's `of` names: by the key that tasks show, or by the relationship's id. */
function linkOf({ schema }: Workflow, of: string | undefined): Link | undefined {
  const side = of === undefined ? undefined : schema.byName.get(of)?.links?.side;
  if (side !== undefined) return schema.links.get(side);
  return [...schema.links.values()].find(({ relationshipId }) => relationshipId === of);
}
