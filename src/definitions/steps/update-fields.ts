import { checkOwnSet } from '../checks/set.js';
import { readSet } from '../read-set.js';
import { type StepKind } from '../step-kind.js';

export const updateFields: StepKind<'update_fields'> = {
  read: ({ set }) => ({ set: readSet(set) }),
  check(step, scope, report) {
    checkOwnSet(step.set, scope, report);
  },
  rename: (step, renames) => ({ ...step, set: renames.set(step.set) }),
};
