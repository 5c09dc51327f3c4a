import Type from 'typebox';
import { stepType } from '../step.js';

export const deleteTask = stepType(
  Type.Object({}, { title: 'Delete the task', description: 'Must be the last step.', examples: [{}] }),
  {
    touches: (_, workflow) => [...workflow.schema.links.values()],
    isLast: true,
    /** Marks the task; the execution deletes it after the last step. */
    run(_, run) {
      run.isDeleted = true;
    },
  },
);
