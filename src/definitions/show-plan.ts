import { circlesIn, type RuleLink } from '../rules/rule-graph.js';
import { type Plan } from './draft.js';
import { refusalsOf } from './impact/effect.js';

/** A plan as programs read it. */
export interface ShownPlan extends Plan {
  /** Rules that may start each other in an endless circle. */
  readonly circles: RuleLink['rule'][][];
  /** The reasons why an apply would refuse it. */
  readonly refusals: readonly string[];
}

/** A plan for programs. */
export function showPlan(plan: Plan, allowsDataLoss: boolean): ShownPlan {
  const { workspace, version, changes, effects, kept, rules, warnings } = plan;
  const refusals = refusalsOf(effects, allowsDataLoss);
  return { workspace, version, changes, effects, kept, rules, circles: circlesIn(rules), warnings, refusals };
}
