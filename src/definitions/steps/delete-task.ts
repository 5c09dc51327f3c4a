import { type StepKind } from '../step-kind.js';

/** May only come last, which the check of all steps sees to. */
export const deleteTask: StepKind<'delete_task'> = {
  read: () => ({}),
  check: () => undefined,
  rename: (step) => step,
};
