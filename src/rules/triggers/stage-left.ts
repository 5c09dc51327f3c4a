import { stageTrigger } from '../stage-trigger.js';

export const stageLeft = stageTrigger({
  title: 'A task leaves a stage',
  description: 'The task stood in the stage and went to another.',
  verb: 'was',
  types: ['task.updated'],
  stageIn: ({ stageFrom }) => stageFrom,
});
