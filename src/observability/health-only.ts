import { type NextFunction, type Request, type Response } from 'express';
import { sendProblem } from '../errors/problem.js';

/** What a worker answers: how it is, and to all else that it is none of its business. */
export function healthOnly(request: Request, response: Response, next: NextFunction): void {
  if (request.path.startsWith('/health/')) {
    next();
    return;
  }
  const detail = 'This process is a worker: it resolves executions and answers nothing but /health.';
  sendProblem(response, 404, 'Not Found', detail, { Connection: 'close' });
}
