import { type ReasonType } from '../reason.js';

/** An action failed: who has the task and who started the action hear of it. One that nothing could begin has not failed. */
export const whenFailed: ReasonType = {
  types: ['execution.failed'],
  tellsDoer: true,
  whom({ event, doer, assigneeId }) {
    if (event.about?.['unavailable'] === true) return [];
    return [assigneeId, doer].filter((user) => user != null);
  },
};
