import { TimerEntity } from '../../actions/timers/timer.entity.js';
import { timer } from './timer.job.js';
import { timersImpact } from './timers.impact.js';
import { TimersModule } from './timers.module.js';

export const timersFeature = {
  entities: [TimerEntity],
  impact: timersImpact,
  jobs: [timer],
  runKind: 'timer',
  modules: [TimersModule],
};
