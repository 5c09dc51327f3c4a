import Type from 'typebox';
import { stepType } from '../step.js';

export const deleteTask = stepType(
  Type.Object({}, { title: 'Delete the task', description: 'May only come last.', examples: [{}] }),
  {
    touches: (_, workflow) => [...workflow.schema.links.values()],
    isLast: true,
    foretell: () => 'deletes the task',
    /** The task goes when all steps are done. */
    run(_, run) {
      run.isDeleted = true;
    },
  },
);
