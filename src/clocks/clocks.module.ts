import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ClockChangeEntity } from '../entities/clock-change.entity.js';
import { ClockEntity } from '../entities/clock.entity.js';
import { ClocksController } from './clocks.controller.js';
import { ClocksService } from './clocks.service.js';

@Module({
  imports: [EventsModule, TypeOrmModule.forFeature([ClockEntity, ClockChangeEntity])],
  controllers: [ClocksController],
  providers: [ClocksService],
  exports: [ClocksService],
})
export class ClocksModule {}
