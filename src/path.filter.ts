import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type Response } from 'express';
import { type AccessRequest } from './auth/api-key.guard.js';
import { ErrorFilter } from './ops/error.filter.js';
import { Refusal, type RefusalKind, RefusedExecution } from './lib/errors.js';
import { InvalidFields } from './lib/field-errors.js';
import { Paths } from './paths.js';

/**
 * If the path names nothing, answers 404 rather than faults of the query, the headers or the body. The lookup delays
 * refused requests only.
 */
@Catch()
export class PathFilter implements ExceptionFilter {
  constructor(
    private readonly paths: Paths,
    private readonly errors: ErrorFilter,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const tell = (what: unknown): void => {
      this.errors.catch(what, host);
    };
    const { headersSent, closed } = http.getResponse<Response>();
    if (headersSent || closed || !isOfRequest(error)) tell(error);
    else
      this.paths.require(http.getRequest<AccessRequest>()).then(() => {
        tell(error);
      }, tell);
  }
}

/** Whether the query or the body was refused: key checks come before the path, checks of the task after it. */
function isOfRequest(error: unknown): boolean {
  if (error instanceof Refusal) return ofRequests.has(error.kind);
  return error instanceof InvalidFields || error instanceof RefusedExecution;
}

const ofRequests: ReadonlySet<RefusalKind> = new Set([
  'malformed',
  'conflict',
  'too-large',
  'unsupported-media-type',
]);
