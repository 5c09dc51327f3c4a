import Type, { type Static } from 'typebox';
import { closedMapping, emailText, idText } from '../../workspace/schema-parts.js';

/** The words that `not` accepts beside person fields. */
export const excludedWords = ['creator', 'editors', 'performer'] as const;

const group = Type.Object(
  {
    id: idText({ title: 'Id of the group', description: 'Identifies the group in its action.' }),
    count: Type.Integer({
      title: 'Count',
      description: 'How many approvals it takes.',
      minimum: 1,
      maximum: 100,
      default: 1,
    }),
    roles: Type.Optional(
      Type.Array(Type.String(), {
        title: 'Roles',
        description: 'Ids of roles of the workflow whose members may decide.',
        minItems: 1,
      }),
    ),
    users: Type.Optional(
      Type.Array(emailText({ title: 'User', description: 'A user of the workspace.' }), {
        title: 'Users',
        description: 'Users of the workspace who may decide.',
        minItems: 1,
      }),
    ),
    field: Type.Optional(
      Type.String({ title: 'Field', description: 'A person field. The person whom it names may decide.' }),
    ),
    not: Type.Optional(
      Type.Array(Type.String(), {
        title: 'Not',
        description:
          'People who may not decide, though a role, `users` or `field` names them: creator (of the task), editors (who changed something that is covered since the task was made or the action last succeeded), performer (of the action), or the person whom a person field names.',
        minItems: 1,
        examples: [['creator', 'editors']],
      }),
    ),
    covers: Type.Optional(
      Type.Array(Type.String(), {
        title: 'Covers',
        description:
          'Fields and relationships whose change ends an approval; of a relationship the values of the linked tasks, too. All fields and sets of links unless said.',
        minItems: 1,
      }),
    ),
    expires: Type.Optional(
      Type.String({
        title: 'Expires',
        description: 'How long an approval counts: a number of minutes, hours or days.',
        examples: ['30 days', '12 hours'],
      }),
    ),
    by: Type.Optional(
      Type.Enum(['people', 'anyone'], {
        title: 'By',
        description:
          'people: users decide on the pages, where they are signed in. anyone: a key may decide, too, for the user whom it names in performed_by.',
        default: 'people',
      }),
    ),
    when: Type.Optional(
      Type.String({
        title: 'When',
        description: 'A CEL expression: where it is false, the group is not needed.',
        examples: ['task["Amount"] > 10000'],
      }),
    ),
  },
  {
    ...closedMapping,
    title: 'Group',
    description:
      'The people who may approve, by roles, users or a field; at least one of these keys is required. `count` of them must approve.',
  },
);

export const approvalsSchema = Type.Object(
  {
    distinct: Type.Optional(
      Type.Boolean({
        title: 'Distinct',
        description: 'Whether a person counts for one of the groups only.',
        default: true,
      }),
    ),
    of: Type.Array(group, {
      title: 'Of',
      description: 'Groups, all of which must approve.',
      minItems: 1,
      maxItems: 20,
    }),
  },
  {
    ...closedMapping,
    title: 'Approvals',
    description: 'Who must approve the task as it is before the action may begin.',
    examples: [
      { of: [{ id: 'legal', count: 2, roles: ['buyer'], not: ['creator', 'editors'], expires: '30 days' }] },
    ],
  },
);

export type ApprovalsDefinition = Static<typeof approvalsSchema>;

export type GroupDefinition = Static<typeof group>;
