import { stageTrigger } from '../stage-trigger.js';

/** A creation enters the stage in which the task begins. */
export const stageEntered = stageTrigger({
  title: 'A task enters a stage',
  description: 'The task came to the stage, or was created there.',
  verb: 'became',
  types: ['task.created', 'task.updated'],
  stageIn: ({ stageTo }) => stageTo,
});
