import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WorkspaceEntity } from '../../workflows/model/entities/workspace.entity.js';
import { CalendarsController } from './calendars.controller.js';
import { CalendarsService } from './calendars.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([WorkspaceEntity])],
  controllers: [CalendarsController],
  providers: [CalendarsService],
})
export class SchedulesModule {}
