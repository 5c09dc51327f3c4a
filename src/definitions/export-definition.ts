import {
  type ActionDefinition,
  type FieldDefinition,
  type RoleDefinition,
  type StageDefinition,
  type UserDefinition,
  type WorkflowDefinition,
  type WorkspaceDefinition,
} from './definition.js';
import { type JsonMapping, type JsonValue } from './json-value.js';
import { type StepDefinition } from './step-definition.js';

/** The document that says this definition: keys in the order that people write, what is as by default left out. */
export function exportDefinition({
  workspace: { id, name, timezone },
  users,
  workflows,
  relationships,
}: WorkspaceDefinition): JsonMapping {
  return mapping({
    workspace: mapping({ id, name, timezone: timezone === 'UTC' ? undefined : timezone }),
    users: list(users.map(exportUser)),
    workflows: list(workflows.map(exportWorkflow)),
    relationships: list(
      relationships.map(({ id, kind, from, to }) =>
        mapping({
          id,
          kind,
          from: mapping({ workflow: from.workflow, name: from.name }),
          to: mapping({ workflow: to.workflow, name: to.name }),
        }),
      ),
    ),
  });
}

type Plain = JsonValue | undefined;

/** The entries that there are. Object.fromEntries keeps a key called __proto__ as a key of its own. */
function mapping(entries: object): JsonMapping {
  const given = Object.entries(entries).filter(
    (entry): entry is [string, JsonValue] => entry[1] !== undefined,
  );
  return Object.fromEntries(given);
}

function list(items: JsonValue[]): Plain {
  return items.length === 0 ? undefined : items;
}

function flag(value: boolean, otherwise: boolean): Plain {
  return value === otherwise ? undefined : value;
}

function exportUser({ email, first_name, last_name, active }: UserDefinition): JsonMapping {
  return mapping({
    email,
    first_name: first_name ?? undefined,
    last_name: last_name ?? undefined,
    active: flag(active, true),
  });
}

function exportWorkflow(workflow: WorkflowDefinition): JsonMapping {
  return mapping({
    id: workflow.id,
    name: workflow.name,
    stages: list(workflow.stages.map(exportStage)),
    fields: list(workflow.fields.map(exportField)),
    checklist: list(workflow.checklist.map(({ title, stage }) => ({ title, stage }))),
    roles: list(workflow.roles.map(exportRole)),
    members: list(workflow.members.map(({ email, role }) => ({ email, role }))),
    actions: list(workflow.actions.map(exportAction)),
  });
}

function exportStage({ name, initial, end }: StageDefinition): JsonMapping {
  return mapping({ name, initial: flag(initial, false), end: flag(end, false) });
}

function exportField(field: FieldDefinition): JsonMapping {
  return mapping({
    name: field.name,
    type: field.type,
    decimals: field.decimals,
    options: field.options,
    limit: field.limit,
    autoincrement: field.autoincrement,
    required: flag(field.required, false),
    editable: flag(field.editable, true),
    default: field.default,
  });
}

function exportRole({ id, name, admin, actions, sees }: RoleDefinition): JsonMapping {
  return mapping({
    id,
    name,
    admin: flag(admin, false),
    actions: list(actions),
    sees: sees === 'all' ? undefined : sees,
  });
}

function exportAction({ id, name, stages, requirements, steps }: ActionDefinition): JsonMapping {
  const asked = mapping(requirements);
  return mapping({
    id,
    name,
    stages: list(stages),
    requirements: Object.keys(asked).length === 0 ? undefined : asked,
    steps: list(steps.map(exportStep)),
  });
}

/** As it was written, but for what a linked task is created with by default: nothing. */
function exportStep(step: StepDefinition): JsonMapping {
  const isBare = step.type === 'create_linked_task' && Object.keys(step.set).length === 0;
  return mapping(isBare ? { ...step, set: undefined } : step);
}
