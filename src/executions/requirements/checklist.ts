import { type RequirementType } from '../requirement.js';

/** The items of the task's stage must be completed or skipped. */
export const checklist: RequirementType = (wanted) =>
  wanted.checklist === 'completed'
    ? ({ isChecklistDone }) => (isChecklistDone ? [] : ['Checklist must be completed'])
    : undefined;
