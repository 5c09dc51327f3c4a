import { HooksController, ReceivedHooksController } from './hooks/hooks.controller.js';
import { HooksService } from './hooks/hooks.service.js';
import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { RulesController } from './rules.controller.js';
import { RulesService } from './rules.service.js';

@Module({
  imports: [EventsModule],
  controllers: [RulesController, HooksController, ReceivedHooksController],
  providers: [RulesService, HooksService],
})
export class RulesModule {}
