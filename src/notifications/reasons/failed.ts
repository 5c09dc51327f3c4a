import { type ReasonType } from '../reason.js';

/**
 * An action failed: the task's assignee and the user who started the action are notified. An action that could not
 * start has not failed.
 */
export const whenFailed: ReasonType = {
  types: ['execution.failed'],
  tellsDoer: true,
  whom({ event, doer, assigneeId }) {
    if (event.about?.['unavailable'] === true) return [];
    return [assigneeId, doer].filter((user) => user != null);
  },
};
