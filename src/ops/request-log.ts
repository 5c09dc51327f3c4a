import { type NextFunction, type Request, type Response } from 'express';
import { type IncomingHttpHeaders } from 'node:http';
import { type Logger } from '../lib/logger.js';
import { type Metrics } from './metrics.js';
import { randomText } from '../lib/random-id.js';

/**
 * Gives each request its id and, when it is answered, a line in the log: the route but not the path, for paths hold
 * the ids of people's things.
 */
export function requestLog(logger: Logger, metrics: Metrics | undefined) {
  return (
    request: Request & { principal?: { keyId: string } },
    response: Response,
    next: NextFunction,
  ): void => {
    const begun = performance.now();
    const id = requestIdOf(request.headers);
    response.setHeader('X-Request-Id', id);
    response.on('close', () => {
      const route = routeOf(request);
      const status = response.writableFinished ? response.statusCode : 'aborted';
      const ms = performance.now() - begun;
      metrics?.noteRequest(request.method, route ?? 'none', String(status), ms / 1000);
      const line = {
        request_id: id,
        key_id: request.principal?.keyId,
        method: request.method,
        route,
        status,
        duration_ms: Math.round(ms * 10) / 10,
      };
      logger.info(line, 'request');
    });
    next();
  };
}

function routeOf({ route }: Request): string | undefined {
  const path: unknown = (route as { path?: unknown } | undefined)?.path;
  return typeof path === 'string' ? path : undefined;
}

/** The id that a request brought, if it is a sane one, else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : newRequestId();
}

/** A new id for a request that brought none. */
export function newRequestId(): string {
  return randomText(12);
}
