import { type Allowance } from '../expressions/allowance.js';
import { type User, type Output } from '../schema/field-type.js';
import { type TaskView } from '../schema/task-view.js';
import { type Workflow } from '../workspace/workspace.js';
import { decimal } from '../expressions/decimal.js';
import { type ExpressionInput, type ExpressionValue } from '../expressions/expression.js';
import { JsonText } from '../lib/json/json.js';

/** Everything that an action is judged by: a task at one moment, and who wants it. */
export interface ActionContext {
  readonly workflow: Workflow;
  readonly task: TaskView;
  /** Whether no item of the task's stage is blank; true where no action asks. */
  readonly isChecklistDone: boolean;
  /** Absent where the key itself acts. */
  readonly performer: User | undefined;
  /** YYYY-MM-DD, in the time zone of the workspace. */
  readonly today: string;
  /** The moment that it is judged at: of an execution, when it began to run. */
  readonly now: Date;
  /** What expressions may cost together. */
  readonly allowance: Allowance;
}

/** What an expression sees of a context: these fields of the task, numbers as decimals, attachments by their names. */
export function expressionInput(
  { workflow: { schema }, task, performer, today, now }: ActionContext,
  fields: ReadonlySet<string>,
): ExpressionInput {
  const values = new Map<string, ExpressionValue>();
  for (const name of fields) {
    const property = schema.byName.get(name);
    const output = property?.serialize(task) ?? null;
    if (output instanceof JsonText) continue;
    const isNumber = property?.filter?.order.by === 'number';
    values.set(name, isNumber && typeof output === 'string' ? decimal(output) : valueOf(output));
  }
  return { task: values, performer: performer?.email ?? null, today, now: now.toISOString() };
}

function valueOf(output: Output): ExpressionValue {
  if (output === null || typeof output === 'string' || typeof output === 'boolean') return output;
  if (Array.isArray(output)) return (output as readonly Output[]).map(valueOf);
  const { filename } = output as { readonly filename?: Output };
  return typeof filename === 'string' ? filename : null;
}
