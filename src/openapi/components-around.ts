import { executionStatuses } from '../entities/column-values.js';
import { closed, flag, maybeText, oneOf, ref, type Schemas, text } from './vocabulary.js';

/** What is to be known without a key. */
export const serviceSchemas: Schemas = {
  Readiness: closed(
    {
      status: oneOf(['ok', 'degraded', 'unavailable'], 'Degraded: ready, but slower.'),
      postgres: oneOf(['up', 'down'], 'The database.'),
      redis: oneOf(['up', 'down'], 'Only where one is configured.'),
    },
    ['redis'],
  ),
  Front: closed({
    name: text('Of the service.'),
    version: text('Of the service.'),
    docs: text('Where the interface is described, relative to here.'),
    openapi: text('The same for machines.'),
    health: text('Whether the service is ready.'),
  }),
  Liveness: closed({
    status: oneOf(['ok'], 'The process answers.'),
    version: text('The version of the service that runs.'),
  }),
  OpenApi: { type: 'object', description: 'A document of OpenAPI 3.1.', additionalProperties: true },
};

const status = oneOf(['Blank', 'Skipped', 'Completed'], 'Any may follow any other.');

/** What stands around a task: its checklist, its comments, and what is sent of executions. */
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
  ExecutionStatus: oneOf(executionStatuses, 'Pending until it ends.'),
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
