import { json, listOf, parameters, ref, textSchema } from '../openapi/vocabulary.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import { DescribedEvent } from './event.dto.js';
import { PageQuery } from '../http/paged-list.js';
import { FeedQuery } from './feed-query.js';
import { EventsController, HistoryController } from './events.controller.js';

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The `id` of the last event that the client has; it takes precedence over `_after`.',
  schema: { type: 'string' },
} as const;

const group: OperationGroup = {
  name: 'Events',
  description: 'What happened, in an order that never changes.',
  models: [DescribedEvent],
};

export function describeEvents(): OperationGroup {
  const events = json('The events, oldest first.', listOf(ref('Event')), ['Link', 'Preference-Applied']);
  const streamed = { 'text/event-stream': { schema: textSchema('An event as `data`, its cursor as `id`.') } };
  describe(HistoryController, group, {
    list: {
      id: 'listHistory',
      summary: 'List what happened to a task, newest first',
      description: 'All of its events, or with `_limit` a page; `Link` leads to the next page.',
      query: PageQuery,
      answers: { 200: json('The events.', listOf(ref('Event')), ['Link', 'Preference-Applied']) },
    },
  });
  return describe(EventsController, group, {
    list: {
      id: 'listEvents',
      summary: 'Follow what happens in the workspace, oldest first',
      description:
        'Every answer, even an empty one, has a `Link` to the events that follow: keep reading it. `Prefer: wait=N` holds an empty answer until something happens; `Accept: text/event-stream` gets a stream.',
      query: FeedQuery,
      parameters: [parameters.prefer, lastEventId],
      answers: { 200: { ...events, content: { ...events.content, ...streamed } } },
      refusals: ['410'],
    },
  });
}
