import { actions } from './actions.kind.js';

/** What this folder brings to the service. */
export const actionsFeature = { kinds: [actions] };
