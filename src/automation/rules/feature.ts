import { ReceivedHookEntity } from './hooks/received-hook.entity.js';
import { oldHooks } from './hooks/hooks.repository.js';
import { EventHook, EventRule } from './rule.dto.js';
import { RuleStateEntity } from './rule-state.entity.js';
import { rulesFollower } from './rules-follower.js';
import { RulesModule } from './rules.module.js';
import { shownRules } from './shown-rules.js';
import { waitingRunSweep } from './waiting-runs.job.js';

export const rulesFeature = {
  entities: [RuleStateEntity, ReceivedHookEntity],
  sweeps: [waitingRunSweep],
  followers: [rulesFollower],
  leftovers: [oldHooks],
  kinds: [shownRules],
  eventTypes: ['rule.loop', 'rule.throttled', 'rule.paused', 'rule.resumed', 'hook.received'],
  eventData: { rule: { type: () => EventRule }, hook: { type: () => EventHook } },
  runKind: 'rule',
  modules: [RulesModule],
};
