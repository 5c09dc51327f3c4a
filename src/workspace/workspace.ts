import { type WorkspaceRows } from './workspace-rows.js';
import { type ActionEntity } from '../entities/action.entity.js';
import { type FieldEntity } from '../entities/field.entity.js';
import { type MemberEntity } from '../entities/member.entity.js';
import { type RoleEntity } from '../entities/role.entity.js';
import { type Users } from '../schema/field-type.js';
import { type TaskSchema } from '../schema/task-schema.js';
import { type Roles } from './roles.js';
import { type Calendar } from '../calendars/calendar.js';
import { type ClockDefinition } from './clock-definition.js';
import { type NotificationDefaults } from './notification-definition.js';
import { type RuleDefinition } from './rule-definition.js';
import { type ScheduleDefinition } from './schedule-definition.js';
import { type ViewDefinition } from './view-definition.js';
import { type TaskName } from './task-name.js';
import { invalidField } from '../lib/field-errors.js';

/** A workspace compiled for use: its users and workflows under one version of its definition. */
export interface Workspace {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  readonly users: Users;
  /** By the id that stands in paths. */
  readonly workflows: ReadonlyMap<string, Workflow>;
  /** What its users may do. */
  readonly permissions: Roles;
  /** By id. */
  readonly calendars: ReadonlyMap<string, Calendar>;
  /** Boards and lists that its users share, as the definition has them. */
  readonly views: readonly ViewDefinition[];
  /** Where its users are told of what, unless they choose otherwise. */
  readonly notifications: NotificationDefaults;
  /** What it was compiled from. */
  readonly rows: WorkspaceRows;
}

export interface Workflow {
  readonly workspaceId: number;
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  /** The version of the workspace's definition that it was compiled from. */
  readonly version: number;
  /** The key of the workspace's cursors. */
  readonly cursorKey: Buffer;
  readonly schema: TaskSchema;
  /** Whether new tasks get items of a template. */
  readonly hasChecklist: boolean;
  /** Its fields, what can be done with its tasks, by whom and by which rules, as the definition has it and in its order. */
  readonly fields: readonly FieldEntity[];
  readonly actions: readonly ActionEntity[];
  readonly rules: readonly RuleDefinition[];
  readonly clocks: readonly ClockDefinition[];
  readonly schedules: readonly ScheduleDefinition[];
  readonly roles: readonly RoleEntity[];
  readonly members: readonly MemberEntity[];
  /** What the users of the workspace may do in it. */
  readonly permissions: Roles;
  /** Of the workspace: where its days begin. */
  readonly timezone: string;
  /** Of the workspace, by id. */
  readonly calendars: ReadonlyMap<string, Calendar>;
}

/** Throws when the tasks of the workflow have no Unique ID that a path could name; other names need none. */
export function requireUniqueId({ schema }: Pick<Workflow, 'schema'>, name: TaskName = ''): void {
  if (typeof name === 'string' && !schema.uniqueId)
    throw invalidField('base', 'This workflow has no Unique ID field');
}

/** The workflow of this id, to which a relationship of the workspace leads. */
export function workflowById({ workflows }: Workspace, id: number): Workflow {
  const workflow = [...workflows.values()].find((one) => one.id === id);
  if (!workflow) throw new Error('a relationship leads to no workflow');
  return workflow;
}
