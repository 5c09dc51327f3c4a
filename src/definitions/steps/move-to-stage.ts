import { checkStage } from '../checks/references.js';
import { asText } from '../shape.js';
import { type StepKind } from '../step-kind.js';

export const moveToStage: StepKind<'move_to_stage'> = {
  read: ({ stage }) => ({ stage: asText(stage) }),
  check(step, scope, report) {
    checkStage(step, 'stage', step.stage, scope, report);
  },
  rename: (step, renames) => ({ ...step, stage: renames.stage(step.stage) }),
};
