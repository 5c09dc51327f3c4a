import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { Refusal } from '../errors/errors.js';

/** The request's `Idempotency-Key`, if it has one. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const key = context.switchToHttp().getRequest<Request>().headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key !== '' && key.length <= 255) return key;
  throw new Refusal('malformed', 'An Idempotency-Key has 1 to 255 characters.');
});
