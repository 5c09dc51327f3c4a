import { weaker, whenLater, whenMore, whenOthers } from '../fields/weaker.js';
import Type, { type Static } from 'typebox';
import { roleEdits, roleMoves, roleSights } from '../../common/column-values.js';
import { asText, readAs, takePlace } from './definition-reader.js';
import { refers } from './marks.js';
import { closedMapping, emailText, idText, listSetting, nameText } from './schema-parts.js';

export const role = Type.Object(
  {
    id: idText({ title: 'Id of the role', description: 'Identifies the role in its workflow.' }),
    name: nameText({ title: 'Name of the role', description: 'Shown to people.' }),
    admin: Type.Boolean({
      ...weaker(whenMore),
      title: 'Administrator',
      description: 'May do everything.',
      default: false,
    }),
    actions: listSetting(Type.String(), {
      ...refers('action'),
      ...weaker(whenOthers),
      title: 'Actions',
      description: 'Ids of the actions that its members may perform.',
      maxItems: 1000,
    }),
    sees: Type.Enum([...roleSights], {
      ...weaker(whenLater('assigned', 'all')),
      title: 'Sees',
      description: 'all: every task; assigned: tasks that are assigned to the user.',
      default: 'all',
    }),
    edits: Type.Enum([...roleEdits], {
      ...weaker(whenLater('none', 'assigned', 'all')),
      title: 'Edits',
      description:
        'Whether its members may change fields, assignee, files, links, checklist and comments of tasks that they see. all: of every task; assigned: of tasks that are assigned to the user; none: of no task.',
      default: 'all',
    }),
    creates: Type.Boolean({
      ...weaker(whenMore),
      title: 'Creates',
      description: 'Its members may create tasks.',
      default: true,
    }),
    moves: Type.Enum([...roleMoves], {
      ...weaker(whenLater('by_actions', 'any_stage')),
      title: 'Moves',
      description:
        'any_stage: its members may move a task to any stage if they may edit the task; by_actions: its members may move tasks only by actions.',
      default: 'any_stage',
    }),
    deletes: Type.Boolean({
      ...weaker(whenMore),
      title: 'Deletes',
      description: 'Its members may delete the tasks that they see.',
      default: false,
    }),
  },
  {
    ...closedMapping,
    title: 'Role',
    description: 'What its members may see and do. Roles bind people, and keys that act as a user.',
    examples: [
      { id: 'buyer', name: 'Buyer', actions: ['close'], sees: 'assigned' },
      { id: 'auditor', name: 'Auditor', edits: 'none', creates: false },
    ],
  },
);

export const member = Type.Object(
  {
    email: emailText({ ...refers('user'), title: 'E-mail', description: 'A user of the workspace.' }),
    role: readAs(
      Type.Unsafe<string | string[]>({
        ...refers('role'),
        ...weaker(whenOthers),
        title: 'Role',
        description:
          'The id of a role of this workflow, or a list of ids. The member then has the rights of all these roles.',
        type: ['string', 'array'],
        items: { title: 'Role', description: 'The id of a role of this workflow.', type: 'string' },
        minItems: 1,
        maxItems: 20,
        examples: ['buyer', ['engineer', 'board']],
      }),
      (value) => {
        if (!Array.isArray(value)) return asText(value);
        const [only, ...others] = value;
        return others.length === 0 ? asText(only) : takePlace(value, value.map(asText));
      },
    ),
  },
  {
    ...closedMapping,
    title: 'Member',
    description: 'A user who holds one or more roles of the workflow.',
    examples: [{ email: 'mina@acme.test', role: 'buyer' }],
  },
);

/** The ids of the roles that a member holds, in the order of the setting. */
export const rolesNamed = ({ role }: { readonly role: string | readonly string[] }): readonly string[] =>
  typeof role === 'string' ? [role] : role;

export type RoleDefinition = Static<typeof role>;

export type MemberDefinition = Static<typeof member>;
