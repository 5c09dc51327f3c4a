import Type from 'typebox';
import { checkUser } from '../../workspace/check/kit.js';
import { changeTask, StepFailed, stepType } from '../step.js';

export const assign = stepType(
  Type.Object(
    {
      to: Type.String({
        title: 'To',
        description: 'The e-mail of a user, `performer` or `nobody`.',
        examples: ['performer', 'nobody'],
      }),
    },
    {
      title: 'Assign the task',
      description: 'The task is given to somebody.',
      examples: [{ to: 'performer' }],
    },
  ),
  {
    check(step, { workspace }, report) {
      if (step.to !== 'performer' && step.to !== 'nobody') checkUser(step, 'to', step.to, workspace, report);
    },
    rename: (step, renames) => ({ ...step, to: renames.user(step.to) }),
    run({ to }, run) {
      const { performer } = run.context;
      if (to === 'performer' && !performer) throw new StepFailed('there is no performer to assign it to');
      const email = to === 'performer' ? (performer?.email ?? null) : to === 'nobody' ? null : to;
      changeTask(run, new Map([['Assigned To', email]]));
    },
  },
);
