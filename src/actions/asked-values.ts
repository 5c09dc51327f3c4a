import { type Expression } from '../workflows/expressions/expression.js';
import { emptyChange, type TaskChange } from '../workflows/fields/task-change.js';
import { type Asking, type Given, judgeGiven } from './given.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { type ActionContext } from './action-context.js';
import { expressionsIn, valuesOf } from './step-values.js';

/** The change that the given values make. Fields that no longer exist are ignored. Throws if a value does not fit. */
export async function changeOfGiven(
  context: ActionContext,
  action: Asking,
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

/** The expressions in the given values. */
export function expressionsOfGiven(given: Given | null, workflow: Workflow): Iterable<Expression> {
  return given && 'set' in given ? expressionsIn(given.set, workflow) : [];
}
