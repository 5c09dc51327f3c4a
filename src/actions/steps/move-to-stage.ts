import Type from 'typebox';
import { refers } from '../../workflows/model/marks.js';
import { changeTask, stepType } from '../step.js';

export const moveToStage = stepType(
  Type.Object(
    { stage: Type.String({ ...refers('stage'), title: 'Stage', description: 'A stage of this workflow.' }) },
    {
      title: 'Move the task to a stage',
      description: 'Moves the task to another stage.',
      examples: [{ stage: 'In Review' }],
    },
  ),
  {
    async run({ stage }, run) {
      await changeTask(run, new Map([['Stage', stage]]));
    },
  },
);
