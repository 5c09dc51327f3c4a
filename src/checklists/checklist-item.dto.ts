import { IsIn, IsString, Length, Matches, ValidateIf, IsOptional } from 'class-validator';
import { Described, propertyNamesOf, QueryParameter } from '../lib/described.js';
import { type FieldErrors } from '../lib/field-errors.js';
import { readDto } from '../http/query.decorator.js';
import { nameMeant } from '../lib/meant.js';
import { type Json, type JsonObject } from '../../packages/exact-json/json.js';
import { flag, maybeText, oneOf, ref, textSchema } from '../openapi/vocabulary.js';
import { emptyChange } from '../schema/task-change.js';
import { type Workflow } from '../workspace/workspace.js';
import { itemStatuses } from './checklist-item.js';
import { type Message, say } from '../lib/message.js';

const optional = { optional: true };
const given = ValidateIf((_: object, value: unknown) => value !== undefined);

/** What a request says of a checklist item; stage and assignee are read as those of tasks are. */
export class ChecklistItemDto {
  @given
  @Matches(/^[^\0\p{Surrogate}]*$/u, { message: 'contains a character that cannot be stored' })
  @Length(1, 500, { message: 'is not 1 to 500 characters long' })
  @IsString({ message: 'is not a text' })
  @Described({ type: 'string', minLength: 1, maxLength: 500 }, optional)
  title?: string;

  @Described(ref('Stage'), optional)
  readonly Stage?: unknown;

  @given
  @IsIn(itemStatuses, { message: `is not one of: ${itemStatuses.join(', ')}` })
  @Described(oneOf(itemStatuses, 'Any may follow any other.'), optional)
  status?: (typeof itemStatuses)[number];

  @Described(maybeText('The e-mail of an active user; null unassigns.'), optional)
  readonly 'Assigned To'?: unknown;

  @Described(textSchema('Ignored, so that an answer can be sent back.'), optional)
  readonly id?: unknown;

  @Described(flag('Ignored too.'), optional)
  readonly editable?: unknown;
}

/** Which items of a checklist are asked for. */
export class ChecklistItemsQuery {
  @QueryParameter('Only the items of this stage.', ref('Stage'))
  @IsOptional()
  Stage?: string;
}

/** What a payload asks of an item; what it does not name stays as it is. */
export interface ItemChange {
  readonly title: string | undefined;
  readonly status: ChecklistItemDto['status'];
  readonly stageId: number | undefined;
  readonly assigneeId: string | null | undefined;
}

/** Reads the payload of a checklist item, collecting every refusal. */
export function parseItem(
  { schema }: Workflow,
  payload: JsonObject,
  { isNew }: { readonly isNew: boolean },
): { change: ItemChange; errors: FieldErrors } {
  const given = new Map([...payload].map(([name, value]) => [name, simple(value)]));
  const missing = ['title', 'Stage'].filter(
    (name) => (given.get(name) ?? null) === null && (isNew || given.has(name)),
  );
  for (const name of missing) given.delete(name);
  const { value, errors } = readDto(ChecklistItemDto, propertyNamesOf(ChecklistItemDto), given, unknownName);
  for (const name of missing) errors.add(name, 'is required');
  const task = emptyChange(schema.guards.payload);
  const read = (name: string, input: Json | undefined): void => {
    const refusal = input === undefined ? undefined : schema.byName.get(name)?.read(input, task);
    if (refusal) errors.add(name, refusal.said);
  };
  if (given.has('Stage')) read('Stage', payload.get('Stage'));
  read('Assigned To', payload.get('Assigned To'));
  const { stageId, assigneeId } = task;
  return { change: { title: value.title, status: value.status, stageId, assigneeId }, errors };
}

const unknownName = (name: string, names: ReadonlySet<string>): Message =>
  say`is not a field of a checklist item${nameMeant(name, names)}`;

/** The value for class-validator: one that is neither a text, a flag nor null becomes NaN, which no check accepts. */
function simple(value: Json): string | boolean | number | null {
  return typeof value === 'string' || typeof value === 'boolean' || value === null ? value : NaN;
}
