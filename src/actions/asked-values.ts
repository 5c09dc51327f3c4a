import { type Json, type JsonObject } from '../../packages/exact-json/json.js';
import { pauses } from '../../packages/fair/turn.js';
import { type Expression } from '../expressions/expression.js';
import { FieldErrors, invalidField } from '../lib/field-errors.js';
import { say } from '../lib/message.js';
import { type Stored } from '../schema/field-type.js';
import { parseTask } from '../schema/parse-task.js';
import { emptyChange, type TaskChange } from '../schema/task-change.js';
import { type TaskView } from '../schema/task-view.js';
import { validateUpdate } from '../schema/validate-task.js';
import { type SetDefinition } from '../workspace/schema-parts.js';
import { type Scope } from '../workspace/scope.js';
import { type Workflow } from '../workspace/workspace.js';
import { type Action } from './action.js';
import { type ActionContext } from './action-context.js';
import { expressionsIn, valuesOf } from './step-values.js';

/**
 * What an action that asks for values was given: canonical ones by the ids of their fields, null for blank; or what a
 * definition says, which is evaluated when the execution comes to its turn.
 */
export type Given =
  { readonly values: Readonly<Record<string, Stored | null>> } | { readonly set: SetDefinition };

/** Reads what is given by the names of fields, as a payload would hold it. Throws with all that is wrong. */
export async function readGiven(
  scope: Scope,
  action: Pick<Action, 'name' | 'asked'>,
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

/** What values change of a task, if they are all that the action asks for and fit. */
async function judgeGiven(
  scope: Scope,
  { name: action, asked }: Pick<Action, 'name' | 'asked'>,
  values: JsonObject,
  task: TaskView,
): Promise<TaskChange> {
  const { schema } = scope.workflow;
  const isAsked = (name: string): boolean => asked.some(({ field }) => field === name);
  const errors = new FieldErrors();
  for (const name of values.keys()) if (!isAsked(name)) errors.add(name, say`is not asked for by ${action}`);
  const known: JsonObject = new Map([...values].filter(([name]) => isAsked(name)));
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

/** What an execution's values change of its task; of fields that are not there any more nothing. Throws where they do not fit. */
export async function changeOfGiven(
  context: ActionContext,
  action: Pick<Action, 'name' | 'asked'>,
  given: Given | null,
): Promise<TaskChange> {
  const { scope, task } = context;
  if (given && 'set' in given) return judgeGiven(scope, action, valuesOf(given.set, { context }), task);
  const { schema } = scope.workflow;
  const change = emptyChange(schema, 'action');
  const there = new Set(schema.properties.map(({ fieldId }) => fieldId));
  for (const [id, value] of Object.entries(given?.values ?? {}))
    if (there.has(id) && value === null) change.blank.add(id);
    else if (there.has(id) && value !== null) change.set.set(id, value);
  return change;
}

/** What is evaluated of what an execution is given. */
export function expressionsOfGiven(given: Given | null, workflow: Workflow): Iterable<Expression> {
  return given && 'set' in given ? expressionsIn(given.set, workflow) : [];
}
