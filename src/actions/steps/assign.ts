import Type from 'typebox';
import { didYouMean } from '../../lib/did-you-mean.js';
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
      const { to } = step;
      if (to === 'performer' || to === 'nobody') return;
      if (to.includes('@')) checkUser(step, 'to', to, workspace, report);
      else
        report(
          step,
          'to',
          `is neither performer, nobody nor the e-mail of a user: ${to}${didYouMean(to, ['performer', 'nobody'])}`,
        );
    },
    changes: ({ to }, { workflow }) => [
      { is: 'set', workflow: workflow.id, key: 'Assigned To', ...(to !== 'performer' && { to }) },
    ],
    isReplaced: true,
    rename: (step, renames) => ({ ...step, to: renames.user(step.to) }),
    async run({ to }, run) {
      const { performer } = run.context;
      if (to === 'performer' && !performer) throw new StepFailed('there is no performer to assign it to');
      const email = to === 'performer' ? (performer?.email ?? null) : to === 'nobody' ? null : to;
      await changeTask(run, new Map([['Assigned To', email]]));
    },
  },
);
