import { changeTask } from '../run.js';
import { StepFailed } from '../step-failed.js';
import { type StepType } from '../step-type.js';

export const assign: StepType<'assign'> = ({ to }, run) => {
  const { performer } = run.situation;
  if (to === 'performer' && !performer) throw new StepFailed('there is no performer to assign it to');
  const email = to === 'performer' ? (performer?.email ?? null) : to === 'nobody' ? null : to;
  changeTask(run, new Map([['Assigned To', email]]));
};
