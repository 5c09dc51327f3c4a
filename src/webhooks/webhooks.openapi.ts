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
  description: 'Other systems that are told of events. All of this takes a key of scope `admin`.',
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
  eventTypes.map((type) => [type, { summary: `Tell of ${type}`, body: ref('Event') }]),
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
        description: 'Those of the definition first.',
        answers: { 200: json('The webhooks.', listOf(ref('Webhook'))) },
        refusals: ['403'],
      },
      add: {
        id: 'addWebhook',
        summary: 'Add a webhook',
        description: 'It is told of what happens from now on.',
        parameters: [parameters.idempotencyKey],
        body: body('NewWebhook'),
        answers: { 201: json('The webhook.', 'Webhook', ['Location', 'Event-Id']) },
        refusals: ['409', '413', '415'],
      },
      read: {
        id: 'readWebhook',
        summary: 'Read a webhook',
        description: 'With its state, and since when it fails.',
        answers: webhook,
        refusals: ['403'],
      },
      replace: {
        id: 'replaceWebhook',
        summary: 'Replace a webhook',
        description:
          'All that is not said is as by default. One of the definition is 409 `managed-by-definition`.',
        body: body('NewWebhook'),
        answers: changed,
        refusals: ['409', '413', '415'],
      },
      remove: {
        id: 'removeWebhook',
        summary: 'Remove a webhook',
        description: 'With its deliveries. One of the definition is 409 `managed-by-definition`.',
        answers: { 204: empty('It is gone.', ['Event-Id']) },
        refusals: ['409'],
      },
      secret: {
        id: 'readWebhookSecret',
        summary: 'Read the secret',
        description: 'By it what is sent is signed.',
        answers: { 200: json('The secret.', 'WebhookSecret', ['Cache-Control']) },
        refusals: ['403'],
      },
      rotate: {
        id: 'rotateWebhookSecret',
        summary: 'Make a new secret',
        description:
          'Both sign for 24 hours. Repeated with its `Idempotency-Key`, the request makes no other, and gives the secret in force.',
        parameters: [parameters.idempotencyKey],
        answers: { 200: json('The new secret.', 'WebhookSecret', ['Cache-Control', 'Event-Id']) },
        refusals: ['409'],
      },
      deliveries: {
        id: 'listDeliveries',
        summary: 'List deliveries, newest first',
        description:
          'All, or pages of them by `_limit`: `Link` leads to the next. They are kept for 30 days.',
        query: DeliveriesQuery,
        answers: { 200: json('The deliveries.', listOf(ref('Delivery')), ['Link']) },
        refusals: ['403'],
      },
      test: {
        id: 'testWebhook',
        summary: 'Send a test',
        description: 'An event of type `webhook.test`, to this webhook only.',
        parameters: [parameters.idempotencyKey],
        answers: { 202: empty('It is on its way.') },
        refusals: ['409'],
      },
      replay: {
        id: 'replayDeliveries',
        summary: 'Send events once more',
        description: 'Single tries, which do not touch the health of the webhook.',
        parameters: [parameters.idempotencyKey],
        body: body('Replay'),
        answers: { 202: json('How many.', 'Replayed') },
        refusals: ['409', '413', '415'],
      },
      enable: {
        id: 'enableWebhook',
        summary: 'Make a webhook active',
        description: 'From where it stopped, or from now on.',
        parameters: [parameters.idempotencyKey],
        body: body('Resumption'),
        answers: changed,
        refusals: ['409', '413', '415'],
      },
      pause: {
        id: 'pauseWebhook',
        summary: 'Pause a webhook',
        description: 'What comes meanwhile is not lost.',
        parameters: [parameters.idempotencyKey],
        answers: changed,
        refusals: ['409'],
      },
    },
  );
