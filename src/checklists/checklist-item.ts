import { type ChecklistItemEntity } from '../entities/checklist-item.entity.js';
import { type Workflow } from '../workflows/workspace.js';

/** A checklist item as interface.md 2.6 shows it. */
export interface ChecklistItem {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly editable: boolean;
  readonly 'Assigned To': string | null;
  readonly Stage: string;
}

/** An item as it is stored, but for its place among the others. */
export type StoredItem = Omit<ChecklistItemEntity, 'place'>;

/** Writes an item by the names of the workflow's definition. */
export function serializeItem({ schema }: Workflow, item: StoredItem): ChecklistItem {
  const { id, title, status, isEditable, assigneeId, stageId } = item;
  return {
    id,
    title,
    status,
    editable: isEditable,
    'Assigned To': assigneeId === null ? null : (schema.users.get(assigneeId)?.email ?? null),
    Stage: schema.stages.get(stageId).name,
  };
}
