import {
  type ActionDefinition,
  type FieldDefinition,
  type RequirementsDefinition,
  type StageDefinition,
  type WorkflowDefinition,
} from './definition.js';
import { type JsonMapping, type JsonValue } from './json-value.js';
import { takePlace } from './place.js';
import { readExact } from './read-exact.js';
import { readStep } from './read-step.js';
import { asChoice, asFlag, asMapping, asMappings, asNumber, asText, asTexts, optional } from './shape.js';

/** Reads one workflow of a plain document, whose form has been judged already. */
export function readWorkflow(raw: JsonMapping): WorkflowDefinition {
  return {
    id: asText(raw.id),
    name: asText(raw.name),
    ...optional('move_tasks_to', raw.move_tasks_to, asText),
    stages: asMappings(raw.stages, readStage),
    ...removedStages(raw.stages),
    fields: asMappings(raw.fields, readField),
    checklist: asMappings(raw.checklist, ({ title, was, stage }) => ({
      title: asText(title),
      ...optional('was', was, asText),
      stage: asText(stage),
    })),
    roles: asMappings(raw.roles, ({ id, name, admin, actions, sees }) => ({
      id: asText(id),
      name: asText(name),
      admin: asFlag(admin, false),
      actions: asTexts(actions),
      sees: asChoice(sees, ['all', 'assigned']),
    })),
    members: asMappings(raw.members, ({ email, role }) => ({ email: asText(email), role: asText(role) })),
    actions: asMappings(raw.actions, readAction),
  };
}

function readStage({ name, was, initial, end, removed }: JsonMapping): StageDefinition | undefined {
  if (removed === true) return undefined;
  return {
    name: asText(name),
    ...optional('was', was, asText),
    initial: asFlag(initial, false),
    end: asFlag(end, false),
  };
}

function removedStages(stages: JsonValue | undefined): Pick<WorkflowDefinition, 'removed_stages'> {
  const removed_stages = asMappings(stages, ({ name, removed, move_tasks_to }) =>
    removed === true
      ? { name: asText(name), ...optional('move_tasks_to', move_tasks_to, asText) }
      : undefined,
  );
  return removed_stages.length > 0 ? { removed_stages } : {};
}

function readField(raw: JsonMapping): FieldDefinition {
  return {
    name: asText(raw.name),
    ...optional('was', raw.was, asText),
    type: asText(raw.type),
    required: asFlag(raw.required, false),
    editable: asFlag(raw.editable, true),
    ...optional('default', raw.default, () => readExact(raw, 'default')),
    ...optional('decimals', raw.decimals, asNumber),
    ...optional('options', raw.options, asTexts),
    ...optional('limit', raw.limit, asNumber),
    ...optional('autoincrement', raw.autoincrement, (value) => asFlag(value, false)),
  };
}

function readAction(raw: JsonMapping): ActionDefinition {
  return {
    id: asText(raw.id),
    name: asText(raw.name),
    stages: asTexts(raw.stages),
    requirements: readRequirements(asMapping(raw.requirements)),
    steps: asMappings(raw.steps, readStep),
  };
}

function readRequirements(raw: JsonMapping): RequirementsDefinition {
  return takePlace(raw, {
    ...optional('required_fields', raw.required_fields, asTexts),
    ...optional('checklist', raw.checklist, () => 'completed' as const),
    ...optional('assigned', raw.assigned, (value) => asFlag(value, false)),
    ...optional('conditions', raw.conditions, (value) =>
      asMappings(value, ({ when, message }) => ({ when: asText(when), message: asText(message) })),
    ),
    ...optional('confirmation', raw.confirmation, asText),
  });
}
