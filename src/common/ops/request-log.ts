import { trace } from '@opentelemetry/api';
import { type NextFunction, type Request, type Response } from 'express';
import { type IncomingHttpHeaders } from 'node:http';
import { type Logger } from '../logger.js';
import { type Metrics } from './metrics.js';
import { type Reasoned } from './problem.js';
import { randomText } from '../random-id.js';

/** The ids of a request's workspace and workflow. Each is null if the request has none. */
export interface RequestPlace {
  readonly workspace: string | null;
  readonly workflow: string | null;
}

export interface RequestLogParts {
  readonly logger: Logger;
  readonly metrics: Metrics | undefined;
  readonly placeOf: (request: Request) => RequestPlace;
}

/** Gives each request an id, and logs its route. The path is not logged, because it contains customer ids. */
export function requestLog({ logger, metrics, placeOf }: RequestLogParts) {
  return (
    request: Request & { principal?: { keyId: string } },
    response: Response,
    next: NextFunction,
  ): void => {
    const begun = performance.now();
    const id = requestIdOf(request.headers);
    const { method } = request;
    const span = trace.getActiveSpan();
    response.setHeader('X-Request-Id', id);
    // Runs before OpenTelemetry's own listener, which ends the span.
    response.prependListener('close', () => {
      const route = routeOf(request);
      const status = response.writableFinished ? response.statusCode : 'aborted';
      const ms = performance.now() - begun;
      metrics?.noteRequest(method, route ?? 'none', String(status), ms / 1000);
      const line = {
        request_id: id,
        key_id: request.principal?.keyId,
        ...placeOf(request),
        method,
        route,
        status,
        reason: (response as Reasoned).reason,
        duration_ms: Math.round(ms * 10) / 10,
      };
      logger.info(line, 'request');
      if (route !== undefined) span?.updateName(`${method} ${route}`);
      span?.setAttributes({
        'http.route': route,
        'wts.request': id,
        'wts.workspace': line.workspace ?? undefined,
        'wts.workflow': line.workflow ?? undefined,
        'error.type': status === 'aborted' ? status : undefined,
      });
    });
    next();
  };
}

function routeOf({ route }: Request): string | undefined {
  const path: unknown = (route as { path?: unknown } | undefined)?.path;
  return typeof path === 'string' ? path : undefined;
}

/** The `X-Request-Id` of a request if it is valid, or a new id. */
function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : newRequestId();
}

export function newRequestId(): string {
  return randomText(12);
}
