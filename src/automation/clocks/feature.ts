import { EventClock } from './clock.dto.js';
import { clocks } from './clocks.kind.js';
import { ClockChangeEntity } from './clock-change.entity.js';
import { clockSweep } from './clock-changes.job.js';
import { ClockEntity } from './clock.entity.js';
import { clockKind } from './clock.job.js';
import { clocksFollower } from './clocks-follower.js';
import { clocksImpact } from './clocks.impact.js';
import { ClocksModule } from './clocks.module.js';

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
