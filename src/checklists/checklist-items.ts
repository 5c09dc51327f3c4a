import { type EntityManager } from 'typeorm';
import { ChecklistItemEntity } from '../tasks/store/checklist-item.entity.js';
import { say } from '../common/message.js';

type NewItem = Omit<ChecklistItemEntity, 'place' | 'status' | 'assigneeId'> & Partial<ChecklistItemEntity>;

/** Adds items to the checklist of a locked task. If not all items fit, adds none and returns false. */
export async function addItems(tx: EntityManager, items: readonly NewItem[]): Promise<boolean> {
  if (!(await hasRoom(tx, items))) return false;
  await tx.insert(ChecklistItemEntity, [...items]);
  return true;
}

/** Whether a checklist has room for these items, which all belong to one task. */
export async function hasRoom(db: EntityManager, items: readonly NewItem[]): Promise<boolean> {
  const [{ workspaceId, workflowId, taskId }] = items as [NewItem];
  const count = await db.countBy(ChecklistItemEntity, { workspaceId, workflowId, taskId });
  return count + items.length <= MAX_ITEMS;
}

/** Limits checklists, because the API returns whole checklists, and `setStatuses` locks all items. */
const MAX_ITEMS = 1000;

export const tooManyItems = say`would have more than ${MAX_ITEMS} checklist items`;
