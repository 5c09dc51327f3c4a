import { type Answer, json, problem } from './answers.js';
import { ref } from './schema.js';

/** How requests are refused, by the names under which operations refer to them; each begins with its status. */
export const refusals = {
  '400': problem('The request is not understood.'),
  '401': problem('There is no valid key: missing, malformed, unknown, revoked or expired.', [
    'WWW-Authenticate',
  ]),
  '403': problem('The key may only read.'),
  '404': problem('There is nothing here that this key can see.'),
  '408': problem('The request took too long to arrive.'),
  '409': problem('The request is in conflict with another, or comes too late.'),
  '412': problem('The task is not in the version that the request demands.'),
  '413': problem('The body or a file is too large.'),
  '415': problem('The body is of another type than it must be, or compressed.'),
  '416': problem('The file ends before this range.', ['Content-Range']),
  '422': json('Invalid: messages by field or parameter.', 'FieldErrors', ['Connection']),
  '422-execution': json(
    'One or more requirements of the action are not met, or there is a query parameter.',
    { oneOf: [ref('RefusedExecution'), ref('FieldErrors')] },
    ['Connection'],
  ),
  '429': problem('Too many requests of this key.', ['Retry-After']),
  '431': problem('The headers and the path are too long.'),
  '500': problem('A fault of the service.'),
  '503': problem('The service is busy, or its database or store is away.', ['Retry-After']),
} satisfies Record<string, Answer>;

export type RefusalName = keyof typeof refusals;
