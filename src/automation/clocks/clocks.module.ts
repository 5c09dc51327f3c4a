import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ClocksController } from './clocks.controller.js';
import { ClocksService } from './clocks.service.js';

@Module({
  imports: [EventsModule],
  controllers: [ClocksController],
  providers: [ClocksService],
  exports: [ClocksService],
})
export class ClocksModule {}
