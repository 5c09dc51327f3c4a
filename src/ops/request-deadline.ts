import { type NextFunction, type Request, type Response } from 'express';
import { Deadline } from '../../packages/fair/deadline.js';
import { type Spent } from '../../packages/fair/spent.js';
import { busy } from '../lib/errors.js';
import { sendProblem } from './problem.js';

/**
 * Gives each request its time, from its body's end: who takes longer is answered with 503, and the work for it ends.
 * What is on its way to the client by then goes on at the client's pace.
 */
export function requestDeadline(ms: number) {
  return (
    request: Request & { deadline?: Deadline; spent?: Spent },
    response: Response,
    next: NextFunction,
  ): void => {
    const deadline = new Deadline(
      ms,
      () => response.headersSent,
      () => {
        answerLate(response);
      },
      busy(TOO_LATE),
      request.spent,
    );
    request.deadline = deadline;
    const isBodyRead = hasBody(request);
    deadline.start(isBodyRead ? BODY_TIMEOUT_MS + ms : ms);
    if (isBodyRead)
      request.on('end', () => {
        deadline.start();
      });
    response.on('close', () => {
      // Where the client has left, a read is abandoned; a write is carried out all the same.
      if (!response.writableFinished && isRead(request)) deadline.abandon();
      else deadline.meet();
    });
    next();
  };
}

const TOO_LATE = 'The request took too long.';

/** What a request may take from its first byte to its last. */
export const BODY_TIMEOUT_MS = 60_000;

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Bodies of other methods are never read. */
function hasBody({ method, headers }: Request): boolean {
  const isSent = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return isSent && (method === 'POST' || method === 'PUT');
}

function answerLate(response: Response): void {
  if (response.headersSent) return;
  // A handler that is still at work finds the request answered.
  response.on('error', () => undefined);
  sendProblem(response, 503, 'Service Unavailable', TOO_LATE, { 'Retry-After': '1' });
}

interface TimedRequest extends Request {
  bodyTimer?: NodeJS.Timeout;
}

/**
 * Answers 408, and closes the connection, when a request's body has not arrived after so many milliseconds. Node's own
 * limit is one for all requests and cannot be lifted for a batch.
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

/** Lets a request take as long as it needs; whoever reads it must see to it that it never stalls. */
export function liftDeadline(request: TimedRequest): void {
  clearTimeout(request.bodyTimer);
}

/** Nobody waits for the rest of a body whose request is answered. */
function refuseLate(request: Request, response: Response): void {
  if (response.headersSent) request.socket.destroy();
  else sendProblem(response, 408, 'Request Timeout', 'The body of the request took too long.');
}
