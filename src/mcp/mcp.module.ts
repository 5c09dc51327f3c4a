import { Module } from '@nestjs/common';
import { ActionsModule } from '../actions/actions.module.js';
import { ChecklistsModule } from '../checklists/checklists.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { McpController, OwnOriginGuard } from './mcp.controller.js';
import { McpServices } from './tool.js';

@Module({
  imports: [ActionsModule, ChecklistsModule, CommentsModule, EventsModule, ExecutionsModule, TasksModule],
  controllers: [McpController],
  providers: [McpServices, OwnOriginGuard],
})
export class McpModule {}
