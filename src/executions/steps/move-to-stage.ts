import { changeTask } from '../run.js';
import { type StepType } from '../step-type.js';

export const moveToStage: StepType<'move_to_stage'> = ({ stage }, run) => {
  changeTask(run, new Map([['Stage', stage]]));
};
