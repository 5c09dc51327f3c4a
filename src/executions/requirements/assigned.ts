import { type RequirementType } from '../requirement.js';

/** The task must have an assignee. */
export const assigned: RequirementType = (wanted) =>
  wanted.assigned === true ? ({ task }) => (task.assigneeId === null ? ['Must be assigned'] : []) : undefined;
