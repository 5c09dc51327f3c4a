import { type ReasonType } from '../reason.js';

/** A rung of a clock was reached: a reminder before its end, or the end itself. */
export const whenDue: ReasonType = {
  types: ['clock.fired'],
  whom: ({ assigneeId }) => (assigneeId === null ? [] : [assigneeId]),
};
