import { type FieldErrors } from '../errors/field-errors.js';
import { readDto } from '../payloads/read-dto.js';
import { type Json, type JsonObject } from '../schema/json.js';
import { emptyChange } from '../schema/task-change.js';
import { type Workflow } from '../workflows/workspace.js';
import { ChecklistItemDto } from './checklist-item.dto.js';

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
  const { value, errors } = readDto(ChecklistItemDto, given, 'is not a field of a checklist item');
  for (const name of missing) errors.add(name, 'is required');
  const task = emptyChange();
  const read = (name: string, input: Json | undefined): void => {
    const refusal = input === undefined ? undefined : schema.byName.get(name)?.read(input, task);
    if (refusal) errors.add(name, refusal.message);
  };
  if (given.has('Stage')) read('Stage', payload.get('Stage'));
  read('Assigned To', payload.get('Assigned To'));
  const { stageId, assigneeId } = task;
  return { change: { title: value.title, status: value.status, stageId, assigneeId }, errors };
}

/** A value that the checks of DTOs can look at; what is neither text nor flag is wrong everywhere. */
function simple(value: Json): string | boolean | number | null {
  return typeof value === 'string' || typeof value === 'boolean' || value === null ? value : NaN;
}
