import { type Json, type JsonObject } from '../../packages/exact-json/json.js';
import { pauses } from '../../packages/fair/turn.js';
import { FieldErrors, invalidField } from '../common/field-errors.js';
import { nearNameMeant } from '../common/did-you-mean.js';
import { hinted, say } from '../common/message.js';
import { type Stored } from '../workflows/fields/field-type.js';
import { parseTask } from '../workflows/fields/parse-task.js';
import { type TaskChange } from '../workflows/fields/task-change.js';
import { type TaskView } from '../workflows/fields/task-view.js';
import { validateUpdate } from '../workflows/fields/validate-task.js';
import { type ActionField } from '../workflows/model/action-definition.js';
import { type SetDefinition } from '../workflows/model/schema-parts.js';
import { type Scope } from '../workflows/model/scope.js';

export interface Asking {
  readonly name: string;
  readonly asked: readonly ActionField[];
}

/**
 * The values that an action asks for. `values` maps field ids to canonical values; a blank field maps to
 * null. `set` comes from a definition; its templates and expressions are evaluated when the execution starts.
 */
export type Given =
  { readonly values: Readonly<Record<string, Stored | null>> } | { readonly set: SetDefinition };

/** Parses an object that maps field names to values; null if it is empty. Throws all errors at once. */
export async function readGiven(
  scope: Scope,
  action: Asking,
  sent: Json | undefined,
  task: TaskView,
): Promise<Given | null> {
  const { set, blank } = await judgeGiven(scope, action, objectOf(sent), task);
  const values = { ...Object.fromEntries([...blank].map((id) => [id, null])), ...Object.fromEntries(set) };
  return Object.keys(values).length === 0 ? null : { values };
}

function objectOf(sent: Json | undefined): JsonObject {
  if (sent === undefined || sent === null) return new Map();
  if (sent instanceof Map) return sent as JsonObject;
  throw invalidField('fields', 'is not an object');
}

/** Returns the change that the values make. Throws for missing, invalid and unknown values. */
export async function judgeGiven(
  scope: Scope,
  { name: action, asked }: Asking,
  values: JsonObject,
  task: TaskView,
): Promise<TaskChange> {
  const { schema } = scope.workflow;
  const names = new Set(asked.map(({ field }) => field));
  const errors = new FieldErrors();
  for (const [index, name] of [...values.keys()].filter((each) => !names.has(each)).entries()) {
    // Only the first names get a suggestion by their spelling, because a payload may have thousands of names.
    const meant = index < 3 ? nearNameMeant(name, names) : '';
    errors.add(name, hinted(say`is not asked for by ${action}`, meant));
  }
  const known: JsonObject = new Map([...values].filter(([name]) => names.has(name)));
  const parsed = await parseTask(schema, known, pauses(scope), 'action');
  const { change, refused } = parsed;
  const missing = asked.filter(({ field, required }) => {
    const id = schema.byName.get(field)?.fieldId ?? '';
    return required && !change.set.has(id) && !refused.some(({ name }) => name === field);
  });
  for (const { field } of missing) errors.add(field, 'is required');
  errors.addAll(validateUpdate(schema, parsed, task));
  errors.throwIfAny();
  return change;
}
