import { RefusedExecution } from '../errors/refused-execution.js';
import { type User } from '../schema/field-type.js';
import { type JsonObject, type Json, NumberLiteral } from '../schema/json.js';
import { isStorable } from '../schema/text.js';
import { type Workflow } from '../workflows/workspace.js';

/** What the body of a POST of an execution asks for. */
export interface Start {
  /** The Unique ID of the task. */
  readonly taskId: string;
  readonly actionId: string;
  /** Absent where the key itself acts. */
  readonly performer: User | undefined;
}

/** Reads the body; other keys are ignored. Throws with everything that is wrong. */
export function parseStart({ schema }: Workflow, payload: JsonObject): Start {
  const errors: string[] = [];
  const text = (name: string): string => {
    const value = textOf(payload.get(name) ?? null);
    if (value === undefined) errors.push(`${name} is not a text`);
    else if (value === '') errors.push(`${name} is required`);
    return value ?? '';
  };
  const taskId = text('task_id');
  const actionId = text('action_id');
  const performedBy = payload.get('performed_by') ?? null;
  const performer = typeof performedBy === 'string' ? schema.users.find(performedBy) : undefined;
  if (performedBy !== null && !performer?.active) errors.push('performed_by is not a user of this workspace');
  if (errors.length > 0) throw new RefusedExecution(errors);
  return { taskId, actionId, performer };
}

/** A text, or an integer's digits; '' where there is nothing. */
function textOf(input: Json): string | undefined {
  if (input === null) return '';
  if (input instanceof NumberLiteral) return /^-?\d+$/.test(input.text) ? input.text : undefined;
  return typeof input === 'string' && isStorable(input) ? input : undefined;
}
