import { weaker, whenLater, whenLess, whenMore, whenOthers } from '../schema/weaker.js';
import Type, { type Static, type TSchema } from 'typebox';
import { relationshipKinds } from '../schema/task-schema.js';
import { member, role } from './role-definition.js';
import { field, type FieldDefinition } from './field-definition.js';
import { calendar, type CalendarDefinition } from './calendar-definition.js';
import { notificationDefaults } from './notification-definition.js';
import { clock } from './clock-definition.js';
import { type RuleDefinition } from './rule-definition.js';
import { schedule } from './schedule-definition.js';
import { user } from './user-definition.js';
import { view } from './view-definition.js';
import { stage } from './stage-definition.js';
import { channel } from './channel-definition.js';
import { webhook } from './webhook-definition.js';
import { typesWhere } from '../schema/field-types.js';
import { askedFields, start } from './action-settings.js';
import { readAs } from './definition-reader.js';
import { names, forOneApply, refers } from './marks.js';
import {
  closedMapping,
  former,
  idText,
  lineText,
  listSetting,
  nameText,
  opaque,
  wayOfChange,
} from './schema-parts.js';

// The definition document, declared once: its types, its JSON Schema, its reader and its reference are derived from
// this. The reader fills in required keys with a default, so the types always have them.

const checklistItem = Type.Object(
  {
    title: lineText({ title: 'Title', description: '1 to 500 characters on one line.' }),
    was: former('Former title'),
    stage: Type.String({
      ...refers('stage'),
      title: 'Stage',
      description: 'The stage on which the item is shown.',
    }),
  },
  {
    ...closedMapping,
    title: 'Checklist item',
    description: 'Identified by stage and title.',
    examples: [{ title: 'Ask for two offers', stage: 'In Review' }],
  },
);

const relationshipEnd = (title: string, description: string) =>
  Type.Object(
    {
      workflow: Type.String({
        ...refers('workflow'),
        title: 'Workflow',
        description: 'The id of a workflow whose Unique ID is required or autoincrement.',
      }),
      name: nameText({ title: 'Name', description: "The key in the JSON of this workflow's tasks." }),
      change: wayOfChange(
        'A payload may repeat the links. A link belongs to both sides: setting this on one side is enough.',
      ),
    },
    { ...closedMapping, title, description },
  );

const relationship = Type.Object(
  {
    id: idText({
      title: 'Id of the relationship',
      description: 'Identifies the relationship in the workspace.',
    }),
    kind: Type.Enum([...relationshipKinds], {
      ...weaker(whenLater(...relationshipKinds)),
      title: 'Kind',
      description: 'Read from `from` to `to`: in one_to_many, one task of `from` has many of `to`.',
    }),
    from: relationshipEnd('From', 'The first end of `kind`: a workflow, and the key in its tasks.'),
    to: relationshipEnd('To', 'The second end of `kind`: a workflow, and the key in its tasks.'),
  },
  {
    ...closedMapping,
    title: 'Relationship',
    description: 'A link between tasks, which both tasks show.',
    examples: [
      {
        id: 'orders',
        kind: 'one_to_many',
        from: { workflow: 'requests', name: 'Orders' },
        to: { workflow: 'orders', name: 'Request' },
      },
    ],
  },
);

/** An empty list stands for every stage. */
const whenInMore = (before: unknown, after: unknown): boolean =>
  whenMore([], before) && (!whenMore([], after) || whenOthers(before, after));

/** Without roles, every user may do everything. */
const whenNone = (_: unknown, after: unknown): boolean => !whenMore([], after);

/** One step of an action; the file of each kind of step declares its further settings. */
export type StepDefinition<Settings extends object = object> = {
  name: string;
  type: string;
  when?: string;
} & Settings;

/** The requirements of an action by their kinds; each kind declares its own value. */
export type RequirementsDefinition = { [kind: string]: unknown };

/** Parts of the document that modules above this one contribute. */
export interface PartSchemas {
  readonly requirements: TSchema;
  readonly step: TSchema;
  readonly rule: TSchema;
}

