import { type Condition } from '../schema/condition.js';
import { controls } from '../schema/filters.js';
import { parseListQuery } from '../schema/list-query.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { invalidField } from '../lib/field-errors.js';
import { type FiringPlace, fillIn } from './placeholders.js';

/** The conditions of a query of tasks at a firing; throws `InvalidFields` if it is not valid. */
export function conditionsOf(schema: TaskSchema, query: string, place: FiringPlace): readonly Condition[] {
  const parameters = new URLSearchParams(fillIn(query, place, encodeURIComponent));
  for (const name of parameters.keys())
    if (controls.has(name) && name !== '_search')
      throw invalidField(name, 'is not for schedules: the action starts on all tasks found');
  return parseListQuery(schema, parameters).conditions;
}
