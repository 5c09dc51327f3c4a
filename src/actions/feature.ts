import { AskEntity, oldAsks } from './asks/ask.entity.js';
import { actions } from './actions.kind.js';
import { checkWorkflow } from './check/check-workflow.js';

export const actionsFeature = {
  entities: [AskEntity],
  leftovers: [oldAsks],
  kinds: [actions],
  checkWorkflow,
};
