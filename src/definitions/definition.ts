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

export interface FieldDefinition {
  name: string;
  was?: string;
  type: string;
  required: boolean;
  editable: boolean;
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
  stages: string[];
  requirements: RequirementsDefinition;
  steps: StepDefinition[];
}

export interface RequirementsDefinition {
  required_fields?: string[];
  checklist?: 'completed';
  assigned?: boolean;
  conditions?: { when: string; message: string }[];
  confirmation?: string;
}

/** One step; `type` decides which other keys stand (see docs/definition.schema.json). */
export interface StepDefinition {
  name: string;
  type: string;
  [key: string]: JsonValue;
}

export interface RelationshipDefinition {
  id: string;
  kind: 'one_to_one' | 'one_to_many' | 'many_to_one' | 'many_to_many';
  from: { workflow: string; name: string };
  to: { workflow: string; name: string };
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
