import { propertiesOf, type Schema } from '../lib/described.js';
import {
  closed,
  json,
  listOf,
  maybeText,
  oneOf,
  parameters,
  queryOf,
  ref,
  schemaOf,
  textSchema,
} from '../openapi/vocabulary.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import { Actor, EventExecution, EventHead, EventTask } from './event.dto.js';
import { PageQuery } from '../http/paged-list.js';
import { FeedParameters } from './feed-query.js';
import { EventsController, HistoryController } from './events.controller.js';

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The `id` of the last event of a stream that the client has; it goes before `_after`.',
  schema: { type: 'string' },
} as const;

const value: Schema = { anyOf: [ref('FieldValue'), { type: 'null' }] };

const change: Schema = {
  description: 'What a key was and what it became; of attachments and links, what came and what went.',
  anyOf: [
    closed({ from: value, to: value }),
    closed({ added: listOf(ref('Attachment')), removed: listOf(ref('Attachment')) }),
    closed({ linked: listOf({ type: 'string' }), unlinked: listOf({ type: 'string' }) }),
  ],
};

const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

const schemas = {
  Event: {
    description: 'One change of one thing.',
    ...closed({ ...propertiesOf(EventHead).schemas, data: ref('EventData') }),
  },
  EventData: {
    description: 'By the names that are in force as it is read.',
    ...closed(
      {
        workspace: textSchema('The id of the workspace.'),
        workflow: maybeText('The id of the workflow.'),
        task: orNull(schemaOf(EventTask)),
        actor: ref('Actor'),
        execution: orNull(schemaOf(EventExecution)),
        request_id: maybeText('The request in the log of the service.'),
        changes: {
          description: 'By key; of a new task all that is not blank, of a deleted one what it had.',
          type: 'object',
          additionalProperties: change,
        },
        checklist_item: ref('ChecklistItem'),
        comment: ref('Comment'),
        definition: closed({ version: { type: 'integer' } }),
        webhook: closed(
          {
            id: textSchema('Of the webhook.'),
            reason: oneOf(['gone', 'failing'], 'Answered with 410, or five days without a success.'),
          },
          ['reason'],
        ),
        current: orNull({
          description: 'Only in what a webhook with `include: task` sends: the task as it is then.',
          ...closed({ version: { type: 'integer' }, task: ref('Task') }),
        }),
      },
      ['changes', 'checklist_item', 'comment', 'definition', 'webhook', 'current'],
    ),
  },
  Actor: {
    description: 'Who made the change: a key, a user, a definition that was applied, or the system.',
    ...schemaOf(Actor),
  },
} satisfies OperationGroup['schemas'];

const group: OperationGroup = {
  name: 'Events',
  description: 'What happened, in an order that never changes.',
  schemas,
};

export function describeEvents(): OperationGroup {
  const events = json('The events, oldest first.', listOf(ref('Event')), ['Link', 'Preference-Applied']);
  const streamed = { 'text/event-stream': { schema: textSchema('An event as `data`, its cursor as `id`.') } };
  describe(HistoryController, group, {
    list: {
      id: 'listHistory',
      summary: 'List what happened to a task, newest first',
      description: 'All of its events, or pages of them by `_limit`: `Link` leads to the next.',
      parameters: queryOf(PageQuery),
      answers: { 200: json('The events.', listOf(ref('Event')), ['Link']) },
    },
  });
  return describe(EventsController, group, {
    list: {
      id: 'listEvents',
      summary: 'Follow what happens in the workspace, oldest first',
      description:
        'Every answer has a `Link` to what comes next, also an empty one: follow it for ever. `Prefer: wait=N` holds an empty answer until something happens; `Accept: text/event-stream` gets a stream.',
      parameters: [...queryOf(FeedParameters), parameters.prefer, lastEventId],
      answers: { 200: { ...events, content: { ...events.content, ...streamed } } },
      refusals: ['410'],
    },
  });
}
