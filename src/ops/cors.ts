import { type NextFunction, type Request, type Response } from 'express';

/**
 * Lets pages of these origins, and of no others, use the service with a key that they send themselves; cookies mean
 * nothing here. A preflight never has a key, so it is answered before one is asked for.
 */
export function cors(origins: readonly string[]) {
  const allowed = new Set(origins);
  return (request: Request, response: Response, next: NextFunction): void => {
    // Also where there is none: a cache must not give this answer to a page.
    response.vary('Origin');
    const { origin, 'access-control-request-method': wanted } = request.headers;
    if (origin === undefined || !allowed.has(origin)) {
      next();
      return;
    }
    response.setHeader('Access-Control-Allow-Origin', origin);
    if (request.method === 'OPTIONS' && wanted !== undefined) response.status(204).set(preflight).end();
    else {
      response.setHeader('Access-Control-Expose-Headers', exposed);
      next();
    }
  };
}

const preflight = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE',
  'Access-Control-Allow-Headers': [
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'If-Range',
    'Prefer',
    'Range',
    'X-Request-Id',
  ].join(', '),
  'Access-Control-Max-Age': '600',
};

/** The headers of answers that tell a client something and that no page sees otherwise. */
const exposed = [
  'Accept-Ranges',
  'Allow',
  'As-Of',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Event-Id',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Server-Timing',
  'WWW-Authenticate',
  'X-Request-Id',
  'X-Total-Count',
].join(', ');
