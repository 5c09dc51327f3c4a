import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ClocksController } from './clocks.controller.js';
import { ClocksService } from './clocks.service.js';
import { EventClock } from './clock.dto.js';
import { clocks } from './clocks.kind.js';
import { clockSweep } from './clock-changes.job.js';
import { ClockEntity, ClockChangeEntity } from './clock.entity.js';
import { clockKind } from './clock.job.js';
import { clocksFollower } from './clocks-follower.js';
import { clocksImpact } from './clock-changes.repository.js';

@Module({
  imports: [EventsModule],
  controllers: [ClocksController],
  providers: [ClocksService],
  exports: [ClocksService],
})
export class ClocksModule {}

export const clocksFeature = {
  kinds: [clocks],
  entities: [ClockEntity, ClockChangeEntity],
  impact: clocksImpact,
  jobs: [clockKind],
  sweeps: [clockSweep],
  followers: [clocksFollower],
  eventTypes: ['clock.fired', 'clock.missed'],
  eventData: { clock: { type: () => EventClock } },
  runKind: 'clock',
  modules: [ClocksModule],
};
