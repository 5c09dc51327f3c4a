import { type NextFunction, type Request, type Response } from 'express';
import { Deadline } from '../../../packages/fair/deadline.js';
import { busy } from '../errors.js';
import { sendProblem } from './problem.js';

/**
 * Limits the time of each request. A body that does not arrive in time is 408; an answer that does not begin in time
 * after it is 503, and nothing more of it begins or is committed. An answer that has begun by then continues at the
 * client's pace.
 */
export function requestDeadline(ms: number) {
  return (request: Request & { deadline?: Deadline }, response: Response, next: NextFunction): void => {
    const deadline = new Deadline(
      ms,
      () => response.headersSent,
      () => {
        answerLate(request, response);
      },
      busy(TOO_LATE),
    );
    request.deadline = deadline;
    if (isWithBody(request)) {
      deadline.start(BODY_MS);
      request.on('end', () => {
        deadline.start();
      });
    } else deadline.start();
    response.on('close', () => {
      deadline.meet();
    });
    next();
  };
}

const TOO_LATE = 'The request took too long.';
/** The time for a request to arrive completely. */
const BODY_MS = 60_000;

const isWithBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function answerLate(request: Request, response: Response): void {
  // A handler that is still running would otherwise throw when it writes.
  response.on('error', () => undefined);
  if (request.complete) sendProblem(response, 503, 'Service Unavailable', TOO_LATE, { 'Retry-After': '1' });
  else
    sendProblem(response, 408, 'Request Timeout', 'The body of the request took too long.', {
      Connection: 'close',
    });
}
