import { eventTypes } from '../entities/column-values.js';
import { empty, json, listOf, parameters, ref } from '../openapi/vocabulary.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import {
  DeliveriesQuery,
  Delivery,
  EnablePayload,
  ReplayedAnswer,
  ReplayPayload,
  Webhook,
  WebhookPayload,
  WebhookSecret,
} from './webhook.dto.js';
import { TestEvent } from '../events/event.dto.js';
import { WebhooksController } from './webhooks.controller.js';

const group: OperationGroup = {
  name: 'Webhooks',
  description: 'Other systems that receive events. All requests need a key of scope `admin`.',
  models: [
    Webhook,
    WebhookPayload,
    WebhookSecret,
    Delivery,
    ReplayPayload,
    ReplayedAnswer,
    EnablePayload,
    TestEvent,
  ],
};

const sent = Object.fromEntries(
  eventTypes.map((type) => [type, { summary: `Send ${type}`, body: ref('Event') }]),
);

const webhooks = { ...sent, 'webhook.test': { summary: 'Send a test', body: ref('TestEvent') } };

const body = (name: string) => ({ type: 'application/json', schema: ref(name) });
const webhook = { 200: json('The webhook.', 'Webhook') };
const changed = { 200: json('The webhook.', 'Webhook', ['Event-Id']) };

export const describeWebhooks = (): OperationGroup =>
  describe(
    WebhooksController,
    { ...group, webhooks },
    {
      list: {
        id: 'listWebhooks',
        summary: 'List the webhooks',
        description: 'Webhooks of the definition come first.',
        answers: { 200: json('The webhooks.', listOf(ref('Webhook'))) },
      },
      add: {
        id: 'addWebhook',
        summary: 'Add a webhook',
        description: 'It receives events from now on.',
        parameters: [parameters.idempotencyKey],
        body: body('NewWebhook'),
        answers: { 201: json('The webhook.', 'Webhook', ['Location', 'Event-Id']) },
        refusals: ['409', '413', '415'],
      },
      read: {
        id: 'readWebhook',
        summary: 'Read a webhook',
        description: 'With its state, and since when it has been failing.',
        answers: webhook,
      },
      replace: {
        id: 'replaceWebhook',
        summary: 'Replace a webhook',
        description:
          'Omitted keys get their defaults. For a webhook of the definition, the answer is 409 `managed-by-definition`.',
        body: body('NewWebhook'),
        answers: changed,
        refusals: ['409', '413', '415'],
      },
      remove: {
        id: 'removeWebhook',
        summary: 'Remove a webhook',
        description: 'Also removes its deliveries. If the definition has it, 409 `managed-by-definition`.',
        answers: { 204: empty('The webhook was removed.', ['Event-Id']) },
        refusals: ['409'],
      },
      secret: {
        id: 'readWebhookSecret',
        summary: 'Read the secret',
        description: 'The service signs events with it.',
        answers: { 200: json('The secret.', 'WebhookSecret', ['Cache-Control']) },
      },
      rotate: {
        id: 'rotateWebhookSecret',
        summary: 'Make a new secret',
        description:
          'Both secrets sign for 24 hours. A request repeated with its `Idempotency-Key` makes no other secret, and answers with the one in force.',
        parameters: [parameters.idempotencyKey],
        answers: { 200: json('The new secret.', 'WebhookSecret', ['Cache-Control', 'Event-Id']) },
        refusals: ['409'],
      },
      deliveries: {
        id: 'listDeliveries',
        summary: 'List deliveries, newest first',
        description:
          'All, or with `_limit` a page; `Link` leads to the next page. They are kept for 30 days.',
        query: DeliveriesQuery,
        answers: { 200: json('The deliveries.', listOf(ref('Delivery')), ['Link']) },
      },
      test: {
        id: 'testWebhook',
        summary: 'Send a test',
        description: 'An event of type `webhook.test`, to this webhook only.',
        parameters: [parameters.idempotencyKey],
        answers: { 202: empty('The test will be sent.') },
        refusals: ['409'],
      },
      replay: {
        id: 'replayDeliveries',
        summary: 'Send events again',
        description: 'Each event is tried once; this does not affect the state of the webhook.',
        parameters: [parameters.idempotencyKey],
        body: body('Replay'),
        answers: { 202: json('How many events will be sent.', 'Replayed') },
        refusals: ['409', '413', '415'],
      },
      enable: {
        id: 'enableWebhook',
        summary: 'Make a webhook active',
        description: 'It receives events from where it stopped, or from now on.',
        parameters: [parameters.idempotencyKey],
        body: body('Resumption'),
        answers: changed,
        refusals: ['409', '413', '415'],
      },
      pause: {
        id: 'pauseWebhook',
        summary: 'Pause a webhook',
        description: 'Events are kept while it is paused.',
        parameters: [parameters.idempotencyKey],
        answers: changed,
        refusals: ['409'],
      },
    },
  );
