import { describe, type OperationGroup } from '../../openapi/operation.js';
import { closed, json, parameters } from '../../openapi/vocabulary.js';
import { Hook } from './hook.dto.js';
import { HooksController, ReceivedHooksController } from './hooks.controller.js';

const group: OperationGroup = {
  name: 'Hooks',
  description: 'What other systems tell rules on hook.',
  models: [Hook],
};

export function describeHooks(): OperationGroup {
  describe(
    ReceivedHooksController,
    { ...group, isPublic: true },
    {
      receive: {
        id: 'receiveHook',
        summary: 'Call a rule',
        description:
          'Takes no key: the request is signed as Standard Webhooks say, or carries the secret as `X-Hook-Secret`. What follows is told by the runs of the rule, never by the answer.',
        parameters: [
          parameters.webhookId,
          parameters.webhookTimestamp,
          parameters.webhookSignature,
          parameters.hookSecret,
        ],
        body: { type: 'application/json', schema: { description: 'Any JSON, of 1 MB at most.' } },
        answers: { 202: json('It is kept.', closed({})) },
        refusals: ['401', '404', '413', '415', '429', '503'],
      },
    },
  );
  return describe(HooksController, group, {
    read: {
      id: 'readHook',
      summary: 'Read the address of a rule on hook',
      description: 'Takes a key of scope `admin`. 404 where the rule is on something else.',
      answers: { 200: json('The address.', 'Hook', ['Cache-Control']) },
      refusals: ['403'],
    },
    rotate: {
      id: 'rotateHook',
      summary: 'Give a rule on hook another address',
      description:
        'Takes a key of scope `admin`. The address that it had is 404 from now on. Repeated with its `Idempotency-Key`, the request makes no other, and gives the address in force.',
      parameters: [parameters.idempotencyKey],
      answers: { 200: json('The new address.', 'Hook', ['Cache-Control']) },
      refusals: ['409'],
    },
  });
}
