import Type from 'typebox';
import { say } from '../../../common/message.js';
import { refers } from '../../../workflows/model/marks.js';
import { triggerType } from '../trigger.js';

export const linked = triggerType(
  Type.Object(
    {
      relationship: Type.String({
        ...refers('relationship'),
        title: 'Relationship',
        description: 'The id of a relationship of this workflow.',
      }),
      side: Type.Optional(
        Type.Enum(['from', 'to'], {
          title: 'Side',
          description: 'The side of the relationship that the task is on. Default: either.',
        }),
      ),
    },
    {
      title: 'A task is linked',
      description:
        'Another task was linked to the task. The link was made by creating or updating either task.',
      examples: [{ relationship: 'orders' }],
    },
  ),
  {
    types: ['task.created', 'task.updated'],
    compile({ relationship, side }, { schema }) {
      const signs = side === undefined ? ['>', '<'] : [side === 'from' ? '>' : '<'];
      const sides = signs.map((sign) => sign + relationship);
      const name = sides.map((each) => schema.links.get(each)?.name).find((each) => each !== undefined) ?? '';
      return ({ event: { links } }) => {
        const isMet = links?.some(([at, isLinked]) => isLinked && sides.includes(at)) === true;
        return { isMet, because: isMet ? say`${name} was linked` : say`${name} gained no link` };
      };
    },
  },
);
