import {
  weaker,
  whenLater,
  whenLess,
  whenLower,
  whenNarrower,
  whenOthers,
  whenOtherwise,
} from '../../../workflows/fields/weaker.js';
import Type, { type Static } from 'typebox';
import { refers } from '../../../workflows/model/marks.js';
import { closedMapping, emailText, idText } from '../../../workflows/model/schema-parts.js';

/** The words that `not` accepts in addition to person fields. */
export const excludedWords = ['creator', 'editors', 'performer'] as const;

const group = Type.Object(
  {
    id: idText({ title: 'Id of the group', description: 'Identifies the group in its action.' }),
    count: Type.Integer({
      ...weaker(whenLower),
      title: 'Count',
      description: 'How many approvals are needed.',
      minimum: 1,
      // With 20 groups, more would keep other requests waiting while approvals are judged.
      maximum: 20,
      default: 1,
    }),
    roles: Type.Optional(
      Type.Array(Type.String(), {
        ...refers('role'),
        ...weaker(whenOthers),
        title: 'Roles',
        description: 'Ids of roles of the workflow whose members may decide.',
        minItems: 1,
      }),
    ),
    users: Type.Optional(
      Type.Array(emailText({ title: 'User', description: 'A user of the workspace.' }), {
        ...refers('user'),
        ...weaker(whenOthers),
        title: 'Users',
        description: 'Users of the workspace who may decide.',
        minItems: 1,
      }),
    ),
    field: Type.Optional(
      Type.String({
        ...refers('field'),
        ...weaker(whenOthers),
        title: 'Field',
        description: 'A person field. The person in it may decide.',
      }),
    ),
    not: Type.Optional(
      Type.Array(Type.String(), {
        ...refers('field', { but: excludedWords }),
        ...weaker(whenLess),
        title: 'Not',
        description:
          'People who cannot decide, even if a role, `users` or `field` names them: creator (of the task), editors (who changed something covered since the task was created or the action last succeeded), performer (of the action), or the name of a person field.',
        minItems: 1,
        examples: [['creator', 'editors']],
      }),
    ),
    covers: Type.Optional(
      Type.Array(Type.String(), {
        ...refers('field', { otherKeys: 'links' }),
        ...weaker(whenNarrower),
        title: 'Covers',
        description:
          'Fields and relationships whose change ends an approval; a relationship includes the values of the linked tasks. Values that `when` reads, and values that a step copies into a covered field, are covered, too. Default: all fields, and which tasks are linked.',
        minItems: 1,
      }),
    ),
    by: Type.Optional(
      Type.Enum(['people', 'anyone'], {
        ...weaker(whenLater('people', 'anyone')),
        title: 'By',
        description:
          'people: users decide on the pages, signed in. anyone: a key can decide, too, for the user named in performed_by.',
        default: 'people',
      }),
    ),
    when: Type.Optional(
      Type.String({
        ...weaker(whenOtherwise),
        title: 'When',
        description: 'A CEL expression. If it is false, the group is not needed.',
        examples: ['task["Amount"] > 10000'],
      }),
    ),
  },
  {
    ...closedMapping,
    title: 'Group',
    description:
      'The people who may approve, by roles, users or a field; at least one of these keys is required. `count` of these people must approve.',
  },
);

export const approvalsSchema = Type.Object(
  {
    of: Type.Array(group, {
      ...weaker(whenLess),
      title: 'Of',
      description: 'The groups. Every group must approve.',
      minItems: 1,
      maxItems: 20,
    }),
  },
  {
    ...closedMapping,
    ...weaker(whenLess),
    title: 'Approvals',
    description:
      'People who must approve the current state of the task before the action can begin. A person counts for only one of the groups.',
    examples: [{ of: [{ id: 'legal', count: 2, roles: ['buyer'], not: ['creator', 'editors'] }] }],
  },
);

export type ApprovalsDefinition = Static<typeof approvalsSchema>;

export type GroupDefinition = Static<typeof group>;
