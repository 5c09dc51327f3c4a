import { type NextFunction, type Request, type Response } from 'express';

/**
 * Lets pages of these origins, and no others, use the service with a key that they send themselves, without cookies. A
 * preflight request never contains a key, so it is answered before the key is checked.
 */
export function cors(origins: readonly string[]) {
  const allowed = new Set(origins);
  return (request: Request, response: Response, next: NextFunction): void => {
    // Set even without an origin, because a cache must not reuse this answer for a page.
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

/** The headers of answers that browsers would otherwise hide from pages. */
const exposed = [
  'Accept-Ranges',
  'Allow',
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
