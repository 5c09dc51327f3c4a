import Type from 'typebox';
import { say } from '../../../common/message.js';
import { refers } from '../../../workflows/model/marks.js';
import { triggerType } from '../trigger.js';

const NOBODY = 'nobody';

export const assignedTo = triggerType(
  Type.Object(
    {
      to: Type.Optional(
        Type.String({
          ...refers('user', { but: [NOBODY] }),
          title: 'To',
          description: 'The e-mail of the new assignee, or `nobody`. Default: any user.',
          examples: ['mina@acme.test'],
        }),
      ),
    },
    {
      title: 'A task is assigned',
      description: 'The assignee of the task changed, or the task was created with an assignee.',
      examples: [{ to: 'mina@acme.test' }],
    },
  ),
  {
    types: ['task.created', 'task.updated'],
    compile({ to }, { schema }) {
      const wanted = to === undefined || to === NOBODY ? null : schema.users.find(to)?.id;
      return ({ event: { assigneeFrom, assigneeTo }, names }) => {
        if (assigneeFrom === assigneeTo) return { isMet: false, because: 'Assigned To did not change' };
        const name = names.userOf(assigneeTo) ?? NOBODY;
        const isMet = to === undefined ? assigneeTo !== null : assigneeTo === wanted;
        return { isMet, because: say`Assigned To became ${name}` };
      };
    },
  },
);
