import { actions } from './actions.kind.js';
import { checkWorkflow } from './check/check-workflow.js';

/** What this folder brings to the service. */
export const actionsFeature = { kinds: [actions], checkWorkflow };
