import { isStepType } from '../definitions/step-kinds.js';
import { type StepDefinition, type StepType as StepName } from '../definitions/step-definition.js';
import { type Run } from './run.js';
import { StepFailed } from './step-failed.js';
import { type StepType } from './step-type.js';
import { addChecklistItems } from './steps/add-checklist-items.js';
import { apiCall } from './steps/api-call.js';
import { assign } from './steps/assign.js';
import { createLinkedTask } from './steps/create-linked-task.js';
import { deleteTask } from './steps/delete-task.js';
import { moveToStage } from './steps/move-to-stage.js';
import { updateFields } from './steps/update-fields.js';
import { updateLinkedTasks } from './steps/update-linked-tasks.js';

/** Every type of step. */
const stepTypes: { readonly [T in StepName]: StepType<T> } = {
  move_to_stage: moveToStage,
  assign,
  update_fields: updateFields,
  create_linked_task: createLinkedTask,
  update_linked_tasks: updateLinkedTasks,
  delete_task: deleteTask,
  add_checklist_items: addChecklistItems,
  api_call: apiCall,
};

/** Does a step; what is stored may be of a type that nobody knows any more. */
export async function doStep(step: StepDefinition, run: Run): Promise<void> {
  if (!isStepType(step.type)) throw new StepFailed('is of a type that is not known');
  await (stepTypes[step.type] as (step: StepDefinition, run: Run) => Promise<void> | void)(step, run);
}
