import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ScheduleStateEntity } from '../entities/schedule-state.entity.js';
import { RunsModule } from '../runs/runs.module.js';
import { CalendarsController } from './calendars.controller.js';
import { SchedulesController } from './schedules.controller.js';
import { SchedulesService } from './schedules.service.js';

@Module({
  imports: [RunsModule, TypeOrmModule.forFeature([ScheduleStateEntity])],
  controllers: [SchedulesController, CalendarsController],
  providers: [SchedulesService],
  exports: [SchedulesService],
})
export class SchedulesModule {}
