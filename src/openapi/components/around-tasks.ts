import {
  closed,
  flag,
  instant,
  listOf,
  maybeInstant,
  maybeText,
  oneOf,
  ref,
  type Schemas,
  text,
} from '../schema.js';

const status = oneOf(['Blank', 'Skipped', 'Completed'], 'Any may follow any other.');
const named = closed({ id: text('As paths and payloads name it.'), name: text('As people see it.') });

/** What stands around a task: its checklist, its comments, its actions and their executions. */
export const aroundTaskSchemas: Schemas = {
  ChecklistItem: closed({
    id: text('Opaque.'),
    title: text('1 to 500 characters.'),
    status,
    editable: flag('Whether it was added by the API; an item of the template cannot be deleted.'),
    'Assigned To': maybeText('The e-mail of a user, or null.'),
    Stage: ref('Stage'),
  }),
  NewChecklistItem: itemPayload(['title', 'Stage']),
  ChecklistItemUpdate: itemPayload([]),
  Comment: closed({
    author: text('The e-mail of a user, or `API`.'),
    body: text('What was said.'),
    timestamp: instant('When it was said.'),
  }),
  NewComment: closed(
    {
      body: { type: 'string', minLength: 1, maxLength: 10_000 },
      performed_by: maybeText('The e-mail of the user who says it; without it, `API` does.'),
    },
    ['performed_by'],
  ),
  Action: closed(
    {
      id: ref('ActionId'),
      name: text('As people see it.'),
      available: flag('With `_explain` only: whether a POST would begin it.'),
      unmet: {
        description: 'With `_explain` only: what a POST would answer.',
        ...listOf({ type: 'string' }),
      },
    },
    ['available', 'unmet'],
  ),
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
