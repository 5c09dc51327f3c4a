import { type Server } from 'node:http';
import { type NextFunction, type Request, type Response } from 'express';

const timers = new WeakMap<Request, NodeJS.Timeout>();

/**
 * Answers 408, and closes the connection, when a request's body has not arrived after so many milliseconds. Node's own
 * limit is one for all requests, and could be lifted for none.
 */
export function bodyDeadline(server: Server, milliseconds: number) {
  return (request: Request, _: Response, next: NextFunction): void => {
    const { headers, socket } = request;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
      const late = (): void => {
        if (!request.complete) server.emit('clientError', new LateBody(), socket);
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

class LateBody extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}
