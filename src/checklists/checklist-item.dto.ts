import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, Matches, ValidateIf } from 'class-validator';
import { type FieldErrors } from '../common/field-errors.js';
import { IsFilled, readPayload, telling } from '../common/http/read-dto.js';
import { type Json, type JsonObject } from '../../packages/exact-json/json.js';
import { ref } from '../common/openapi/vocabulary.js';
import { emptyChange } from '../workflows/fields/task-change.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { say } from '../common/message.js';
import { type ChecklistItemEntity } from '../tasks/store/checklist-item.entity.js';
import { StaleDefinition } from '../workflows/model/workspaces.js';
import { itemStatuses } from '../common/column-values.js';

export class ChecklistItem {
  @ApiProperty({ description: 'Opaque.' })
  readonly id!: string;

  @ApiProperty({ description: '1 to 500 characters.' })
  readonly title!: string;

  @ApiProperty({ enum: itemStatuses, description: 'Any status may follow any other.' })
  readonly status!: string;

  @ApiProperty({ description: 'False for items of the template. These items cannot be deleted.' })
  readonly editable!: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'The e-mail of a user, or null.' })
  readonly 'Assigned To'!: string | null;

  @ApiProperty({ allOf: [ref('Stage')] })
  readonly Stage!: string;
}

export type StoredItem = Omit<ChecklistItemEntity, 'place'>;

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

/** Returns the name of the stage of an item. Throws if only a newer definition has the stage. */
function stageName({ stages }: Workflow['schema'], stageId: number): string {
  const stage = stages.all.find(({ id }) => id === stageId);
  if (!stage) throw new StaleDefinition('an item is in a stage that is not known yet');
  return stage.name;
}

const IfGiven = () => ValidateIf((_: object, value: unknown) => value !== undefined);

export class NewChecklistItem {
  @ApiProperty({ minLength: 1, maxLength: 500 })
  @Matches(/^[^\0\p{Surrogate}]*$/u, { message: 'contains a character that cannot be stored' })
  @Length(1, 500, { message: 'is not 1 to 500 characters long' })
  @IsString({ message: 'is not a text' })
  @IsFilled()
  readonly title?: string;

  @ApiProperty({ allOf: [ref('Stage')] })
  @IsFilled()
  readonly Stage?: unknown;

  @ApiPropertyOptional({ enum: itemStatuses, description: 'Any status may follow any other.' })
  @IfGiven()
  @IsIn(itemStatuses, telling(say`is not one of: ${itemStatuses.join(', ')}`))
  readonly status?: (typeof itemStatuses)[number];

  @ApiPropertyOptional({ type: String, nullable: true, description: 'An e-mail; null unassigns.' })
  readonly 'Assigned To'?: unknown;

  @ApiPropertyOptional({ type: String, description: 'Ignored, so clients can send back what they read.' })
  readonly id?: unknown;

  @ApiPropertyOptional({ type: Boolean, description: 'Ignored, like `id`.' })
  readonly editable?: unknown;
}

/** The payload of a change of an item. Title and stage may be absent, but not null. */
export class ChecklistItemUpdate extends NewChecklistItem {
  @ApiPropertyOptional()
  @IfGiven()
  override readonly title?: string;

  @ApiPropertyOptional()
  @IfGiven()
  override readonly Stage?: unknown;
}

export class ChecklistItemsQuery {
  @ApiPropertyOptional({ description: 'Only the items of this stage.', allOf: [ref('Stage')] })
  @IsOptional()
  Stage?: string;
}

/** A change of an item, or a new item. In a change, an undefined value changes nothing. */
export interface ItemChange {
  readonly title: string | undefined;
  readonly status: NewChecklistItem['status'];
  readonly stageId: number | undefined;
  readonly assigneeId: string | null | undefined;
}

/** Parses the payload of a checklist item; collects all errors. */
export function parseItem(
  { schema }: Workflow,
  payload: JsonObject,
  { isNew }: { readonly isNew: boolean },
): { change: ItemChange; errors: FieldErrors } {
  const { value, errors } = readPayload(
    isNew ? NewChecklistItem : ChecklistItemUpdate,
    payload,
    'a checklist item',
  );
  const task = emptyChange(schema, 'payload');
  const read = (name: string, input: Json | undefined): void => {
    const refusal = input === undefined ? undefined : schema.byName.get(name)?.read(input, task);
    if (refusal) errors.add(name, refusal.said);
  };
  if (value.Stage !== undefined) read('Stage', payload.get('Stage'));
  read('Assigned To', payload.get('Assigned To'));
  const { stageId, assigneeId } = task;
  return { change: { title: value.title, status: value.status, stageId, assigneeId }, errors };
}
