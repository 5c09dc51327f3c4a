import { kind } from '../../workflows/model/kind.js';
import {
  listSetting,
  closedMapping,
  givenFields,
  idText,
  wordsOf,
} from '../../workflows/model/schema-parts.js';
import { setRules } from './rule-states.repository.js';
import { weaker, whenHigher } from '../../workflows/fields/weaker.js';
import Type, { type TObject } from 'typebox';
import { asMapping, asText, readAs, readShape } from '../../workflows/model/definition-reader.js';
import { acrossName, refers } from '../../workflows/model/marks.js';
import { type RuleDefinition, RATE, rateOf } from './rule-definition.js';
import { triggerTypes } from './trigger-types.js';
import { factsOf } from './trigger.js';
import { checkGivenByRule } from '../../actions/check/given.js';
import { checkCondition } from '../../workflows/model/check/formulas.js';
import { checkNamed, type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';

const timesASecond = (text: string): number => rateOf(text).count / rateOf(text).seconds;

const rate = (title: string, what: string, standard: string, example = standard) =>
  Type.Optional(
    Type.String({
      ...weaker(whenHigher(timesASecond, standard)),
      title,
      description: `${what} Default: ${standard}.`,
      examples: [example],
      pattern: RATE,
      $comment: 'is not a rate such as 3 per day: a number per minute, hour or day',
    }),
  );

const common = {
  run: Type.String({
    ...refers('action', { at: acrossName('of') }),
    title: 'Run',
    description: 'The id of the action that the rule starts.',
  }),
  when: Type.Optional(
    Type.String({
      title: 'When',
      description:
        'A CEL expression that must be true. It can read task["Field"] (the value after the event), before["Field"] (the value before the event), actor["kind"], actor["id"], and actor["name"] if the actor is a key. It can also read what the trigger provides: `approval`, `comment`, `item`, `execution` or `body`.',
      examples: ['task["Contract Value"] > 1000'],
    }),
  ),
  as: Type.Optional(
    Type.String({
      ...refers('user'),
      title: 'As',
      description: 'The e-mail of the user who performs the action. Default: the rule itself.',
      examples: ['mina@acme.test'],
    }),
  ),
  of: Type.Optional(
    Type.String({
      title: 'Of',
      description:
        'The name or id of a relationship. `run` then names an action of the linked workflow. The action runs on the linked tasks, at most 100, instead of the task itself.',
    }),
  ),
  fields: givenFields(
    'Expressions can read all that `when` can read, such as approval["comment"].',
    acrossName('of'),
  ),
  limit: Type.Optional(
    Type.Object(
      {
        per_rule: rate(
          'Per rule',
          'How often the rule may start the action. Further starts wait.',
          '100 per minute',
        ),
        per_task: rate(
          'Per task',
          'How often the rule may start the action on one task for events that rules caused. Further starts are left out.',
          '10 per hour',
          '3 per day',
        ),
      },
      { ...closedMapping, title: 'Limit', description: 'How often the rule may start its action.' },
    ),
  ),
};

function schemaOfRule(on: string, settings: TObject) {
  const { title, description, examples } = wordsOf(settings);
  return Type.Object(
    {
      id: idText({ title: 'Id of the rule', description: 'Identifies the rule in its workflow.' }),
      on: Type.Literal(on, { title: 'Trigger', description }),
      ...settings.properties,
      ...common,
    },
    {
      ...closedMapping,
      title,
      description,
      examples: examples.map((example) => ({ id: `when-${on}`, on, ...example, run: 'close' })),
    },
  );
}

const schemas = new Map([...triggerTypes].map(([on, { settings }]) => [on, schemaOfRule(on, settings)]));

/** A rule of a definition; its schema depends on `on`. */
const rule = readAs(
  Type.Unsafe<RuleDefinition>({
    title: 'Rule',
    description: 'Starts an action when an event happens; `on` says which event.',
    type: 'object',
    required: ['on'],
    discriminator: { propertyName: 'on' },
    oneOf: [...schemas.values()],
  }),
  // Returns undefined for an unknown trigger, which the schema refuses.
  (value) => {
    const raw = asMapping(value);
    const schema = schemas.get(asText(raw['on']));
    return schema && readShape(schema, raw);
  },
);

export const rules = kind({
  name: 'rule',
  list: 'rules',
  of: 'workflow',
  key: ['id'],
  schema: listSetting(rule, {
    title: 'Rules',
    description: 'Rules start actions when events happen. The order of this list is the order of the starts.',
    maxItems: 200,
  }),
  check: checkRule,
  async begin(tx, { workspaceId, definition, workflowIds }): Promise<void> {
    const wanted = definition.workflows.flatMap((workflow) => {
      const workflowId = workflowIds.get(workflow.id);
      return workflowId === undefined ? [] : rules.in(workflow).map(({ id }) => ({ workflowId, ruleId: id }));
    });
    await setRules(tx, workspaceId, wanted);
  },
});

function checkRule(rule: RuleDefinition, scope: WorkflowScope, report: Report): void {
  const target = rule.of === undefined ? scope : linkedScope(rule, scope);
  if (target) {
    const event = { name: 'before', workflow: scope, facts: factsOf(triggerTypes.get(rule.on)) } as const;
    checkGivenByRule({ holder: rule, key: 'run', action: rule.run }, scope, target, report, event);
  } else checkOf(rule, scope, report);
  triggerTypes.get(rule.on)?.check?.(rule, scope, report);
  if (rule.when !== undefined) checkWhen(rule, rule.when, scope, report);
}

function linkedScope(rule: RuleDefinition, scope: WorkflowScope): WorkflowScope | undefined {
  const { ends } = scope;
  const byId = ends.filter(({ id }) => id === rule.of);
  const end = ends.find(({ name }) => name === rule.of) ?? (byId.length === 1 ? byId[0] : undefined);
  return end && scope.workspace.workflows.get(end.far);
}

function checkOf(rule: RuleDefinition, scope: WorkflowScope, report: Report): void {
  const name = rule.of ?? '';
  const { ends } = scope;
  const known = ends.map((end) => end.name);
  const own = ends.filter(({ id }) => id === name);
  if (own.length > 1) {
    report(rule, 'of', `has both ends in this workflow: write ${own.map((end) => end.name).join(' or ')}`);
    return;
  }
  // A relationship to an unknown workflow is reported at the definition of the relationship.
  checkNamed(name, `a relationship of workflow ${scope.workflow.id}`, known, report.at(rule, 'of'));
}

/** `when` reads the task as it was at the event. It cannot read linked tasks: they may have changed since. */
function checkWhen(rule: RuleDefinition, when: string, scope: WorkflowScope, report: Report): void {
  const other = { name: 'before', workflow: scope, facts: factsOf(triggerTypes.get(rule.on)) } as const;
  const expression = checkCondition(when, scope, report.at(rule, 'when'), other);
  if (expression && expression.linked.size > 0)
    report(rule, 'when', 'reads linked tasks, which are not in events: use a requirement of the action');
}
