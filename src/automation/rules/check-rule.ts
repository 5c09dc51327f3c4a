import { checkGivenByRule } from '../../workflows/model/check/given.js';
import { checkCondition } from '../../workflows/model/check/formulas.js';
import { checkNamed, type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { type RuleDefinition } from './rule-definition.js';
import { warnOfContradiction } from '../../workflows/model/check/contradiction.js';
import { impliedBy, warnOfFixedFields, warnOfStart } from './warn-of-rule.js';
import { factsOf } from './facts.js';
import { triggerTypes } from './trigger-types.js';

/** Reports what is wrong with a rule. */
export function checkRule(rule: RuleDefinition, scope: WorkflowScope, report: Report): void {
  const target = rule.of === undefined ? scope : linkedScope(rule, scope);
  if (target) {
    const event = { name: 'before', workflow: scope, facts: factsOf(triggerTypes.get(rule.on)) } as const;
    checkGivenByRule({ holder: rule, key: 'run', action: rule.run }, scope, target, report, event);
  } else checkOf(rule, scope, report);
  triggerTypes.get(rule.on)?.check?.(rule, scope, report);
  if (rule.when !== undefined) checkWhen(rule, rule.when, scope, report);
  warnOfStart(rule, scope, report);
  warnOfFixedFields(rule, scope, report);
  warnOfContradiction(rule, impliedBy(rule, scope), scope, report);
}

/** The workflow at the other end of the relationship that a rule names. */
export function linkedScope(rule: RuleDefinition, scope: WorkflowScope): WorkflowScope | undefined {
  const ends = endsAt(scope);
  const byId = ends.filter(({ id }) => id === rule.of);
  const end = ends.find(({ name }) => name === rule.of) ?? (byId.length === 1 ? byId[0] : undefined);
  return end && scope.workspace.workflows.get(end.far);
}

function endsAt({ workspace, workflow }: WorkflowScope) {
  const ends = [...workspace.relationships.values()].flatMap(({ id, from, to }) => [
    { id, name: from.name, at: from.workflow, far: to.workflow },
    { id, name: to.name, at: to.workflow, far: from.workflow },
  ]);
  return ends.filter(({ at }) => at === workflow.id);
}

function checkOf(rule: RuleDefinition, scope: WorkflowScope, report: Report): void {
  const name = rule.of ?? '';
  const ends = endsAt(scope);
  const known = ends.map((end) => end.name);
  const own = ends.filter(({ id }) => id === name);
  if (own.length > 1) {
    report(rule, 'of', `has both ends in this workflow: write ${own.map((end) => end.name).join(' or ')}`);
    return;
  }
  // A relationship that leads nowhere is reported where it is defined.
  checkNamed([rule, 'of'], name, `a relationship of workflow ${scope.workflow.id}`, known, report);
}

/** `when` is about the task as the event left it, so it may read nothing that can have changed since. */
function checkWhen(rule: RuleDefinition, when: string, scope: WorkflowScope, report: Report): void {
  const other = { name: 'before', workflow: scope, facts: factsOf(triggerTypes.get(rule.on)) } as const;
  const expression = checkCondition(rule, 'when', when, scope, report, other);
  if (expression && expression.linked.size > 0)
    report(rule, 'when', 'reads linked tasks, which are not in events: use a requirement of the action');
}
