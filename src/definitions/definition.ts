import { type JsonValue } from './json-value.js';
import { type StepDefinition } from './step-definition.js';

/**
 * A workspace's definition after reading: every list present, every default filled in.
 * The document that people write is described by docs/definition.schema.json.
 */
export interface WorkspaceDefinition {
  workspace: { id: string; name?: string; timezone?: string };
  users: UserDefinition[];
  workflows: WorkflowDefinition[];
  relationships: RelationshipDefinition[];
}

export interface UserDefinition {
  email: string;
  was?: string;
  first_name: string | null;
  last_name: string | null;
  active: boolean;
}

export interface WorkflowDefinition {
  id: string;
  name: string;
  stages: StageDefinition[];
  /** For this apply only: the stages that the file says are removed. */
  removed_stages?: RemovedStageDefinition[];
  /** For this apply only: where tasks go whose stage it removes, unless the stage itself says. */
  move_tasks_to?: string;
  fields: FieldDefinition[];
  checklist: ChecklistItemDefinition[];
  roles: RoleDefinition[];
  members: MemberDefinition[];
  actions: ActionDefinition[];
}

export interface StageDefinition {
  name: string;
  was?: string;
  initial: boolean;
  end: boolean;
}

export interface RemovedStageDefinition {
  name: string;
  move_tasks_to?: string;
}

export interface FieldDefinition {
  name: string;
  was?: string;
  type: string;
  required: boolean;
  editable: boolean;
  /** Numbers as the text that spells them. */
  default?: JsonValue;
  decimals?: number;
  options?: string[];
  limit?: number;
  autoincrement?: boolean;
}

/** Template items are identified by stage and title. */
export interface ChecklistItemDefinition {
  title: string;
  was?: string;
  stage: string;
}

export interface RoleDefinition {
  id: string;
  name: string;
  admin: boolean;
  actions: string[];
  sees: 'all' | 'assigned';
}

export interface MemberDefinition {
  email: string;
  role: string;
}

export interface ActionDefinition {
  id: string;
  name: string;
  /** Where it is available; empty means in every stage. */
  stages: string[];
  requirements: RequirementsDefinition;
  steps: StepDefinition[];
}

export interface RequirementsDefinition {
  required_fields?: string[];
  checklist?: 'completed';
  assigned?: boolean;
  conditions?: ConditionDefinition[];
  confirmation?: string;
}

export interface ConditionDefinition {
  when: string;
  message: string;
}

export interface RelationshipDefinition {
  id: string;
  kind: 'one_to_one' | 'one_to_many' | 'many_to_one' | 'many_to_many';
  from: RelationshipEnd;
  to: RelationshipEnd;
}

export interface RelationshipEnd {
  workflow: string;
  name: string;
}
