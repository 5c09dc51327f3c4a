import { type ReasonType } from '../reason.js';

/** An action failed after it had started: the assignee and the user who started it are notified. */
export const whenFailed: ReasonType = {
  types: ['execution.failed'],
  tellsDoer: true,
  whom({ event, doer, assigneeId }) {
    if (event.about?.['unavailable'] === true) return [];
    return [assigneeId, doer].filter((user) => user != null);
  },
};
