import { type EntityManager } from 'typeorm';
import { ChecklistItemEntity } from '../tasks/store/checklist-item.entity.js';
import { say } from '../common/message.js';

type NewItem = Omit<ChecklistItemEntity, 'place' | 'status' | 'assigneeId'> & Partial<ChecklistItemEntity>;

/**
 * Adds items to the checklist of one task, which the transaction has locked. If they are too many, adds none and
 * returns false.
 */
export async function addItems(tx: EntityManager, items: readonly NewItem[]): Promise<boolean> {
  const [{ workspaceId, workflowId, taskId }] = items as [NewItem];
  const count = await tx.countBy(ChecklistItemEntity, { workspaceId, workflowId, taskId });
  if (count + items.length > MAX_ITEMS) return false;
  await tx.insert(ChecklistItemEntity, [...items]);
  return true;
}

/** The API returns whole checklists, and ticking an item locks the whole checklist. */
const MAX_ITEMS = 1000;

export const tooManyItems = say`would have more than ${MAX_ITEMS} checklist items`;
