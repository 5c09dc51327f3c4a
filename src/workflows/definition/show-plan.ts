import { circlesIn } from '../model/rule-links.js';
import { type Plan } from './draft.js';
import { refusalsOf } from './refusal.js';
import { type ShownPlan } from './plan.dto.js';

/** A plan for programs. */
export function showPlan(plan: Plan, allowsDataLoss: boolean): ShownPlan {
  const { workspace, version, changes, effects, kept, rules, warnings } = plan;
  const refusals = refusalsOf(effects, allowsDataLoss);
  return { workspace, version, changes, effects, kept, rules, circles: circlesIn(rules), warnings, refusals };
}
