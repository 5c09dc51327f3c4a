import { stageTrigger } from '../stage-trigger.js';

/** The creation of a task enters its first stage. */
export const stageEntered = stageTrigger({
  title: 'A task enters a stage',
  description: 'The task was moved to the stage, or created in it.',
  verb: 'became',
  types: ['task.created', 'task.updated'],
  stageIn: ({ stageTo }) => stageTo,
});
