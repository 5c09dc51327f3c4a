import { checkUser } from '../checks/references.js';
import { asText } from '../shape.js';
import { type StepKind } from '../step-kind.js';

export const assign: StepKind<'assign'> = {
  read: ({ to }) => ({ to: asText(to) }),
  check(step, { workspace }, report) {
    if (step.to !== 'performer' && step.to !== 'nobody') checkUser(step, 'to', step.to, workspace, report);
  },
  rename: (step, renames) => ({ ...step, to: renames.user(step.to) }),
};
