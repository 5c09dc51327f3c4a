import { type StepType } from '../step-type.js';

/** The task goes when all steps are done: nothing may come after this one. */
export const deleteTask: StepType<'delete_task'> = (_, run) => {
  run.isDeleted = true;
};