const action = ({ requirements, step }: PartSchemas) =>
  Type.Object(
    {
      id: idText({
        ...names('action'),
        title: 'Id of the action',
        description: 'Identifies the action in its workflow.',
      }),
      was: former('Former id'),
      name: nameText({ title: 'Name of the action', description: 'Shown to people.' }),
      stages: Type.Array(Type.String(), {
        ...refers('stage'),
        ...weaker(whenInMore),
        title: 'Stages',
        description: 'The stages in which it is available. Default: every stage.',
        minItems: 1,
        maxItems: 200,
        default: [],
      }),
      start,
      fields: askedFields,
      requirements: opaque<RequirementsDefinition>(requirements),
      steps: opaque<StepDefinition[]>(
        listSetting(step, {
          title: 'Steps',
          description: 'The steps that it takes, in order, all or nothing.',
          maxItems: 100,
        }),
      ),
    },
    {
      ...closedMapping,
      title: 'Action',
      description: 'Something that people and systems can do with a task: requirements first, then steps.',
      examples: [{ id: 'close', name: 'Close', stages: ['In Review'] }],
    },
  );

const textTypes = typesWhere(({ isSearched, storage }) => isSearched && storage === 'values');

const workflow = (schemas: PartSchemas) =>
  Type.Object(
    {
      id: idText({ title: 'Id of the workflow', description: 'Used in paths; unique in the workspace.' }),
      name: nameText({ title: 'Name of the workflow', description: 'Shown to people.' }),
      search: readAs(
        Type.Optional(
          Type.Boolean({
            title: 'Search',
            description: `true: lists accept \`_search\`, which finds tasks by words in their Unique ID and in fields of the types ${textTypes.slice(0, -1).join(', ')} and ${textTypes.at(-1) ?? ''}.`,
            default: false,
          }),
        ),
        (value) => value === true,
      ),
      stages: listSetting(stage, {
        title: 'Stages',
        description: 'In order. New tasks enter the first stage, unless another has `initial: true`.',
        maxItems: 200,
      }),
      move_tasks_to: Type.Optional(
        Type.String({
          ...forOneApply,
          title: 'Move tasks to',
          description:
            'Tasks and checklist items in a stage that this apply removes move to this stage, unless the removed stage names another.',
        }),
      ),
      fields: listSetting(opaque<FieldDefinition>(field), {
        title: 'Fields',
        description: 'In order, as tasks show them.',
        maxItems: 1000,
      }),
      checklist: listSetting(checklistItem, {
        ...weaker(whenLess),
        title: 'Checklist',
        description: 'Template items; every new task gets them.',
        maxItems: 1000,
      }),
      roles: listSetting(role, {
        ...weaker(whenNone),
        title: 'Roles',
        description: 'Without roles, every user of the workspace may do everything.',
        maxItems: 200,
      }),
      members: listSetting(member, {
        ...weaker(whenMore),
        title: 'Members',
        description: 'The users who hold roles; one entry for each user.',
      }),
      actions: listSetting(action(schemas), {
        title: 'Actions',
        description: 'Things that people and systems can do with a task.',
        maxItems: 1000,
      }),
      rules: opaque<RuleDefinition[]>(
        listSetting(schemas.rule, {
          title: 'Rules',
          description: 'Rules start actions when events happen; in order.',
          maxItems: 200,
        }),
      ),
      clocks: listSetting(clock, {
        title: 'Clocks',
        description: 'Deadlines of tasks, with reminders and escalations.',
        maxItems: 50,
      }),
      schedules: listSetting(schedule, {
        title: 'Schedules',
        description: 'Schedules create tasks or start actions at set times.',
        maxItems: 100,
      }),
    },
    {
      ...closedMapping,
      title: 'Workflow',
      description: 'A kind of task: its fields, stages, roles and actions.',
      examples: [
        { id: 'requests', name: 'Requests' },
        {
          id: 'orders',
          name: 'Orders',
          stages: [{ name: 'Open' }, { name: 'Done', end: true }],
          fields: [{ name: 'Order ID', type: 'uniqueId', required: true }],
        },
      ],
    },
  );

