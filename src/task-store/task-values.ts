import { textAsJson } from '../lib/json/json.js';
import { randomText } from '../lib/random-id.js';
import { type Stored } from '../schema/field-type.js';
import { type TaskChange } from '../schema/task-change.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { type Workflow } from '../workspace/workspace.js';
import { type Precondition } from './task-row.js';

/** What an update's statement needs of a change, in the order of its parameters behind the workflow's three. */
export function updateValues(
  { schema }: Pick<Workflow, 'schema'>,
  { stageId, assigneeId, uniqueValue, set, blank }: TaskChange,
  { versions, holds }: Precondition,
) {
  const mustBeBlank = (field: string): boolean =>
    schema.required.has(field) || schema.frozen.has(field) || holds.has(field);
  // Most workflows freeze nothing.
  const frozen = schema.frozen.size === 0 ? [] : [...set].filter(([field]) => schema.frozen.has(field));
  const blanked = [...blank];
  return [
    uniqueValue,
    stageId,
    stageId === undefined ? undefined : !schema.stages.get(stageId).isEnd,
    assigneeId !== undefined,
    assigneeId,
    jsonOf(set),
    blanked,
    blanked.filter(mustBeBlank),
    jsonOf([...frozen, ...holds].filter(([field]) => !blank.has(field))),
    versions,
  ] as const;
}

/** The public id of a new task, its stage, whether that is active, and its defaults where the change is silent. */
export function insertValues({ stages, defaults }: TaskSchema, { stageId, set, blank }: TaskChange) {
  const stage = stageId === undefined ? stages.initial : stages.get(stageId);
  const given = [...defaults].filter(([field]) => !blank.has(field) && !set.has(field));
  return [randomText(9), stage.id, !stage.isEnd, given] as const;
}

/** Whether a task of this Unique ID counts in its workflow's numbering. */
export function isNumber({ schema }: Pick<Workflow, 'schema'>, { uniqueValue }: TaskChange): boolean {
  return schema.uniqueId?.autoincrement === true && /^(0|[1-9]\d{0,37})$/.test(uniqueValue ?? '');
}

/** Values by field id as JSON; no id needs an escape. */
export function jsonOf(values: Iterable<readonly [string, Stored]>): string {
  let text = '';
  for (const [field, value] of values)
    text += `${text === '' ? '' : ','}"${field}":${typeof value === 'string' ? textAsJson(value) : JSON.stringify(value)}`;
  return `{${text}}`;
}
