import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { EventsModule } from '../events/events.module.js';
import { BatchesController } from './batch/batch.controller.js';
import { BatchesService } from './batch/batch.service.js';
import { BatchWriter } from './batch/batch-writer.js';
import { TaskSearches } from './list/task-searches.js';
import { TeamLoads } from './team-loads.js';
import { TasksController } from './tasks.controller.js';
import { TaskLists } from './list/task-lists.service.js';
import { TasksService } from './tasks.service.js';
import { TaskWriter } from './write-task.js';

@Module({
  imports: [AttachmentsModule, EventsModule],
  controllers: [BatchesController, TasksController],
  providers: [TasksService, TaskWriter, TaskLists, BatchesService, BatchWriter, TaskSearches, TeamLoads],
  exports: [TasksService, TaskWriter, TaskLists, BatchWriter, TaskSearches, TeamLoads],
})
export class TasksModule {}
