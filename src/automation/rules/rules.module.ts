import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { RulesController } from './rules.controller.js';
import { RulesService } from './rules.service.js';

@Module({
  imports: [EventsModule],
  controllers: [RulesController],
  providers: [RulesService],
})
export class RulesModule {}
