import { ApiProperty } from '@nestjs/swagger';
import { type ChecklistItemEntity } from '../entities/checklist-item.entity.js';
import { StaleDefinition } from '../workspace/workspaces.js';
import { type Workflow } from '../workspace/workspace.js';
import { ref } from '../openapi/vocabulary.js';

/** What can be said of a checklist item. */
export const itemStatuses = ['Blank', 'Skipped', 'Completed'] as const;

/** A checklist item as interface.md 2.6 shows it. */
export class ChecklistItem {
  @ApiProperty({ description: 'Opaque.' })
  readonly id!: string;

  @ApiProperty({ description: '1 to 500 characters.' })
  readonly title!: string;

  @ApiProperty({ enum: itemStatuses, description: 'Any may follow any other.' })
  readonly status!: string;

  @ApiProperty({ description: 'Whether it was added by the API; an item of the template cannot be deleted.' })
  readonly editable!: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'The e-mail of a user, or null.' })
  readonly 'Assigned To'!: string | null;

  @ApiProperty({ allOf: [ref('Stage')] })
  readonly Stage!: string;
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
    Stage: stageName(schema, stageId),
  };
}

/** The item may have been read after the task, and moved to a stage that is newer than the definition at hand. */
function stageName({ stages }: Workflow['schema'], stageId: number): string {
  const stage = stages.all.find(({ id }) => id === stageId);
  if (!stage) throw new StaleDefinition('an item is in a stage that is not known yet');
  return stage.name;
}
