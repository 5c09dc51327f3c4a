import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type Precondition } from '../records/precondition.js';
import { readPrecondition } from './entity-tag.js';

/** What the request's `If-Match` or `If-None-Match` demands of the task. */
export const Demanded = createParamDecorator((_: unknown, context: ExecutionContext): Precondition =>
  readPrecondition(context.switchToHttp().getRequest<Request>().headers),
);
