import { type StepDefinition } from '../workflows/model/action-definition.js';
import { type Message } from '../common/message.js';
import { about } from '../workflows/model/known.js';
import { type Workflow } from '../workflows/model/workspace.js';
import { expressionInput } from './action-context.js';
import { type EffectKind } from './effect.js';
import { expressionOf, readableInSteps } from './linked-reads.js';
import { type Run, StepFailed, type StepOutcome, type StepType } from './step.js';
import { addChecklistItems } from './steps/add-checklist-items.js';
import { apiCall } from './steps/api-call.js';
import { comment } from './steps/comment.js';
import { askSomebody } from './steps/ask.js';
import { assign } from './steps/assign.js';
import { createLinkedTask } from './steps/create-linked-task.js';
import { deleteTask } from './steps/delete-task.js';
import { moveToStage } from './steps/move-to-stage.js';
import { postMessage } from './steps/post-message.js';
import { sendEmail } from './steps/send-email.js';
import { scheduleAction } from './steps/schedule-action.js';
import { updateFields } from './steps/update-fields.js';
import { updateLinkedTasks } from './steps/update-linked-tasks.js';

export const stepTypes: ReadonlyMap<string, StepType> = new Map([
  ['move_to_stage', moveToStage],
  ['assign', assign],
  ['update_fields', updateFields],
  ['create_linked_task', createLinkedTask],
  ['update_linked_tasks', updateLinkedTasks],
  ['delete_task', deleteTask],
  ['add_checklist_items', addChecklistItems],
  ['comment', comment],
  ['schedule_action', scheduleAction],
  ['api_call', apiCall],
  ['send_email', sendEmail],
  ['ask', askSomebody],
  ['post_message', postMessage],
]);

/** If a step changes tasks of another workflow, attributes the step's message to that workflow. */
export function aboutStep(step: StepDefinition, workflow: Workflow, said: Message): Message {
  const [link] = 'relationship' in step ? (stepTypes.get(step.type)?.touches?.(step, workflow) ?? []) : [];
  return link ? about(link.otherWorkflowId, said) : said;
}

/** Returns the effect of a step on another system; undefined if it has none. */
export function effectKindOf(step: StepDefinition | undefined): EffectKind | undefined {
  return stepTypes.get(step?.type ?? '')?.effect;
}

/**
 * Runs a step, or skips it if its `when` is not true. Throws if this version does not know the step's type.
 */
export async function runStep(step: StepDefinition, run: Run): Promise<StepOutcome> {
  const { name } = step;
  const type = typeOf(step);
  if (!isWanted(step, run)) return { name, status: 'Skipped', because: 'when' };
  await type.run(step, run);
  return { name, status: type.isSentLater ? 'Queued' : 'Success' };
}

function typeOf({ type }: StepDefinition): StepType {
  const known = stepTypes.get(type);
  if (!known) throw new StepFailed('has an unknown type');
  return known;
}

function isWanted({ when }: StepDefinition, { context }: Run): boolean {
  if (when === undefined) return true;
  const expression = expressionOf(context.scope.workflow.schema, when, ...readableInSteps);
  return expression.evaluate(expressionInput(context, expression), context.timeAllowed) === true;
}
