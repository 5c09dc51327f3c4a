import { type NextFunction, type Request, type Response } from 'express';
import { sendProblem } from '../errors/problem.js';

const timers = new WeakMap<Request, NodeJS.Timeout>();

/**
 * Answers 408, and closes the connection, when a request's body has not arrived after so many milliseconds. Node's own
 * limit is one for all requests, and could be lifted for none.
 */
export function bodyDeadline(milliseconds: number) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const { headers } = request;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
      const late = (): void => {
        if (!request.complete) refuseLate(request, response);
      };
      const timer = setTimeout(late, milliseconds).unref();
      timers.set(request, timer);
      request.once('close', () => {
        clearTimeout(timer);
      });
    }
    next();
  };
}

/** Lets a request take as long as it needs; whoever reads it must see to it that it never stalls. */
export function liftDeadline(request: Request): void {
  clearTimeout(timers.get(request));
}

/** Nobody waits for the rest of a body whose request is answered. */
function refuseLate(request: Request, response: Response): void {
  if (response.headersSent) request.socket.destroy();
  else sendProblem(response, 408, 'Request Timeout', 'The body of the request took too long.');
}
