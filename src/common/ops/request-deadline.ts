import { type NextFunction, type Request, type Response } from 'express';
import { Deadline } from '../../../packages/fair/deadline.js';
import { busy } from '../errors.js';
import { sendProblem } from './problem.js';

/**
 * Limits the time of each request. Answers 408 if the body does not arrive in time. Answers 503 if no answer
 * begins in time after the body. After a 503, no transaction of the request begins or commits. An answer that
 * has begun continues as fast as the client reads.
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
/** The most milliseconds until a request has arrived completely. */
const BODY_MS = 60_000;

const isWithBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function answerLate(request: Request, response: Response): void {
  // Without a listener, the process would end if a handler wrote to the response afterwards.
  response.on('error', () => undefined);
  if (request.complete) sendProblem(response, 503, 'Service Unavailable', TOO_LATE, { 'Retry-After': '1' });
  else
    sendProblem(response, 408, 'Request Timeout', 'The body of the request took too long.', {
      Connection: 'close',
    });
}
