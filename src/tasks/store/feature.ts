import { BlobEntity } from './blob.entity.js';
import { ChecklistItemEntity } from './checklist-item.entity.js';
import { FieldIndexEntity } from './field-index.entity.js';
import { indexSweep } from './index-fill.job.js';
import { TaskSortKeyEntity } from './task-sort-key.entity.js';
import { TaskWordsEntity } from './task-words.entity.js';
import { TaskEntity } from './task.entity.js';
import { UniqueIdCounterEntity } from './unique-id-counter.entity.js';

/** What this folder brings to the service. */
export const taskStoreFeature = {
  entities: [
    TaskEntity,
    ChecklistItemEntity,
    BlobEntity,
    UniqueIdCounterEntity,
    FieldIndexEntity,
    TaskSortKeyEntity,
    TaskWordsEntity,
  ],
  sweeps: [indexSweep],
};