const workspace = Type.Object(
  {
    id: Type.String({
      title: 'Id of the workspace',
      description: 'Identifies the workspace; cannot be changed.',
      pattern: '^[a-z0-9-]{1,64}$',
      $comment: 'may hold 1 to 64 lower-case letters, digits and - only',
      examples: ['acme'],
    }),
    name: Type.Optional(nameText({ title: 'Name of the workspace', description: 'Shown to people.' })),
    timezone: Type.Optional(
      Type.String({
        title: 'Time zone',
        description: 'The IANA time zone of today() in expressions. Default: UTC.',
        examples: ['UTC', 'Europe/Berlin', 'America/New_York'],
        default: 'UTC',
      }),
    ),
  },
  {
    ...closedMapping,
    title: 'Workspace',
    description: 'The workspace that this document defines or changes.',
    examples: [{ id: 'acme', name: 'Acme', timezone: 'Europe/Berlin' }],
  },
);

/** The schema of the whole document that people write. */
export const documentSchema = (schemas: PartSchemas) =>
  Type.Object(
    {
      workspace,
      users: listSetting(user, {
        ...weaker(whenMore),
        title: 'Users',
        description: 'People of the workspace, identified by e-mail in any case.',
        maxItems: 20_000,
      }),
      workflows: listSetting(workflow(schemas), {
        title: 'Workflows',
        description: 'Identified by id.',
        maxItems: 500,
      }),
      relationships: listSetting(relationship, {
        title: 'Relationships',
        description: 'Links between the tasks of two workflows, or within one workflow; identified by id.',
        maxItems: 1000,
      }),
      webhooks: listSetting(webhook, {
        title: 'Webhooks',
        description: 'Other systems that receive events; identified by id.',
        maxItems: 100,
      }),
      channels: listSetting(channel, {
        title: 'Channels',
        description: 'Places to which actions post messages; identified by id.',
        maxItems: 100,
      }),
      calendars: opaque<CalendarDefinition[]>(
        listSetting(calendar, {
          title: 'Calendars',
          description: 'Working hours and holidays; identified by id.',
          maxItems: 100,
        }),
      ),
      views: listSetting(view, {
        title: 'Views',
        description: 'Boards and lists with a name, shared by everybody; identified by id.',
        maxItems: 100,
      }),
      notifications: Type.Optional(notificationDefaults),
    },
    {
      ...closedMapping,
      title: 'Workspace definition',
      description:
        'The definition of a workspace: its users, workflows, relationships, webhooks, channels, calendars, views and notifications. People see names; paths use ids. Applying merges by identity: elements that the document does not name stay unchanged.',
    },
  );

/** The document as written, read by `readShape`. */
export type WrittenDefinition = Static<ReturnType<typeof documentSchema>>;

export type WrittenWorkflow = Static<ReturnType<typeof workflow>>;

/** A workspace's definition with every list present and every default filled in. */
export type WorkspaceDefinition = Omit<WrittenDefinition, 'workflows'> & { workflows: WorkflowDefinition[] };

export type WorkflowDefinition = Omit<WrittenWorkflow, 'stages'> & {
  stages: StageDefinition[];
  /** For this apply only: the stages that the file removes. */
  removed_stages?: Pick<Static<typeof stage>, 'name' | 'move_tasks_to'>[];
};

export type UserDefinition = Static<typeof user>;

export type StageDefinition = Omit<Static<typeof stage>, 'removed' | 'move_tasks_to'>;

export type ChecklistItemDefinition = Static<typeof checklistItem>;

export type RoleDefinition = Static<typeof role>;

export type MemberDefinition = Static<typeof member>;

export type ActionDefinition = Static<ReturnType<typeof action>>;

export type RelationshipDefinition = Static<typeof relationship>;

export type RelationshipEnd = Static<ReturnType<typeof relationshipEnd>>;
