import { type PossibleChange } from '../../actions/step.js';
import { stepTypes } from '../../actions/step-types.js';
import { type WorkflowScope, type WorkspaceScope } from '../../workflows/model/check/kit.js';
import { type ActionDefinition } from '../../workflows/model/action-definition.js';
import { type RuleLink } from '../../workflows/model/rule-links.js';
import { type RuleDefinition } from './rule-definition.js';
import { rules } from './rules.kind.js';
import { linkedScope } from './check-rule.js';
import { triggerTypes } from './trigger-types.js';

/** Nobody would read more links. */
const MAX_LINKS = 2000;

/** Which rules of a definition may trigger which, by the changes of their actions; the first 2,000 of them. */
export function* findRuleLinks({ workflows }: WorkspaceScope): Generator<void, RuleLink[]> {
  const links: RuleLink[] = [];
  for (const scope of workflows.values()) {
    yield;
    for (const rule of rules.in(scope.workflow))
      for (const link of linksOf(rule, scope)) if (links.push(link) === MAX_LINKS) return links;
  }
  return links;
}

function* linksOf(rule: RuleDefinition, scope: WorkflowScope): Generator<RuleLink> {
  const nameOf = (within: WorkflowScope, { id }: RuleDefinition): string => `${within.workflow.id} / ${id}`;
  const changes = changesBy(rule, scope);
  const changed = new Set(changes.map(({ workflow }) => workflow));
  for (const [slug, other] of scope.workspace.workflows)
    for (const next of changed.has(slug) ? rules.in(other.workflow) : []) {
      const followed = changes.filter((change) => mayFollow(next, other, change));
      const keys = [...new Set(followed.map(({ key }) => key))];
      if (keys.length > 0)
        yield { rule: nameOf(scope, rule), run: rule.run, changes: keys, next: nameOf(other, next) };
    }
}

function changesBy(rule: RuleDefinition, scope: WorkflowScope): PossibleChange[] {
  const target = rule.of === undefined ? scope : linkedScope(rule, scope);
  const action = target?.workflow.actions.find(({ id }) => id === rule.run);
  if (!target || !action) return [];
  return startedBy(action, target.workflow.actions).flatMap(({ id, steps }) => [
    ...steps.flatMap((step) => stepTypes.get(step.type)?.changes?.(step, target) ?? []),
    { is: 'ended' as const, workflow: target.workflow.id, key: id },
  ]);
}

/** The action, and the actions that its steps start later. */
function startedBy(first: ActionDefinition, all: readonly ActionDefinition[]): ActionDefinition[] {
  const started = [first];
  for (const { steps } of started)
    for (const step of steps) {
      const later = 'action' in step ? all.find(({ id }) => id === step.action) : undefined;
      if (later && !started.includes(later)) started.push(later);
    }
  return started;
}

function mayFollow(rule: RuleDefinition, { workflow, workspace }: WorkflowScope, change: PossibleChange) {
  if (change.workflow !== workflow.id) return false;
  const trigger = triggerTypes.get(rule.on);
  const { from, to } = (change.is === 'linked' && workspace.relationships.get(change.key)) || {};
  const names = [from, to].flatMap((end) => (end?.workflow === workflow.id ? [end.name] : []));
  // Rules on fields give a relationship's name, rules on links its id.
  return [change, ...names.map((key) => ({ ...change, key }))].some(
    (each) => trigger?.follows?.(rule, each) === true,
  );
}
