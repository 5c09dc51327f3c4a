import { describe, type OperationGroup } from '../openapi/operation.js';
import { empty, json, listOf, parameters, ref } from '../openapi/vocabulary.js';
import { MessagesQuery, SentMessage } from './message.dto.js';
import { MessagesController } from './messages.controller.js';

const group: OperationGroup = {
  name: 'Messages',
  description: 'Mail and posts of actions. All requests need a key of scope `admin`.',
  models: [SentMessage],
};

export const describeMessages = (): OperationGroup =>
  describe(MessagesController, group, {
    list: {
      id: 'listMessages',
      summary: 'List messages, newest first',
      description: 'All, or with `_limit` a page; `Link` leads to the next page. They are kept for 30 days.',
      query: MessagesQuery,
      answers: { 200: json('The messages.', listOf(ref('SentMessage')), ['Link']) },
    },
    retry: {
      id: 'retryMessage',
      summary: 'Send a message again',
      description: 'Sends a failed message again. A message that waits for its next try is tried at once.',
      parameters: [parameters.idempotencyKey],
      answers: { 202: empty('The message will be sent.') },
      refusals: ['409'],
    },
  });
