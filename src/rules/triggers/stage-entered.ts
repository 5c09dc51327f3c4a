import { stageTrigger } from '../stage-trigger.js';

/** The creation of a task enters its first stage. */
export const stageEntered = stageTrigger({
  title: 'A task enters a stage',
  description: 'The task came to the stage, or was created there.',
  verb: 'became',
  types: ['task.created', 'task.updated'],
  stageIn: ({ stageTo }) => stageTo,
});
