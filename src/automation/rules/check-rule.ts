import { each, factsOf } from './trigger.js';
import { checkGivenByRule } from '../../actions/check/given.js';
import { checkCondition } from '../../workflows/model/check/formulas.js';
import { checkNamed, type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { type RuleDefinition } from './rule-definition.js';
import { triggerTypes } from './trigger-types.js';
import { nameInStep, warnOfNoPerformer, warnOfUnoffered } from '../starts.js';

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

/** Warns of a rule whose action is not offered where it starts, or lacks a performer. */
function warnOfStart(rule: RuleDefinition, { workflow }: WorkflowScope, report: Report): void {
  // The action of a rule with `of` belongs to another workflow.
  const action = rule.of === undefined ? workflow.actions.find(({ id }) => id === rule.run) : undefined;
  if (!action) return;
  const named = stagesNamed(rule);
  const open = workflow.stages.map(({ name }) => name).filter((name) => !named.includes(name));
  if (rule.on === 'stage_entered') warnOfUnoffered(rule, action, named, 'some', report);
  if (rule.on === 'stage_left') warnOfUnoffered(rule, action, open, 'all', report);
  if (rule.as === undefined)
    warnOfNoPerformer(rule, action, report, `write as: <e-mail> here, or ${nameInStep}`);
}

function stagesNamed(rule: RuleDefinition): string[] {
  return [settingOf(rule, 'stage'), settingOf(rule, 'stages')]
    .flat()
    .filter((name) => typeof name === 'string');
}

/** A setting of a trigger, whose type its file declares. */
const settingOf = (rule: RuleDefinition, key: string): unknown => Reflect.get(rule, key);

function warnOfFixedFields(rule: RuleDefinition, scope: WorkflowScope, report: Report): void {
  if (rule.on !== 'field_changed') return;
  const fixed = each(settingOf(rule, 'field'))
    .map(String)
    .filter((name) => {
      const { editable, change } = scope.fields.get(name) ?? {};
      return (
        editable === false ||
        (change === 'by_actions' && !scope.workspace.uses.isSet(scope.workflow.id, name))
      );
    });
  const message = `waits for ${fixed.join(', ')}, which nothing changes in an existing task`;
  if (fixed.length > 0) report(rule, 'field', message, 'warning');
}
