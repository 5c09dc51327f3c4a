import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RunEntity } from '../../entities/run.entity.js';
import { RunsController } from './runs.controller.js';
import { RunsService } from './runs.service.js';

/** The runs of rules, clocks, schedules and timers. */
@Module({
  imports: [EventsModule, TypeOrmModule.forFeature([RunEntity])],
  controllers: [RunsController],
  providers: [RunsService],
  exports: [RunsService],
})
export class RunsModule {}
