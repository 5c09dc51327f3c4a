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
import { BlobEntity } from './files/blob.entity.js';
import { blobSweep } from './files/sweep-blobs.js';
import { LinkEntity } from './links/link.entity.js';
import { tasksImpact } from './migrate-data/tasks.impact.js';
import { ChecklistItemEntity } from './store/checklist-item.entity.js';
import { FieldIndexEntity, TaskSortKeyEntity, TaskWordsEntity } from './store/field-index.entity.js';
import { indexSweep } from './store/index-fields.js';
import { TaskEntity, UniqueIdCounterEntity } from './store/task.entity.js';

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

export const tasksFeature = {
  entities: [
    TaskEntity,
    ChecklistItemEntity,
    BlobEntity,
    LinkEntity,
    UniqueIdCounterEntity,
    FieldIndexEntity,
    TaskSortKeyEntity,
    TaskWordsEntity,
  ],
  impact: tasksImpact,
  sweeps: [indexSweep],
  periodic: [blobSweep],
  eventTypes: ['task.created', 'task.updated', 'task.deleted'],
  modules: [TasksModule],
};
