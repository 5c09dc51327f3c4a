import { type Condition } from '../../workflows/fields/condition.js';
import { controls } from '../../workflows/fields/filters.js';
import { parseListQuery } from '../../workflows/fields/list-query.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { invalidField } from '../../common/field-errors.js';
import { type FiringPlace, fillIn } from './placeholders.js';

/** The conditions of a query of tasks at a firing; throws `InvalidFields` if it is not valid. */
export function conditionsOf(schema: TaskSchema, query: string, place: FiringPlace): readonly Condition[] {
  const parameters = new URLSearchParams(fillIn(query, place, encodeURIComponent));
  for (const name of parameters.keys())
    if (controls.has(name) && name !== '_search')
      throw invalidField(name, 'is not for schedules: the action starts on all tasks found');
  return parseListQuery(schema, parameters).conditions;
}
