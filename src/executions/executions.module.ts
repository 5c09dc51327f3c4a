import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { ActionsController } from './actions.controller.js';
import { ActionsService } from './actions.service.js';
import { Bell } from './bell.js';
import { Dispatcher } from './dispatcher.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsService } from './executions.service.js';
import { Resolver } from './resolver.js';
import { ExecutionSweeper } from './sweeper.js';
import { Waiters } from './waiters.js';

@Module({
  imports: [AttachmentsModule],
  controllers: [ActionsController, ExecutionsController],
  providers: [ActionsService, Bell, Dispatcher, ExecutionsService, ExecutionSweeper, Resolver, Waiters],
})
export class ExecutionsModule {}
