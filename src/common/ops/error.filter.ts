import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import { type Response } from 'express';
import { type Logger, LOGGER } from '../logger.js';
import { notFound, Refusal, type RefusalKind, unavailable, RefusedExecution } from '../errors.js';
import { english } from '../message.js';
import { InvalidFields } from '../field-errors.js';
import { type RefusedStart, sendProblem } from './problem.js';
import { isDatabaseGone, isDatabaseUnavailable } from '../database-error.js';
import { Health } from './health.js';

/** Converts every error to an HTTP response. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly health: Health,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    // A request that took too long has already been answered.
    if (response.closed || response.writableEnded) return;
    if (response.headersSent) {
      // A list that fails while it is sent must not look complete.
      this.logger.error({ request_id: response.getHeader('X-Request-Id'), err: error }, 'answer cut short');
      response.destroy();
    } else {
      // This header described the answer that failed.
      response.removeHeader('Preference-Applied');
      if (error instanceof InvalidFields) sendFieldErrors(response, error);
      else if (error instanceof RefusedExecution) sendRefusedStart(response, error);
      else sendRefusal(response, this.refusalOf(error, response));
    }
  }

  /** The refusal for an error. Undefined for a fault of the service, which is logged and not shown. */
  refusalOf(error: unknown, response: Response): Refusal | undefined {
    if (error instanceof Refusal) return error;
    if (error instanceof HttpException) return refusalOfFramework(error);
    const details = { request_id: response.getHeader('X-Request-Id') };
    const isPassing = isDatabaseUnavailable(error);
    if (isDatabaseGone(error)) void this.health.postgres.logFailure(error, 'request failed', details);
    else this.logger[isPassing ? 'warn' : 'error']({ ...details, err: error }, 'request failed');
    return isPassing ? unavailable('The database cannot answer at the moment.') : undefined;
  }
}

export function statusOf(refusal: Refusal | undefined): readonly [number, string] {
  return refusal ? statuses[refusal.kind] : [500, 'Internal Server Error'];
}

const statuses: Record<RefusalKind, readonly [number, string]> = {
  malformed: [400, 'Bad Request'],
  unauthenticated: [401, 'Unauthorized'],
  forbidden: [403, 'Forbidden'],
  'not-found': [404, 'Not Found'],
  'method-not-allowed': [405, 'Method Not Allowed'],
  conflict: [409, 'Conflict'],
  'managed-by-definition': [409, 'Conflict'],
  'idempotency-key-in-use': [409, 'Conflict'],
  'cursor-expired': [410, 'Gone'],
  'precondition-failed': [412, 'Precondition Failed'],
  'too-large': [413, 'Content Too Large'],
  'unsupported-media-type': [415, 'Unsupported Media Type'],
  'range-not-satisfiable': [416, 'Range Not Satisfiable'],
  'too-many-requests': [429, 'Too Many Requests'],
  unavailable: [503, 'Service Unavailable'],
};

/** Refusals that get their own `type` in problem documents, so that programs can recognize them. */
const toldApart: ReadonlySet<RefusalKind> = new Set([
  'cursor-expired',
  'idempotency-key-in-use',
  'managed-by-definition',
]);

function sendFieldErrors(response: Response, { fields, more }: InvalidFields): void {
  // Written as text, because an object would lose a field named `__proto__` and reorder a field named `10`.
  const entries = fields.map(([name, all]) => `${JSON.stringify(name)}:${JSON.stringify(all.map(english))}`);
  const others = Object.entries(more)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join('');
  sendInvalid(response, `{"errors":{${entries.join(',')}}${others}}`);
}

function sendRefusedStart(response: Response, { errors }: RefusedExecution): void {
  const body: RefusedStart = { status: 'Fail', errors: errors.map(english) };
  sendInvalid(response, JSON.stringify(body));
}

/** Sends a problem document (RFC 9457). For a fault of the service, tells no details. */
function sendRefusal(response: Response, refusal: Refusal | undefined): void {
  const [status, title] = statusOf(refusal);
  const detail = refusal?.message ?? 'The service failed: its log has the error under this request id.';
  const type = refusal && toldApart.has(refusal.kind) ? refusal.kind : undefined;
  sendProblem(response, status, title, detail, refusal?.headers, type);
}

function sendInvalid(response: Response, body: string): void {
  response.status(422).set('Content-Type', 'application/json; charset=utf-8').end(body);
}

/** Nest throws an `HttpException` only for a request that its router cannot read, or that has no route. */
function refusalOfFramework(error: HttpException): Refusal {
  return error.getStatus() === 404
    ? notFound()
    : new Refusal('malformed', 'The request cannot be understood.');
}
