import Type, { type Static } from 'typebox';
import { type ActionDefinition } from './action-definition.js';
import { type ChecklistItemDefinition, type StageDefinition, type WrittenStage } from './stage-definition.js';
import { type FieldDefinition } from './field-definition.js';
import { type NotificationDefaults } from './notification-definition.js';
import { type RelationshipDefinition } from './relationship-definition.js';
import { type MemberDefinition, type RoleDefinition } from './role-definition.js';
import { closedMapping, nameText } from './schema-parts.js';
import { type UserDefinition } from './user-definition.js';

export const workspace = Type.Object(
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
        description:
          'The IANA time zone in which the days of the workspace begin, such as today() in expressions. A calendar has its own time zone. Default: UTC.',
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

/** A definition with all lists and defaults filled in. A feature declares the types of its own lists. */
export interface WorkspaceDefinition {
  workspace: Static<typeof workspace>;
  users: UserDefinition[];
  workflows: WorkflowDefinition[];
  relationships: RelationshipDefinition[];
  notifications?: NotificationDefaults;
}

export interface WorkflowDefinition {
  id: string;
  name: string;
  search?: boolean;
  stages: StageDefinition[];
  /** The stages that the file removes. They are not stored. */
  removed_stages?: Pick<WrittenStage, 'name' | 'move_tasks_to'>[];
  fields: FieldDefinition[];
  checklist: ChecklistItemDefinition[];
  roles: RoleDefinition[];
  members: MemberDefinition[];
  actions: ActionDefinition[];
}
