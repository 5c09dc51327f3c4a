import { type WorkspaceRows } from './workspace-rows.js';
import { type FieldEntity } from './entities/field.entity.js';
import { type FurtherSettings } from '../../common/database/json-columns.js';
import { type Users } from '../fields/field-type.js';
import { type TaskSchema } from '../fields/task-schema.js';
import { type ActionDefinition } from './action-definition.js';
import { type MemberDefinition, type RoleDefinition } from './role-definition.js';
import { type Roles } from './roles.js';
import { type Calendar } from '../time/calendar.js';
import { type NotificationDefaults } from './notification-definition.js';
import { type TaskName } from './task-name.js';
import { invalidField } from '../../common/field-errors.js';

/** A compiled workspace: its users and workflows under one version of its definition. */
export interface Workspace {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  readonly users: Users;
  /** The workflows, by the id in paths. */
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly permissions: Roles;
  readonly calendars: ReadonlyMap<string, Calendar>;
  readonly notifications: NotificationDefaults;
  readonly rows: WorkspaceRows;
}

export interface Workflow {
  readonly workspaceId: number;
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  /** The version of the definition from which the workflow was compiled. */
  readonly version: number;
  readonly cursorKey: Buffer;
  readonly schema: TaskSchema;
  /** Whether new tasks get the items of a checklist template. */
  readonly hasChecklist: boolean;
  /** The fields, in the order of the definition. */
  readonly fields: readonly FieldEntity[];
  readonly actions: readonly ActionDefinition[];
  /** The lists of a definition that have no table of their own. Each `kind` reads its list from here. */
  readonly settings: FurtherSettings;
  readonly roles: readonly RoleDefinition[];
  readonly members: readonly MemberDefinition[];
  readonly permissions: Roles;
  readonly timezone: string;
  readonly calendars: ReadonlyMap<string, Calendar>;
}

/** Throws if `name` is a Unique ID, or is absent, but the workflow has no Unique ID field. */
export function requireUniqueId({ schema }: Pick<Workflow, 'schema'>, name: TaskName = ''): void {
  if (typeof name === 'string' && !schema.uniqueId)
    throw invalidField('base', 'This workflow has no Unique ID field');
}

/** The workflow with this id; undefined if the workspace has none. */
export function findWorkflow({ workflows }: Workspace, id?: number | null): Workflow | undefined {
  return [...workflows.values()].find((one) => one.id === id);
}

/** The workflow at an end of a relationship. Throws if there is no workflow with this id. */
export function workflowById(workspace: Workspace, id: number): Workflow {
  const workflow = findWorkflow(workspace, id);
  if (!workflow) throw new Error('a relationship leads to no workflow');
  return workflow;
}
