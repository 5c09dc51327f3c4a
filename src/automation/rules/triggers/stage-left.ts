import { stageTrigger } from '../stage-trigger.js';

export const stageLeft = stageTrigger({
  title: 'A task leaves a stage',
  description: 'The task was moved from the stage to another.',
  verb: 'was',
  types: ['task.updated'],
  stageIn: ({ stageFrom }) => stageFrom,
});
