import Type from 'typebox';
import { triggerType } from '../trigger.js';

export const commented = triggerType(
  Type.Object(
    {},
    {
      title: 'A comment is written',
      description:
        'Somebody wrote a comment; `when` and `fields` may read comment["author"] and comment["body"].',
      examples: [{ when: 'actor["kind"] == "key"' }],
    },
  ),
  {
    types: ['comment.created'],
    reads: 'comment',
    compile: () => () => ({ isMet: true, because: 'a comment was written' }),
  },
);
