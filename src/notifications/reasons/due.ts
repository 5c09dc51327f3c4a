import { type ReasonType } from '../reason.js';

/** A rung of a clock was reached: a reminder before its end, or the end itself. */
export const due: ReasonType = {
  types: ['clock.fired'],
  whom: ({ assigneeId }) => (assigneeId === null ? [] : [assigneeId]),
};
