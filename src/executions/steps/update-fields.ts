import { changeTask } from '../run.js';
import { type StepType } from '../step-type.js';
import { valuesOf } from '../values-of.js';

export const updateFields: StepType<'update_fields'> = ({ set }, run) => {
  changeTask(run, valuesOf(set, run));
};
