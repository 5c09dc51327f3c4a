import Type from 'typebox';
import { requirementType } from '../requirement.js';

export const checklist = requirementType(
  Type.Literal('completed', {
    title: 'Checklist',
    description: 'completed: no item of the current stage is open.',
    examples: ['completed'],
  }),
  {
    asksForChecklist: true,
    compile:
      () =>
      ({ isChecklistDone }) =>
        isChecklistDone ? [] : [{ message: 'Checklist must be completed', isOfChecklist: true }],
  },
);
