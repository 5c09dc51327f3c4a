import { fieldTypes } from '../schema/field-types.js';
import {
  closed,
  flag,
  listOf,
  loose,
  maybeText,
  oneOf,
  ref,
  type Schemas,
  text,
  instant,
  maybeInstant,
} from './vocabulary.js';

const id = text('As paths and payloads name it.');
const name = text('As people see it.');
const end = closed({ workflow: text('The id of the workflow.'), name: text('The key on its tasks.') });
const names = listOf({ type: 'string' });

/** The definition as clients read it. */
export const definitionSchemas: Schemas = {
  Named: closed({ id, name }),
  StageName: closed({ name }),
  Field: closed(
    {
      id,
      name,
      type: oneOf([...fieldTypes.keys()], 'What its values are.'),
      required: flag('Whether a task needs a value.'),
      editable: flag('Whether the value may change after creation.'),
      default: {
        description: 'What a new task has where its payload is silent; a number is a text.',
        anyOf: [{ type: ['string', 'boolean', 'null'] }, names],
      },
      decimals: { type: 'integer', description: 'Decimal places at most.' },
      options: { description: 'What may be selected.', ...names },
      limit: { type: 'integer', description: 'Attachments at most.' },
      autoincrement: flag('Whether a task without a value gets the next number.'),
    },
    ['default', 'decimals', 'options', 'limit', 'autoincrement'],
  ),
  Role: closed({ id, name, admin: flag('Whether it may do everything.') }),
  User: closed({
    id,
    email: text('By which payloads name the user.'),
    first_name: maybeText('Null where nobody has said.'),
    last_name: maybeText('Null where nobody has said.'),
    role_id: maybeText('The role in this workflow; null where that defines none.'),
  }),
  WorkflowDefinition: {
    description: 'What a definition file says of a workflow, with the ids of fields and the relationships.',
    ...closed({
      id,
      name,
      stages: listOf(
        closed({ name, initial: flag('New tasks begin here.'), end: flag('Tasks here are not active.') }),
      ),
      fields: listOf(ref('Field')),
      checklist: listOf(closed({ title: text('Of a template item.'), stage: name })),
      roles: listOf(
        closed({
          id,
          name,
          admin: flag('May do everything.'),
          actions: names,
          sees: oneOf(['all', 'assigned'], 'Which tasks.'),
        }),
      ),
      members: listOf(closed({ email: text('Of the user.'), role: text('The id of the role.') })),
      actions: listOf(ref('ActionDefinition')),
      relationships: listOf(
        closed({
          id,
          kind: oneOf(['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many'], 'From `from` to `to`.'),
          from: end,
          to: end,
        }),
      ),
    }),
  },
  ActionDefinition: closed({
    id,
    name,
    stages: { description: 'Where it is available; in all stages where there are none.', ...names },
    requirements: loose({
      required_fields: names,
      checklist: oneOf(['completed'], 'The checklist of the stage must be.'),
      assigned: flag('Somebody must be.'),
      conditions: listOf(closed({ when: text('CEL.'), message: text('Where it is not true.') })),
      confirmation: text('What user interfaces ask; never enforced.'),
    }),
    steps: listOf({
      type: 'object',
      properties: { name, type: text('Says which other properties there are.') },
      required: ['name', 'type'],
      additionalProperties: true,
    }),
  }),
  Readiness: closed(
    {
      status: oneOf(['ok', 'degraded', 'unavailable'], 'Degraded: ready, but slower.'),
      postgres: oneOf(['up', 'down'], 'The database.'),
      redis: oneOf(['up', 'down'], 'Only where one is configured.'),
    },
    ['redis'],
  ),
  Liveness: closed({ status: oneOf(['ok'], 'The process answers.') }),
  OpenApi: { type: 'object', description: 'A document of OpenAPI 3.1.', additionalProperties: true },
};

const status = oneOf(['Blank', 'Skipped', 'Completed'], 'Any may follow any other.');
const named = closed({ id: text('As paths and payloads name it.'), name: text('As people see it.') });

/** What stands around a task: its checklist, its comments, its actions and their executions. */
export const aroundTaskSchemas: Schemas = {
  NewChecklistItem: itemPayload(['title', 'Stage']),
  ChecklistItemUpdate: itemPayload([]),
  ActionId: oneOf([], 'The id of an action of the workflow.'),
  NewExecution: {
    type: 'object',
    properties: {
      task_id: { description: 'The Unique ID of the task.', type: ['string', 'integer'] },
      action_id: ref('ActionId'),
      performed_by: maybeText('The e-mail of the user who acts; without it the key itself does.'),
    },
    required: ['task_id', 'action_id'],
  },
  ExecutionStatus: oneOf(['Pending', 'Success', 'Fail'], 'Pending until it ends.'),
  Execution: closed(
    {
      id: text('Opaque.'),
      status: ref('ExecutionStatus'),
      errors: { description: 'Only when it failed: the error of the step.', ...listOf({ type: 'string' }) },
      action: { description: 'With `_verbose` only, and so are those below.', ...named },
      performed_by: maybeText('The e-mail of the user, or null where the key itself acts.'),
      definition: { description: 'The version of the definition that it was begun under.', type: 'integer' },
      created: instant('When it was asked for.'),
      started: maybeInstant('When it was begun.'),
      finished: maybeInstant('When it ended.'),
      steps: listOf(
        closed({
          name: text('Of the step.'),
          status: oneOf(['Success', 'Fail', 'Skipped'], 'What became of it.'),
        }),
      ),
    },
    ['errors', 'action', 'performed_by', 'definition', 'created', 'started', 'finished', 'steps'],
  ),
};

function itemPayload(required: readonly string[]): Schemas[string] {
  return {
    type: 'object',
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 500 },
      Stage: ref('Stage'),
      status,
      'Assigned To': maybeText('The e-mail of an active user; null unassigns.'),
      id: text('Ignored, so that an answer can be sent back.'),
      editable: flag('Ignored too.'),
    },
    required: [...required],
    additionalProperties: false,
  };
}
