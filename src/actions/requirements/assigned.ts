import { weaker, whenLess } from '../../workflows/fields/weaker.js';
import Type from 'typebox';
import { requirementType } from '../requirement.js';

export const assigned = requirementType(
  Type.Boolean({
    ...weaker(whenLess),
    title: 'Assigned',
    description: 'The task must be assigned.',
    examples: [true],
  }),
  {
    compile: (isWanted) =>
      isWanted
        ? ({ task }) =>
            task.assigneeId === null
              ? [{ message: 'Must be assigned', about: 'Assigned To', isBlank: true as const }]
              : []
        : undefined,
  },
);
