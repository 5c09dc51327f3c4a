import { Module } from '@nestjs/common';
import { TimerEntity } from '../../actions/timers/timer.entity.js';
import { timer } from './timer.job.js';
import { timersImpact } from '../../actions/timers/timers.repository.js';
import { TimersController } from './timers.controller.js';
import { TimersService } from './timers.service.js';

@Module({ controllers: [TimersController], providers: [TimersService] })
export class TimersModule {}

export const timersFeature = {
  entities: [TimerEntity],
  impact: timersImpact,
  jobs: [timer],
  runKind: 'timer',
  modules: [TimersModule],
};
