import { type NextFunction, type Request, type Response } from 'express';
import { Deadline } from '../../packages/fair/deadline.js';
import { busy } from '../lib/errors.js';
import { sendProblem } from './problem.js';

/**
 * Limits the time of each request, counted from the end of its body: after that, the answer is 503 and the work is
 * cancelled. An answer that has begun by then continues at the client's pace.
 */
export function requestDeadline(ms: number) {
  return (request: Request & { deadline?: Deadline }, response: Response, next: NextFunction): void => {
    const deadline = new Deadline(
      ms,
      () => response.headersSent,
      () => {
        answerLate(response);
      },
      busy(TOO_LATE),
    );
    request.deadline = deadline;
    const isBodyRead = hasBody(request);
    deadline.start(isBodyRead ? BODY_TIMEOUT_MS + ms : ms);
    if (isBodyRead)
      request.on('end', () => {
        deadline.start();
      });
    response.on('close', () => {
      // If the client has left, a read is abandoned; a write is still carried out.
      if (!response.writableFinished && isRead(request)) deadline.abandon();
      else deadline.meet();
    });
    next();
  };
}

const TOO_LATE = 'The request took too long.';

/** The time for a request to arrive completely. */
export const BODY_TIMEOUT_MS = 60_000;

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** The service reads bodies of POST and PUT only. */
function hasBody({ method, headers }: Request): boolean {
  const isSent = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return isSent && (method === 'POST' || method === 'PUT');
}

function answerLate(response: Response): void {
  if (response.headersSent) return;
  // A handler that is still running would otherwise throw when it writes.
  response.on('error', () => undefined);
  sendProblem(response, 503, 'Service Unavailable', TOO_LATE, { 'Retry-After': '1' });
}

interface TimedRequest extends Request {
  bodyTimer?: NodeJS.Timeout;
}

/**
 * Answers 408 and closes the connection if a request's body has not arrived after so many milliseconds. Node's own
 * limit is the same for all requests and cannot be lifted for a batch.
 */
export function bodyDeadline(milliseconds: number) {
  return (request: TimedRequest, response: Response, next: NextFunction): void => {
    const { headers } = request;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
      const late = (): void => {
        if (!request.complete) refuseLate(request, response);
      };
      const timer = setTimeout(late, milliseconds).unref();
      request.bodyTimer = timer;
      request.on('close', () => {
        clearTimeout(timer);
      });
    }
    next();
  };
}

/** Removes the limit from a request; its reader has to make sure that it never stalls. */
export function liftDeadline(request: TimedRequest): void {
  clearTimeout(request.bodyTimer);
}

/** After the answer, the rest of the body is not needed. */
function refuseLate(request: Request, response: Response): void {
  if (response.headersSent) request.socket.destroy();
  else sendProblem(response, 408, 'Request Timeout', 'The body of the request took too long.');
}
