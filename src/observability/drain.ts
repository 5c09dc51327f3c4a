import { type NextFunction, type Request, type Response } from 'express';
import { type Health } from './health.js';

/** While the service stops, lets each kept connection end with the answer that is still owed on it. */
export function drain(health: Health) {
  return (_: Request, response: Response, next: NextFunction): void => {
    if (health.isStopping) response.setHeader('Connection', 'close');
    next();
  };
}
