import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RunsModule } from '../executions/runs/runs.module.js';
import { WorkspaceEntity } from '../workspace/entities/workspace.entity.js';
import { CalendarsController } from './calendars.controller.js';
import { CalendarsService } from './calendars.service.js';
import { SchedulesController } from './schedules.controller.js';
import { SchedulesService } from './schedules.service.js';

@Module({
  imports: [RunsModule, TypeOrmModule.forFeature([WorkspaceEntity])],
  controllers: [SchedulesController, CalendarsController],
  providers: [CalendarsService, SchedulesService],
  exports: [SchedulesService],
})
export class SchedulesModule {}
