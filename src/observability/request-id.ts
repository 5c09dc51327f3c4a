import { type IncomingHttpHeaders } from 'node:http';
import { randomText } from '../random-text.js';

/** The id that a request brought, if it is a sane one, else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : newRequestId();
}

/** A new id for a request that brought none. */
export function newRequestId(): string {
  return randomText(12);
}
