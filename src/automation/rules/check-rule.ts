import { factsOf } from './trigger.js';
import { checkGivenByRule } from '../../actions/check/given.js';
import { checkCondition } from '../../workflows/model/check/formulas.js';
import { checkNamed, type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { type RuleDefinition } from './rule-definition.js';
import { triggerTypes } from './trigger-types.js';

export function checkRule(rule: RuleDefinition, scope: WorkflowScope, report: Report): void {
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
  // A relationship that leads nowhere is reported at its own definition.
  checkNamed(name, `a relationship of workflow ${scope.workflow.id}`, known, report.at(rule, 'of'));
}

/** `when` is about the task as the event left it, so it may read nothing that may have changed since. */
function checkWhen(rule: RuleDefinition, when: string, scope: WorkflowScope, report: Report): void {
  const other = { name: 'before', workflow: scope, facts: factsOf(triggerTypes.get(rule.on)) } as const;
  const expression = checkCondition(when, scope, report.at(rule, 'when'), other);
  if (expression && expression.linked.size > 0)
    report(rule, 'when', 'reads linked tasks, which are not in events: use a requirement of the action');
}
