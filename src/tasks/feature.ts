import { BlobEntity } from './files/blob.entity.js';
import { blobSweep } from './files/sweep-blobs.js';
import { LinkEntity } from './links/link.entity.js';
import { tasksImpact } from './migrate-data/tasks.impact.js';
import { ChecklistItemEntity } from './store/checklist-item.entity.js';
import { FieldIndexEntity } from './store/field-index.entity.js';
import { indexSweep } from './store/index-fill.job.js';
import { TaskEntity } from './store/task.entity.js';
import { TaskSortKeyEntity } from './store/task-sort-key.entity.js';
import { TaskWordsEntity } from './store/task-words.entity.js';
import { UniqueIdCounterEntity } from './store/unique-id-counter.entity.js';
import { TasksModule } from './tasks.module.js';

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
