import { HooksController, ReceivedHooksController } from './hooks/hooks.controller.js';
import { HooksService } from './hooks/hooks.service.js';
import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { RulesController } from './rules.controller.js';
import { RulesService } from './rules.service.js';
import { ReceivedHookEntity } from './hooks/received-hook.entity.js';
import { oldHooks } from './hooks/hooks.repository.js';
import { EventHook, EventRule } from './rule.dto.js';
import { RuleStateEntity } from './rule-state.entity.js';
import { rulesFollower } from './rules-follower.js';
import { shownRules } from './shown-rules.js';
import { waitingRunSweep } from './waiting-runs.job.js';

@Module({
  imports: [EventsModule],
  controllers: [RulesController, HooksController, ReceivedHooksController],
  providers: [RulesService, HooksService],
})
export class RulesModule {}

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
