import { Module } from '@nestjs/common';
import { BatchesController } from './batch/batch.controller.js';
import { BatchesService } from './batch/batch.service.js';
import { BatchWriter } from './batch/batch-writer.js';
import { TaskSearches } from './list/task-searches.js';
import { TeamLoads } from './team-loads.js';
import { TasksController } from './tasks.controller.js';
import { TaskLists } from './list/task-lists.service.js';
import { Uploads } from './files/uploads.js';
import { TasksService } from './tasks.service.js';
import { TaskWriter } from './write-task.js';

@Module({
  controllers: [BatchesController, TasksController],
  providers: [
    TasksService,
    TaskWriter,
    TaskLists,
    BatchesService,
    BatchWriter,
    TaskSearches,
    TeamLoads,
    Uploads,
  ],
  exports: [TasksService, TaskWriter, TaskLists, BatchWriter, TaskSearches, TeamLoads, Uploads],
})
export class TasksModule {}
