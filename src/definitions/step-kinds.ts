import { type StepType } from './step-definition.js';
import { type StepKind } from './step-kind.js';
import { addChecklistItems } from './steps/add-checklist-items.js';
import { apiCall } from './steps/api-call.js';
import { assign } from './steps/assign.js';
import { createLinkedTask } from './steps/create-linked-task.js';
import { deleteTask } from './steps/delete-task.js';
import { moveToStage } from './steps/move-to-stage.js';
import { updateFields } from './steps/update-fields.js';
import { updateLinkedTasks } from './steps/update-linked-tasks.js';

export type StepKinds = { readonly [T in StepType]: StepKind<T> };

/** Every type of step. */
export const stepKinds: StepKinds = {
  move_to_stage: moveToStage,
  assign,
  update_fields: updateFields,
  create_linked_task: createLinkedTask,
  update_linked_tasks: updateLinkedTasks,
  delete_task: deleteTask,
  add_checklist_items: addChecklistItems,
  api_call: apiCall,
};

export function isStepType(text: string): text is StepType {
  return Object.hasOwn(stepKinds, text);
}
