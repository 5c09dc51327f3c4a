import { describe, type OperationGroup } from '../../openapi/operation.js';
import { closed, json, parameters } from '../../openapi/vocabulary.js';
import { Hook } from './hook.dto.js';
import { HooksController, ReceivedHooksController } from './hooks.controller.js';

const group: OperationGroup = {
  name: 'Hooks',
  description: 'Requests of other systems to rules on hook.',
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
          'Needs no key: the request is signed by the rules of Standard Webhooks, or carries the secret as `X-Hook-Secret`. The runs of the rule show what follows; the answer does not.',
        parameters: [
          parameters.webhookId,
          parameters.webhookTimestamp,
          parameters.webhookSignature,
          parameters.hookSecret,
        ],
        body: { type: 'application/json', schema: { description: 'Any JSON, of 1 MB at most.' } },
        answers: { 202: json('The request is stored.', closed({})) },
        refusals: ['401', '404', '413', '415', '429', '503'],
      },
    },
  );
  return describe(HooksController, group, {
    read: {
      id: 'readHook',
      summary: 'Read the address of a rule on hook',
      description: 'Needs a key of scope `admin`. If the rule is not on hook, the answer is 404.',
      answers: { 200: json('The address.', 'Hook', ['Cache-Control']) },
    },
    rotate: {
      id: 'rotateHook',
      summary: 'Give a rule on hook another address',
      description:
        'Needs a key of scope `admin`. The former address answers 404 from now on. A request repeated with its `Idempotency-Key` makes no other address, and answers with the one in force.',
      parameters: [parameters.idempotencyKey],
      answers: { 200: json('The new address.', 'Hook', ['Cache-Control']) },
      refusals: ['409'],
    },
  });
}
